"""Bands that hold for a whole curve at once."""

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from hardgen.analysis.intervals import COVERAGE, Floats, wilson


def band(accuracy: ArrayLike, n: ArrayLike, draws: Floats, coverage: float = COVERAGE) -> tuple[Floats, Floats]:
    """A band that covers the accuracies of all points at once with the nominal probability.

    Wilson's interval, with the max-t quantile in place of 1.96: the quantile of the largest distance, in standard
    errors, that a resample over images goes from the estimate anywhere on the curve. So points that move together,
    as they share their images, do not widen it as they would in Bonferroni's. Points where nobody or everybody was
    right have no standard error; each counts as one more independent test.

    Args:
        accuracy: One a point.
        n: Answers at each.
        draws: Resamples x points, resampled over images.
        coverage: Nominal coverage of the whole band.
    """
    share, total = np.asarray(accuracy, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z = max_t(share, draws, coverage)
    return wilson(share * total, total, 2 * float(ndtr(z)) - 1)


def max_t(estimate: Floats, draws: Floats, coverage: float = COVERAGE) -> float:
    """The quantile of the largest |draw - estimate| / standard error over the points; at least a single normal's."""
    error = np.nanstd(draws, axis=0)
    moving = error > 0
    still = int((~moving).sum())
    worst = np.nanmax(np.abs(draws - estimate)[:, moving] / error[moving], axis=1) if moving.any() else np.zeros(1)
    level = coverage ** (1 / (1 + still)) if moving.any() else coverage ** (1 / max(still, 1))
    return max(float(np.quantile(worst, level)), float(ndtri(0.5 + level / 2)))


SCHEMA = {
    "model": pl.String,
    "axis": pl.String,
    "hardness": pl.Float64,
    "value": pl.Float64,
    "accuracy": pl.Float64,
    "band_low": pl.Float64,
    "band_high": pl.Float64,
    "fitted": pl.Float64,
    "fitted_low": pl.Float64,
    "fitted_high": pl.Float64,
}
