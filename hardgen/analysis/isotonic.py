"""Curves that never rise."""

import numpy as np
from numpy.typing import ArrayLike

from hardgen.analysis.intervals import Floats


def isotonic(heights: ArrayLike, weights: ArrayLike) -> Floats:
    """The nearest non-increasing curve in weighted least squares: what pool-adjacent-violators finds.

    By the min-max formula g_i = min over j <= i of max over k >= i of mean(j..k) (R. E. Barlow et al. 1972,
    Statistical Inference under Order Restrictions), for many curves at once.

    Args:
        heights: Curves x points.
        weights: One positive weight a point.

    Returns:
        Curves x points, non-increasing along the points.
    """
    y, w = np.asarray(heights, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    points = y.shape[1]
    sums = np.concatenate([np.zeros((len(y), 1)), np.cumsum(y * w, axis=1)], axis=1)
    total = np.concatenate([[0.0], np.cumsum(w)])
    best = np.full_like(y, np.inf)
    for j in range(points):
        means = (sums[:, j + 1 :] - sums[:, j : j + 1]) / (total[j + 1 :] - total[j])
        highest = np.maximum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
        best[:, j:] = np.minimum(best[:, j:], highest)
    return best
