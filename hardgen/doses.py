"""Realised doses: how far every perturbation moves a data set's images at every stop, in its own units and in SSIM."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from torch import Tensor

from hardgen.data.dataset import Dataset, Sample
from hardgen.data.loading import load, to_batch
from hardgen.errors import HardgenError
from hardgen.files import atomic_path
from hardgen.functional.measures import ms_ssim, ssim
from hardgen.progress import progress
from hardgen.sweeps.ask import variants
from hardgen.sweeps.plan import Condition, Plan
from hardgen.sweeps.settings import Settings, moved, pool_on
from hardgen.tables import write_table

SIMILARITIES: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = {"ssim": ssim, "ms_ssim": ms_ssim}
"""Measures of a variant against its clean image, beside the doses that a perturbation reports."""

TABLE = "doses.parquet"
SCHEMA = {
    "perturbation": pl.String,
    "family": pl.String,
    "axis": pl.String,
    "hardness": pl.Float64,
    "value": pl.Float64,
    "unit": pl.String,
    "measure": pl.String,
    "mean": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
}


def measure_doses(plan: Plan, dataset: Dataset, settings: Settings, images: int) -> pl.DataFrame:
    """Measures the variants of a plan against their clean images.

    Args:
        plan: Axes one at a time.
        dataset: Where the images are.
        settings: How to run.
        images: How many to measure, evenly spaced over the data; unreadable ones are left out.

    Returns:
        A row for each axis, stop and measure: `rmse`, `ssim`, `ms_ssim` and the perturbation's own doses, as mean and
        10% and 90% quantile over the images. Hardness 0 is the clean image itself.

    Raises:
        HardgenError: if none of the images can be read.
    """
    places = [i * len(dataset) // images for i in range(min(images, len(dataset)))]
    samples = [s for s in load(dataset, places, settings.workers, settings.on_error) if isinstance(s, Sample)]
    if not samples:
        raise HardgenError(f"none of the {len(places)} images to measure could be read")
    pool = pool_on(dataset, settings)
    seen: dict[tuple[str, str], list[float]] = {}
    with progress("doses", len(samples) * len(plan.conditions), "variants") as advance:
        for start in range(0, len(samples), settings.batch_size):
            batch = moved(to_batch(samples[start : start + settings.batch_size], dataset.classes, pool), settings)
            made = variants(plan.pipeline, plan.conditions, batch, settings.seed)
            for condition, outcome in zip(plan.conditions, made, strict=True):
                found = {k.partition(".")[2]: v for k, v in outcome.doses.items() if _own(k, condition)}
                found |= {name: how(outcome.batch.images, batch.images) for name, how in SIMILARITIES.items()}
                for name, values in found.items():
                    seen.setdefault((condition.id, name), []).extend(values.tolist())
                advance(len(batch))
    return pl.concat([_rows(plan, seen, axis) for axis in range(len(plan.axes))])


def _own(dose: str, condition: Condition) -> bool:
    """Whether a dose is of the slot that the condition turns."""
    return any(dose.startswith(f"{point.axis.partition('.')[0]}.") for point in condition.points)


def _rows(plan: Plan, seen: Mapping[tuple[str, str], Sequence[float]], index: int) -> pl.DataFrame:
    axis = plan.axes[index]
    perturbation = plan.pipeline.slots[axis.slot]
    along = [c for c in plan.conditions if c.points and c.points[0].axis == axis.name]
    count = len(seen[(along[0].id, "ssim")])
    clean = [("rmse", 0.0), *((name, 1.0) for name in SIMILARITIES)]
    rows: list[tuple[object, ...]] = [
        (0.0, axis.knob.neutral, axis.knob.unit, name, value, value, value, count) for name, value in clean
    ]
    for condition in along:
        point = condition.points[0]
        for (id_, name), values in seen.items():
            if id_ == condition.id:
                low, high = np.nanquantile(values, (0.1, 0.9))
                mean = float(np.nanmean(values))
                rows.append((point.hardness, point.value, point.unit, name, mean, float(low), float(high), count))
    head = (perturbation.name, perturbation.family, axis.name)
    return pl.DataFrame([(*head, *row) for row in rows], schema=SCHEMA, orient="row")


def save_doses(table: pl.DataFrame, out: Path) -> None:
    """Writes the table as Parquet and, for people and spreadsheets, as CSV."""
    write_table(out / TABLE, table)
    with atomic_path(out / "doses.csv") as temporary:
        table.write_csv(temporary, float_precision=6)
