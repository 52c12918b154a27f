"""One sweep from plan to page: answers, tables, pictures, report."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from hardgen.analysis.mistakes import mistakes
from hardgen.analysis.summary import analyse, write_tables
from hardgen.data.dataset import Dataset
from hardgen.data.loading import donors
from hardgen.errors import HardgenError
from hardgen.models.model import Model
from hardgen.report.page import make_report
from hardgen.sweeps.gallery import Gallery
from hardgen.sweeps.manifest import finished, manifest, write_manifest
from hardgen.sweeps.plan import Plan
from hardgen.sweeps.results import CONDITIONS, MANIFEST, Run
from hardgen.sweeps.run import Settings, execute, parts
from hardgen.tables import write_table

MISTAKES = 6
"""Pictures of mistakes kept for each model and axis."""


def run_sweep(
    plan: Plan,
    dataset: Dataset,
    models: Sequence[Model],
    settings: Settings,
    out: Path,
    config: Mapping[str, Any],
    report: bool = True,
) -> Run:
    """Runs a sweep, or what is left of it, into a folder.

    The folder then holds `manifest.json`, `conditions.parquet`, `samples/`, `curves.parquet`, `tables/`, `images/`,
    `figures/` and `report.html`.

    Args:
        plan: The conditions.
        dataset: The images.
        models: Asked on the same pixels.
        settings: How to run.
        out: The run's folder; one that holds an unfinished sweep of the same configuration is gone on with.
        config: Every configuration value, for the manifest.
        report: Whether pictures, figures and the page are made; the tables always are.

    Returns:
        The run, read back.

    Raises:
        HardgenError: for models of one name, labels that a model does not have, or data without a readable image.
    """
    names = [model.name for model in models]
    if not names:
        raise HardgenError("a sweep needs at least one model; got none")
    if len(set(names)) < len(names):
        raise HardgenError(f"models must have different names; got {', '.join(names)}")
    laid = parts(plan, dataset, models, settings.seed, out / "samples")
    files = [file.name for part in laid for file in part.files.values()]
    before = manifest(plan, dataset, models, settings.seed, config, files)
    write_manifest(out / MANIFEST, before)
    write_table(out / CONDITIONS, plan.table())
    failures = execute(plan, dataset, [model.to(settings.device) for model in models], settings, laid)
    if len(failures) == len(dataset):
        raise HardgenError(f"none of the {len(dataset)} images could be read; the first: {failures[0].reason}")
    write_manifest(out / MANIFEST, finished(before, failures))
    run = Run.open(out)
    if not report:
        write_tables(analyse(run), out)
        return run
    shown = mistakes(run.answers, run.conditions, MISTAKES)
    pool = donors(dataset, settings.seed)
    Gallery(plan, dataset, pool, settings.seed, out / "images").save(strip_samples(run), shown)
    make_report([out])
    return Run.open(out)


def strip_samples(run: Run) -> list[str]:
    """One sample to show growing harder: the first that every model has right when clean, else the first of all."""
    clean = run.answers.filter(pl.col("condition_id") == run.conditions["condition_id"][0])
    right = clean.group_by("sample_id", maintain_order=True).agg(pl.col("correct").all())
    return (right.filter("correct")["sample_id"].to_list() or right["sample_id"].to_list())[:1]
