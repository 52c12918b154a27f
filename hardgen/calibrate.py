"""Calibration: a knob spaced anew, so that equal steps of hardness are equal steps of a measure on a data set."""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from hardgen.analysis.spacing import even_spacing
from hardgen.data.dataset import Dataset
from hardgen.doses import measure_doses
from hardgen.engine import run_sweep
from hardgen.errors import HardgenError
from hardgen.files import atomic_path
from hardgen.models.model import Model
from hardgen.sweeps.axes import Axis
from hardgen.sweeps.plan import Plan
from hardgen.sweeps.settings import Settings
from hardgen.tables import read_table, write_table


class Measure(enum.Enum):
    """What equal steps of hardness become equal steps of."""

    error = "error"
    """The models' mean error."""
    rmse = "rmse"
    """Root mean square distance from the clean image."""
    ssim = "ssim"
    """1 - SSIM to the clean image."""
    ms_ssim = "ms_ssim"
    """1 - MS-SSIM to the clean image."""


@dataclass(frozen=True)
class Calibration:
    """What came of a calibration.

    Attributes:
        spacings: By axis, the knob's own hardnesses at equal steps.
        refused: By axis, why it could not be spaced.
        file: The YAML.
    """

    spacings: Mapping[str, list[float]]
    refused: Mapping[str, str]
    file: Path


def calibrate(
    plan: Plan,
    dataset: Dataset,
    models: Sequence[Model],
    settings: Settings,
    out: Path,
    config: Mapping[str, Any],
    measure: Measure = Measure.error,
    steps: int = 5,
    span: float = 0.8,
) -> Calibration:
    """Measures every axis finely and writes where to stop on it.

    `out` then holds `measured.parquet` (axis, hardness, measure) and `spacing/NAME.yaml`, NAME being the folder's name.
    With `measure=error` a sweep is run into `out/run`; an interrupted one is gone on with.

    Args:
        plan: Axes one at a time, with many stops.
        dataset: The images.
        models: Asked where the measure is `error`; their errors are averaged.
        settings: How to run.
        out: The folder to write to.
        config: Every configuration value, for the run's manifest.
        measure: What is to rise by equal steps.
        steps: How many.
        span: Share of the measure's whole rise to divide, in (0, 1].

    Raises:
        HardgenError: for steps or a span out of range, or if no axis can be spaced.
    """
    if steps < 2:
        raise HardgenError(f"steps must be at least 2; got {steps}")
    if not 0 < span <= 1:
        raise HardgenError(f"span must be in (0, 1]; got {span:g}")
    if measure is Measure.error:
        run_sweep(plan, dataset, models, settings, out / "run", config, report=False)
        table = read_table(out / "run" / "curves.parquet").with_columns(measure=1 - pl.col("accuracy"))
        measured = table.group_by("axis", "hardness", maintain_order=True).agg(pl.col("measure").mean())
    else:
        table = measure_doses(plan, dataset, settings, len(dataset)).filter(pl.col("measure") == measure.name)
        distance = pl.col("mean") if measure is Measure.rmse else 1 - pl.col("mean")
        measured = table.select("axis", "hardness", distance.alias("measure"))
    write_table(out / "measured.parquet", measured.select("axis", "hardness", "measure"))
    spacings, refused = {}, {}
    for axis in plan.axes:
        own = measured.filter(pl.col("axis") == axis.name).sort("hardness")
        try:
            spacings[axis.name] = even_spacing(own["hardness"].to_list(), own["measure"].to_list(), steps, span)
        except HardgenError as error:
            refused[axis.name] = str(error)
    if not spacings:
        raise HardgenError("; ".join(f"{axis}: {why}" for axis, why in refused.items()))
    file = out / "spacing" / f"{out.resolve().name}.yaml"
    asked = f" of {', '.join(m.name for m in models)}" if measure is Measure.error else ""
    made = (
        f"Equal steps of hardness are equal steps of {measure.name}{asked} on {len(dataset)} images of {dataset.name}"
    )
    with atomic_path(file) as temporary:
        temporary.write_text(_yaml(f"{made}, seed {settings.seed}, over {span:g} of its rise.", spacings, plan.axes))
    return Calibration(spacings, refused, file)


def _yaml(made: str, spacings: Mapping[str, Sequence[float]], axes: Sequence[Axis]) -> str:
    lines = [
        "# @package _global_",
        f"# {made}",
        "# Values of a spacing: the knob's own hardness at each step.",
        "axes:",
    ]
    for axis in axes:
        if axis.name in spacings:
            spacing = spacings[axis.name]
            values = ", ".join(f"{axis.knob.at(h):.4g}" for h in spacing)
            lines.append(f"  {axis.name}: {{spacing: [{', '.join(f'{h:g}' for h in spacing)}]}}")
            lines.append(f"    # {values} {axis.knob.unit}")
    return "\n".join(lines) + "\n"
