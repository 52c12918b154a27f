"""One sweep from plan to page: answers, tables, pictures, report."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from hardgen.analysis.mistakes import mistakes
from hardgen.analysis.summary import analyse, write_tables
from hardgen.data.dataset import Dataset
from hardgen.data.loading import donors
from hardgen.errors import HardgenError
from hardgen.files import locked, readable
from hardgen.models.check import check_labels
from hardgen.models.model import Model
from hardgen.progress import console
from hardgen.report.page import PAGE, make_report
from hardgen.sweeps.gallery import IMAGES, INDEX, Gallery
from hardgen.sweeps.ledger import Ledger
from hardgen.sweeps.manifest import finished, finite, manifest, write_manifest
from hardgen.sweeps.parts import parts
from hardgen.sweeps.plan import Plan
from hardgen.sweeps.reading import MANIFEST
from hardgen.sweeps.results import CONDITIONS, Run
from hardgen.sweeps.run import Execution, Gap
from hardgen.sweeps.settings import Settings
from hardgen.sweeps.shards import WHOLE, Shard
from hardgen.sweeps.sums import file_sum, read_sums
from hardgen.tables import rows_of

OF_THE_TIME = ("created", "status", "done", "failures", "git", "hardgen", "versions", "config")
"""What a manifest says that its answers do not depend on."""
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
    shard: Shard = WHOLE,
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
        shard: Which of the images are asked about.

    Returns:
        The run, read back.

    Raises:
        HardgenError: for models of one name, labels that a model does not have, or data without a readable image.
    """
    names = [model.name for model in models]
    if not names:
        raise HardgenError("a sweep needs at least one model; got none")
    unwritten = next((name for name in names if name != readable(name)), None)
    if unwritten is not None:
        raise HardgenError(f"a model's name must be text that can be written; got {readable(unwritten)!r}")
    if len(set(names)) < len(names):
        raise HardgenError(f"models must have different names; got {', '.join(names)}")
    with locked(out):
        return _run_sweep(plan, dataset, models, settings, out, config, report, shard)


def _run_sweep(
    plan: Plan,
    dataset: Dataset,
    models: Sequence[Model],
    settings: Settings,
    out: Path,
    config: Mapping[str, Any],
    report: bool,
    shard: Shard,
) -> Run:
    """What `run_sweep` does while the folder is held."""
    laid = parts(plan, dataset, models, settings.seed, out, shard)
    before = manifest(plan, dataset, models, settings.seed, config, laid, shard)
    if done := _done(out, before, report):
        console.print(f"{out} is whole already: nothing is asked", markup=False, soft_wrap=True)
        return done
    columns = {m.name: check_labels(m.to(settings.device), dataset) for m in models}
    ledger = Ledger(out)
    write_manifest(out / MANIFEST, before)
    ledger.write(CONDITIONS, plan.table())
    execution = Execution(plan, dataset, models, columns, settings, ledger)
    failures = execution.run(laid)
    if len(failures) == (asked := sum(len(part.indices) for part in laid)):
        raise HardgenError(f"none of the {asked} images could be read; the first: {failures[0].reason}")
    if execution.gaps:
        write_manifest(out / MANIFEST, before | {"missing": [dataclasses.asdict(gap) for gap in execution.gaps]})
        raise HardgenError(_unfinished(execution.gaps, len(before["parts"]), out))
    ledger.keep()
    answered = sum(rows_of(out / "samples" / name) for name in before["parts"])
    write_manifest(out / MANIFEST, finished(before, failures, answered))
    run = Run.open(out)
    if not report:
        write_tables(analyse(run), out)
        return run
    shown = mistakes(run.answers, run.conditions, MISTAKES)
    pool = donors(dataset, settings.seed)
    Gallery(plan, dataset, pool, settings.seed, out / IMAGES).save(strip_samples(run), shown)
    make_report([out])
    return Run.open(out)


def _done(out: Path, before: Mapping[str, Any], report: bool) -> Run | None:
    """The run of a folder that holds just this one, all of it as it was written; a second time nothing is done."""
    made = [MANIFEST, *([PAGE, f"{IMAGES}/{INDEX}"] if report else [])]
    if not all((out / name).is_file() for name in made):
        return None
    try:
        run = Run.open(out)
    except HardgenError:
        return None
    same = all(run.manifest.get(key) == value for key, value in finite(before).items() if key not in OF_THE_TIME)
    sums, kept = read_sums(out), [f"samples/{name}" for name in before["parts"]]
    listed = [CONDITIONS, *kept, *(f"doses/{name}" for name in before["doses"])]
    whole = all(name in sums and file_sum(out / name) == sums[name] for name in listed)
    return run if same and whole and not run.failures else None  # what could not be read is tried again


def _unfinished(gaps: Sequence[Gap], files: int, out: Path) -> str:
    """What is missing of a run, model by model, and what to do."""
    first = {gap.model: gap.reason for gap in reversed(gaps)}
    named = {n: f"model {n!r}: {r}" if n and repr(n) not in r else r for n, r in first.items()}
    reasons = "; ".join(named.values())
    return (
        f"{len(gaps)} of {files} files are missing in {out}: {reasons}. What was answered is kept: the same "
        "command with the same out= asks the rest"
    )


def strip_samples(run: Run) -> list[str]:
    """One sample to show growing harder: the first that every model has right when clean, else the first of all."""
    clean = run.answers.filter(pl.col("condition_id") == run.conditions["condition_id"][0])
    right = clean.group_by("sample_id", maintain_order=True).agg(pl.col("correct").all())
    return (right.filter("correct")["sample_id"].to_list() or right["sample_id"].to_list())[:1]
