"""The plan of a sweep: which conditions there are. Pure data, made before anything runs."""

import enum
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from hardgen.errors import HardgenError
from hardgen.files import digest
from hardgen.pipeline import Pipeline
from hardgen.sweeps.axes import Axis, Point
from hardgen.sweeps.design import FULL, Design, Kind

CLEAN = "clean"
"""The axis name of the baseline."""


class Mode(enum.Enum):
    """How several axes go together."""

    one_at_a_time = "one_at_a_time"
    """Each axis by itself, all others neutral."""
    grid = "grid"
    """Every combination of the axes' stops."""
    together = "together"
    """All axes move at once: first stop with first stop, second with second."""


@dataclass(frozen=True)
class Condition:
    """One pipeline with every knob fixed: a cell of the sweep.

    Attributes:
        id: Twelve characters made from the pipeline's spec: equal pixels, equal id.
        pipeline: What is done to the images.
        points: Where it stands on the axes; empty for the clean baseline.
    """

    id: str
    pipeline: Pipeline
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Plan:
    """The conditions of a sweep, the clean baseline first.

    Attributes:
        pipeline: The pipeline as configured.
        axes: What is turned.
        mode: How the axes go together.
        conditions: Every place on the axes. Places with equal pixels (one knob neutral, another turned) share an id.
        design: Which images are asked where.
    """

    pipeline: Pipeline
    axes: tuple[Axis, ...]
    mode: Mode
    conditions: tuple[Condition, ...]
    design: Design = FULL

    @property
    def cells(self) -> tuple[Condition, ...]:
        """What must be run: every condition id once."""
        return tuple({c.id: c for c in reversed(self.conditions)}.values())[::-1]

    def table(self) -> pl.DataFrame:
        """The conditions table: one row per condition and axis that it sets, the clean baseline first."""
        baseline = (Point(CLEAN, 0.0, math.nan, ""),)
        rows = [
            (c.id, p.axis, p.hardness, p.value, p.unit, c.pipeline.spec_json(), self.mode.name)
            for c in self.conditions
            for p in c.points or baseline
        ]
        names = ["condition_id", "axis", "hardness", "value", "unit", "spec", "mode"]
        types = [pl.String, pl.String, pl.Float64, pl.Float64, pl.String, pl.String, pl.String]
        table = pl.DataFrame(rows, dict(zip(names, types, strict=True)), orient="row")
        return table.with_columns(pl.col("value").fill_nan(None))


def plan(pipeline: Pipeline, axes: Sequence[Axis], mode: Mode = Mode.one_at_a_time, design: Design = FULL) -> Plan:
    """Lays out the conditions of a sweep.

    Knobs that are no axis keep their configured values throughout, in the baseline too.

    Raises:
        HardgenError: if a mode does not fit the axes, or a condition would change nothing.
    """
    if mode is Mode.grid and len(axes) < 2:
        raise HardgenError(f"mode=grid needs two axes or more; got {len(axes)}")
    if mode is Mode.grid and design.kind is not Kind.full:
        raise HardgenError(f"design={design.kind.name} asks along axes; mode=grid needs design=full")
    if mode is Mode.together and len({len(a.points) for a in axes}) > 1:
        counts = ", ".join(f"{a.name} {len(a.points)}" for a in axes)
        raise HardgenError(f"mode=together needs as many stops on every axis; got {counts}")
    settings: list[tuple[Point, ...]]
    if mode is Mode.one_at_a_time:
        settings = [(point,) for axis in axes for point in axis.points]
    elif mode is Mode.grid:
        settings = list(itertools.product(*((axis.neutral, *axis.points) for axis in axes)))[1:]
    else:
        settings = list(zip(*(axis.points for axis in axes), strict=True))
    clean, *rest = [_condition(pipeline, axes, points) for points in ((), *settings)]
    idle = next((c for c in rest if c.id == clean.id), None)
    if idle is not None and mode is not Mode.grid:
        at = ", ".join(f"{p.axis}={p.value:g}" for p in idle.points)
        raise HardgenError(
            f"{at} would change nothing, because another knob of that slot stands at neutral: set it too"
        )
    return Plan(pipeline, tuple(axes), mode, (clean, *rest), design)


def _condition(pipeline: Pipeline, axes: Sequence[Axis], points: tuple[Point, ...]) -> Condition:
    """The slots of `points` as configured but for those knobs; every other axis at neutral."""
    moved = {point.axis.partition(".")[0] for point in points}
    values = {axis.name: axis.knob.neutral for axis in axes if axis.slot not in moved}
    made = pipeline.with_values(values | {point.axis: point.value for point in points})
    return Condition(digest(made.spec_json())[:12], made, points)
