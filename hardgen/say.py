"""What a command tells the person who ran it: the plan and its size, the result, where it lies and what to do next."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from rich.table import Table

from hardgen.calibrate import Calibration
from hardgen.data.dataset import Dataset
from hardgen.data.loading import Failure
from hardgen.progress import console
from hardgen.sweeps.design import Kind
from hardgen.sweeps.plan import Plan
from hardgen.sweeps.results import Run
from hardgen.sweeps.shards import WHOLE, Shard
from hardgen.tables import read_table

SHOWN = 5
"""Unreadable images named one by one."""


def say_plan(plan: Plan, dataset: Dataset, models: Sequence[str], shard: Shard = WHOLE) -> None:
    """Prints the conditions of a plan, and how many images and answers they make."""
    table = Table(title=f"{plan.mode.name}: {len(plan.cells)} conditions, the clean baseline among them")
    for column in ("axis", "perturbation", "stops", "values", "unit"):
        table.add_column(column, overflow="fold")
    for axis in plan.axes:
        values = ", ".join(p.shown(4) for p in axis.points)
        name = plan.pipeline.slots[axis.slot].name
        table.add_row(axis.name, name, str(len(axis.points)), values, axis.knob.unit)
    console.print(table)
    asked, each = shard.size(len(dataset)), _asked(plan)
    share = "" if shard == WHOLE else f" (shard {shard})"
    how = {Kind.full: "", Kind.levels: " each, on average", Kind.critical: " each, at most"}[plan.design.kind]
    sides = f"{_count(asked, 'image')} of {dataset.name}{share} x {each:g} condition{'s' * (each != 1)}{how}"
    images = round(asked * each)
    console.print(f"{sides} = {_count(images, 'variant')}", markup=False)
    if models:
        console.print(
            f"x {_count(len(models), 'model')} ({', '.join(models)}) = {images * len(models):,} answers", markup=False
        )
    console.print("Nothing was run.")


def _asked(plan: Plan) -> float:
    """At how many of a plan's conditions an image is asked, the clean one among them: on average, or at most."""
    if plan.design.kind is Kind.full:
        return len(plan.cells)
    most = plan.design.questions - (plan.design.kind is Kind.critical)
    lines = Counter(tuple(point.axis for point in cell.points) for cell in plan.cells if cell.points)
    return 1 + sum(min(most, levels) for levels in lines.values())


def say_failures(failures: Sequence[Failure] | Sequence[dict[str, str]]) -> None:
    """Names what could not be read."""
    if not failures:
        return
    rows = [(f.sample_id, f.reason) if isinstance(f, Failure) else (f["sample_id"], f["reason"]) for f in failures]
    console.print(f"Left out {_count(len(rows), 'image')} that could not be read:", style="yellow")
    for sample_id, reason in rows[:SHOWN]:
        console.print(f"  {sample_id}: {reason}", markup=False, soft_wrap=True)
    if len(rows) > SHOWN:
        console.print(f"  and {len(rows) - SHOWN} more (on_error=raise stops at the first)")


def say_doses(table: pl.DataFrame, out: Path, figures: Sequence[Path]) -> None:
    """Prints how far each axis goes half way and at its hardest, then where the table and the figures lie."""
    shown = Table(title="mean distance from the clean image")
    shown.add_column("axis", overflow="fold")
    for column in ("RMSE half way", "hardest", "1 - SSIM half way", "hardest"):
        shown.add_column(column, justify="right")
    for (axis,), own in table.group_by(["axis"], maintain_order=True):
        stops = own["hardness"].unique().sort().to_list()
        ends = [min(stops, key=lambda h: abs(h - 0.5)), stops[-1]]
        mean = {(row["measure"], row["hardness"]): row["mean"] for row in own.iter_rows(named=True)}
        far = [mean["rmse", h] for h in ends] + [1 - mean["ssim", h] for h in ends]
        shown.add_row(str(axis), *(f"{distance:.3f}" for distance in far))
    console.print(shown)
    pictures = sum(path.suffix == ".png" for path in figures)
    console.print(f"doses.parquet, doses.csv and {pictures} figures lie in {out}", markup=False, soft_wrap=True)
    console.print("Next: hardgen calibrate makes equal steps of hardness equal steps of a measure.")


def say_calibration(made: Calibration) -> None:
    """Prints the new spacing of each axis, what could not be spaced, and how to use the file."""
    shown = Table(title="the knob's own hardness at equal steps of the measure")
    shown.add_column("axis", overflow="fold")
    shown.add_column("spacing")
    for axis, spacing in made.spacings.items():
        shown.add_row(axis, ", ".join(f"{h:.3g}" for h in spacing))
    console.print(shown)
    for axis, why in made.refused.items():
        console.print(f"left out {axis}: {why}", style="yellow", markup=False, soft_wrap=True)
    folder, name = made.file.parents[1], made.file.stem
    console.print(f"The spacing lies in {made.file}", markup=False, soft_wrap=True)
    console.print(f"Next: hardgen sweep --config-dir {folder} +spacing={name} ...", markup=False, soft_wrap=True)


def say_run(run: Run, out: Path) -> None:
    """Prints for every model the clean accuracy and where each axis ends, then where the results lie."""
    curves = read_table(out / "curves.parquet")
    if run.manifest.get("design") == Kind.critical.name:
        _say_searched(read_table(out / "tables" / "searched.parquet"))
    else:
        _say_curves(run, curves)
    for row in read_table(out / "tables" / "mce.parquet").filter(axis="mean", normalised=True).iter_rows(named=True):
        console.print(
            f"{row['model']}: mCE {row['corruption_error']:.1%}, relative mCE {row['relative_error']:.1%} "
            f"(normalised by AlexNet, {row['perturbation']})",
            markup=False,
        )
    say_failures(run.failures)
    page = out / "report.html"
    console.print(f"Results lie in {out}.{f' Open {page}' if page.exists() else ''}", markup=False, soft_wrap=True)
    console.print("Next: hardgen preview shows the variants, hardgen generate writes them; --help explains by example.")


def _say_curves(run: Run, curves: pl.DataFrame) -> None:
    """Prints for every model the clean accuracy and where each axis ends."""
    axes = curves["axis"].unique(maintain_order=True).to_list()
    table = Table(title="accuracy: clean, and at each axis' hardest stop")
    table.add_column("axis", overflow="fold")
    for model in run.models:
        table.add_column(model, justify="right", overflow="fold")
    at = {(row["model"], row["axis"], row["hardness"]): row["accuracy"] for row in curves.iter_rows(named=True)}
    ends = dict(curves.group_by("axis").agg(pl.col("hardness").max()).iter_rows())
    table.add_row("clean", *(f"{at[model, axes[0], 0.0]:.1%}" for model in run.models), end_section=True)
    for axis in axes:
        found = (at.get((model, axis, ends[axis])) for model in run.models)
        table.add_row(axis, *("" if accuracy is None else f"{accuracy:.1%}" for accuracy in found))
    console.print(table)


def _say_searched(searched: pl.DataFrame) -> None:
    """Prints the hardness at which half of the images have failed, and what share of them is sure."""
    table = Table(title="critical hardness: where half of the images have failed")
    table.add_column("axis", overflow="fold")
    models = searched["model"].unique(maintain_order=True).to_list()
    for model in models:
        table.add_column(model, justify="right", overflow="fold")
    for (axis,), own in searched.group_by(["axis"], maintain_order=True):
        found = {row["model"]: row for row in own.iter_rows(named=True)}
        halves = [found[m]["median"] if m in found else None for m in models]
        table.add_row(str(axis), *("none" if half is None else f"{half:.3f}" for half in halves))
    console.print(table)
    share = searched.select(pl.col("sure").mean()).item() or 0.0
    console.print(
        f"{share:.0%} of the first failures are sure; tables/critical.parquet holds every image", markup=False
    )


def _count(number: int, what: str) -> str:
    """A number of things: `1 model`, `2,000 models`."""
    return f"{number:,} {what}{'s' * (number != 1)}"
