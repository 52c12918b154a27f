"""Thresholds: how hard it may get before half of what a model knows is lost."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from hardgen.analysis.answers import Answers, Curve
from hardgen.analysis.intervals import Floats, percentile
from hardgen.analysis.isotonic import isotonic

SCHEMA = {
    "model": pl.String,
    "axis": pl.String,
    "clean": pl.Float64,
    "chance": pl.Float64,
    "target": pl.Float64,
    "reached": pl.Boolean,
    "hardness": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "value": pl.Float64,
    "value_low": pl.Float64,
    "value_high": pl.Float64,
    "unit": pl.String,
    "covered": pl.Float64,
    "covered_value": pl.Float64,
    "share_reached": pl.Float64,
}


def crossing(hardness: ArrayLike, fitted: Floats, target: ArrayLike) -> Floats:
    """Where non-increasing curves come down to a target, linear between points; inf where they do not.

    Args:
        hardness: Points, rising.
        fitted: Curves x points; each begins above its target.
        target: One height a curve.
    """
    h, goal = np.asarray(hardness, dtype=np.float64), np.asarray(target, dtype=np.float64)
    below = fitted <= goal[:, None]
    right = np.where(below.any(1), below.argmax(1), len(h) - 1)
    left = np.maximum(right - 1, 0)
    rows = np.arange(len(fitted))
    above, under = fitted[rows, left], fitted[rows, right]
    part = np.divide(above - goal, above - under, out=np.zeros_like(goal), where=above > under)
    return np.where(below.any(1), h[left] + np.clip(part, 0.0, 1.0) * (h[right] - h[left]), np.inf)


def value_at(hardness: float, points: Floats, values: Floats, scale: str = "linear") -> float:
    """The knob's value at a hardness between visited points, along the knob's scale; NaN outside them.

    Args:
        hardness: Where.
        points: Visited hardnesses, rising.
        values: Their values; may be infinite on a reciprocal scale.
        scale: On `log` its logarithm is interpolated linearly, on `reciprocal` 1/value, on any other the value itself.
    """
    if not points[0] <= hardness <= points[-1] or np.isnan(values).any():
        return float("nan")
    if scale == "reciprocal" or not np.isfinite(values).all():
        inverses = np.where(np.isinf(values), 0.0, 1 / np.where(values == 0, 1.0, values))
        inverse = float(np.interp(hardness, points, inverses))
        return float("inf") if inverse == 0 else 1 / inverse
    if scale == "log" and (values > 0).all():
        return float(np.exp(np.interp(hardness, points, np.log(values))))
    return float(np.interp(hardness, points, values))


def thresholds(answers: Answers, chance: Mapping[str, float], axes: Sequence[Mapping[str, Any]] = ()) -> pl.DataFrame:
    """The hardness at which accuracy is halfway between clean and chance, for each model and axis.

    The curve is made non-increasing first (see `isotonic`) and read linearly between points. The 95% interval comes
    from fitting every resample anew, its clean accuracy included. A resample that never comes down to the target
    lies beyond what was covered, so that an interval can be open: `high` is then null, and so are `hardness` and
    `value` where the curve itself stays above (`reached` is false; `low` still says how far the model holds).
    A model that is no better than chance when clean has no threshold: `reached` and all that follows are null.

    Args:
        answers: The answers.
        chance: Accuracy of a guess, for each model.
        axes: The manifest's axes, for their scales.

    Returns:
        The columns of `SCHEMA`; `value_low` is the value at `low`, `value_high` the one at `high`, so that they fall
        where the knob gets harder by falling. `share_reached` is the share of resamples that reach the target.
    """
    scales = {entry["axis"]: str(entry.get("scale", "linear")) for entry in axes}
    rows = [_row(answers, c, chance[c.model], scales.get(c.axis, "linear")) for c in answers.curves]
    return pl.DataFrame(rows, schema=SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))


def _row(answers: Answers, curve: Curve, chance: float, scale: str) -> dict[str, Any]:
    clean = float(answers.accuracy[curve.columns[0]])
    target = (clean + chance) / 2
    row: dict[str, Any] = {"model": curve.model, "axis": curve.axis, "clean": clean, "chance": chance}
    row |= {"target": target, "unit": curve.unit, "covered": curve.hardness[-1], "covered_value": curve.value[-1]}
    if clean <= chance:
        return row
    heights = np.vstack([answers.accuracy[curve.columns], answers.draws[:, curve.columns]])
    goals = (heights[:, 0] + chance) / 2
    found = crossing(curve.hardness, isotonic(heights, answers.asked[curve.columns]), goals)
    draws = np.where(heights[1:, 0] > chance, found[1:], np.nan)
    low, high = (float(end[0]) for end in percentile(draws[:, None], images=int(answers.asked[curve.columns[0]])))
    low = min(low, float(curve.hardness[-1]))
    ends = {"hardness": float(found[0]), "low": low, "high": high}
    values = {
        name: value_at(h, curve.hardness, curve.value, scale) if np.isfinite(h) else float("nan")
        for name, h in zip(("value", "value_low", "value_high"), ends.values(), strict=True)
    }
    row |= {name: h if np.isfinite(h) else None for name, h in ends.items()} | values
    return row | {"reached": bool(np.isfinite(found[0])), "share_reached": float(np.isfinite(draws).mean())}
