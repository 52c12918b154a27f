"""All tables of a run, made and written."""

import itertools
from pathlib import Path

import polars as pl

from hardgen.analysis.answers import Answers
from hardgen.analysis.areas import areas
from hardgen.analysis.calibration import calibration
from hardgen.analysis.confusion import collapse, confusion_shift
from hardgen.analysis.critical import critical
from hardgen.analysis.curves import curves, read_off
from hardgen.analysis.differences import between_models, from_clean
from hardgen.analysis.grid import grid
from hardgen.analysis.interaction import interaction
from hardgen.analysis.intervals import RESAMPLES
from hardgen.analysis.mce import ALEXNET, ALEXNET_CLEAN, mce
from hardgen.analysis.mistakes import mistakes
from hardgen.analysis.monotone import monotone
from hardgen.analysis.multiple import with_adjusted
from hardgen.analysis.points import points
from hardgen.analysis.psychometric import fitted, psychometric, whole_curves
from hardgen.analysis.steps import steps
from hardgen.analysis.thresholds import thresholds
from hardgen.sweeps.design import Kind
from hardgen.sweeps.results import Run
from hardgen.tables import write_table

IMAGENET_CLASSES = 1000
"""The published reference errors hold for this label set only."""


def analyse(run: Run, resamples: int = RESAMPLES, seed: int = 0) -> dict[str, pl.DataFrame]:
    """Every table, from the answers alone.

    Args:
        run: One run, or several merged ones.
        resamples: Bootstrap resamples.
        seed: Their seed; not the run's, so that tables of two runs are made alike.

    Returns:
        Tables by name: curves, thresholds, areas, differences, model_differences, monotone, critical, searched, steps,
        confusion, collapse, mistakes, grid, interaction, mce, psychometric, bands, calibration. `p_holm` and `p_bh`
        adjust for all axes and points of a model or of a pair of models.
    """
    samples = run.samples()
    places = points(run.conditions, run.axes)
    design = Kind[run.manifest.get("design", Kind.full.name)]
    images, searched = critical(samples, places if design is Kind.critical else places.clear())
    if design is Kind.critical:  # each image was asked where its answers led: no curve comes of that
        places = places.clear()
    few = design is Kind.levels
    answers = Answers.of(samples, places, resamples, seed, few)
    shape = read_off(curves(samples, places), answers) if few else curves(samples, places)
    chance = {model: run.chance(model) for model in run.models}
    fits = fitted(answers, chance)
    prints = {model: run.data(model)["fingerprint"] for model in run.models}
    pairs = [(a, b) for a, b in itertools.combinations(run.models, 2) if prints[a] == prints[b]]
    imagenet = all(len(run.data(model)["classes"]) == IMAGENET_CLASSES for model in run.models)
    return {
        "curves": shape,
        "thresholds": thresholds(answers, chance, run.axes),
        "areas": areas(answers),
        "differences": with_adjusted(from_clean(answers), ["model"]),
        "model_differences": with_adjusted(between_models(answers, pairs), ["model_a", "model_b"]),
        "monotone": monotone(answers),
        "critical": images,
        "searched": searched,
        "steps": steps(answers),
        "confusion": confusion_shift(samples, places, resamples=resamples, seed=seed),
        "collapse": collapse(samples, places),
        "mistakes": mistakes(samples, run.conditions),
        "grid": grid(samples, run.conditions),
        "interaction": interaction(samples, run.conditions, resamples, seed),
        "mce": mce(shape, run.axes, ALEXNET if imagenet else None, ALEXNET_CLEAN if imagenet else None),
        "psychometric": psychometric(fits, run.axes),
        "bands": whole_curves(fits),
        "calibration": calibration(samples, places, resamples, seed),
    }


def write_tables(tables: dict[str, pl.DataFrame], folder: Path) -> list[Path]:
    """Writes each table to `folder/tables/NAME.parquet`, and the curves to `folder/curves.parquet` too.

    Equal tables give equal bytes.

    Returns:
        The files, in the order of the tables.
    """
    files = [(folder / "tables" / f"{name}.parquet", table) for name, table in tables.items()]
    files.append((folder / "curves.parquet", tables["curves"]))
    for path, table in files:
        write_table(path, table)
    return [path for path, _ in files]
