"""The level design beside the full grid, on a run's own answers.

A run with `design=full` holds every answer, so that what `design=levels` would have asked with any seed, and what would
have come of it, is read out of it: the same pixels, the same answers.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.analysis.answers import Answers
from hardgen.analysis.intervals import Floats
from hardgen.analysis.isotonic import isotonic
from hardgen.analysis.levels import Reading
from hardgen.analysis.points import points
from hardgen.analysis.thresholds import crossing
from hardgen.progress import progress
from hardgen.sweeps.design import Design
from hardgen.sweeps.results import Run

LEVELS = Design.parse("levels")


def masked(right: NDArray[np.float32], ids: list[str], axis: str, seed: int) -> NDArray[np.float32]:
    """The answers that the level design would have asked for."""
    asked = LEVELS.asked(ids, axis, right.shape[1] - 1, seed)
    return np.where(np.pad(asked, [(0, 0), (1, 0)], constant_values=True), right, np.float32(np.nan))


def fitted(right: NDArray[np.float32]) -> Floats:
    """The curve."""
    reading = Reading.of(right)
    return reading.curves(reading.columns.sum(0, dtype=np.float64)[None])[0]


def middle(curve: Floats, chance: float) -> float:
    """The threshold, in hardness from 0 to 1 of equally spaced levels."""
    hardness = np.linspace(0, 1, len(curve))
    return float(crossing(hardness, isotonic(curve[None], np.ones(len(curve))), [(curve[0] + chance) / 2])[0])


def against_full(path: str, seeds: int) -> pl.DataFrame:
    """For every model and axis of a full run: the errors of the level design over seeds."""
    run = Run.open(path)
    answers = Answers.of(run.samples(), points(run.conditions, run.axes), 2)
    ids = run.samples()["sample_id"].unique().sort().to_list()
    rows = []
    with progress("levels", len(answers.curves) * seeds, "designs") as advance:
        for curve in answers.curves:
            right, chance = answers.right[:, curve.columns], run.chance(curve.model)
            truth, asked, errors, shifts = right.mean(0), [], [], []
            for seed in range(seeds):
                few = masked(right, ids, curve.axis, seed)
                found = fitted(few)
                asked.append((~np.isnan(few)).sum() / len(few))
                errors.append(found - truth)
                shifts.append(middle(found, chance) - middle(truth, chance))
                advance(1)
            error, areas = np.array(errors), np.trapezoid(errors, axis=1) / (len(truth) - 1)
            axes = len(run.axes)
            rows.append(
                {
                    "model": curve.model,
                    "axis": curve.axis,
                    "questions": float(np.mean(asked)) - 1 + 1 / axes,
                    "curve_rmse": float(np.sqrt((error**2).mean())),
                    "curve_bias": float(error.mean()),
                    "area_rmse": float(np.sqrt((areas**2).mean())),
                    "area_bias": float(areas.mean()),
                    "threshold_rmse": float(np.sqrt(np.mean(np.square(shifts)))),
                    "threshold_bias": float(np.mean(shifts)),
                }
            )
    return pl.DataFrame(rows)
