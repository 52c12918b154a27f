"""Intervals: Wilson's for one share, and the bootstrap that resamples source images for everything else."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

Floats: TypeAlias = NDArray[np.float64]

COVERAGE = 0.95
RESAMPLES = 2000
_CELLS = 20_000_000
"""Resample weights held at a time."""


def wilson(successes: ArrayLike, n: ArrayLike, coverage: float = COVERAGE) -> tuple[Floats, Floats]:
    """Wilson's score interval of a share (E. B. Wilson 1927, J. Am. Stat. Assoc. 22).

    Args:
        successes: Counts.
        n: Trials, of the same shape; 0 trials give 0 to 1.
        coverage: Nominal coverage.

    Returns:
        Lower and upper ends, in [0, 1].
    """
    k, total = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z = float(ndtri(0.5 + coverage / 2))
    safe = np.maximum(total, 1.0)
    share = k / safe
    centre = (share + z * z / (2 * safe)) / (1 + z * z / safe)
    half = z / (1 + z * z / safe) * np.sqrt(share * (1 - share) / safe + z * z / (4 * safe * safe))
    low = np.where(k <= 0, 0.0, np.clip(centre - half, 0.0, 1.0))
    high = np.where(k >= total, 1.0, np.clip(centre + half, 0.0, 1.0))
    return np.where(total > 0, low, 0.0), np.where(total > 0, high, 1.0)


def resampled_sums(columns: NDArray[np.float32], resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Column sums over images drawn with replacement: the bootstrap, clustered by source image.

    Row i is one source image with all its variants and models, so that resampling rows keeps every comparison paired.
    All columns meet the same draws.

    Args:
        columns: Images x columns; 0/1 entries make every sum an exact whole number, whatever order it is added in.
        resamples: How many resamples.
        seed: Seed of the draws.

    Returns:
        Resamples x columns.
    """
    n = columns.shape[0]
    sums = np.zeros((resamples, columns.shape[1]))
    rng = np.random.default_rng(seed)
    step = max(1, _CELLS // max(n, 1))
    for start in range(0, resamples if n else 0, step):
        rows = min(step, resamples - start)
        drawn = rng.integers(n, size=(rows, n)) + np.arange(rows)[:, None] * n
        weights = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float32)
        sums[start : start + rows] = weights @ columns
    return sums


def resampled_means(columns: NDArray[np.float32], resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Column means over resampled images; NaN entries are absent. Resamples x columns, NaN where nothing is left."""
    absent = np.isnan(columns)
    sums = resampled_sums(np.where(absent, np.float32(0), columns), resamples, seed)
    if absent.any():
        counts = resampled_sums((~absent).astype(np.float32), resamples, seed)
    else:
        counts = np.full_like(sums, columns.shape[0])
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def percentile(draws: Floats, coverage: float = COVERAGE, images: int | None = None) -> tuple[Floats, Floats]:
    """The percentile interval over the first dimension, NaN draws left out; infinite draws are kept as such.

    Args:
        draws: Resamples x anything.
        coverage: Nominal coverage.
        images: How many were resampled, to widen the interval by as much as that of few images is too narrow (the
            expanded percentile interval of T. C. Hesterberg 2015, Am. Stat. 69); None leaves it as it is.
    """
    if images is not None:
        few = max(images, 2)
        coverage = 2 * float(ndtr(np.sqrt(few / (few - 1)) * stdtrit(few - 1, 0.5 + coverage / 2))) - 1
    flat = draws.reshape(draws.shape[0], -1)
    ends = np.full((2, flat.shape[1]), np.nan)
    for i, column in enumerate(flat.T):
        finite = column[~np.isnan(column)]
        if finite.size:
            ends[:, i] = np.quantile(finite, [0.5 - coverage / 2, 0.5 + coverage / 2], method="inverted_cdf")
    shaped = ends.reshape(2, *draws.shape[1:])
    return shaped[0], shaped[1]


def simultaneous(estimate: Floats, draws: Floats, coverage: float = COVERAGE) -> tuple[Floats, Floats]:
    """A band that covers all points at once with the nominal probability: estimate +- q x standard error.

    q is the quantile of the largest |draw - estimate| / standard error over the points (max-t).

    Args:
        estimate: One number a point.
        draws: Resamples x points.
        coverage: Nominal coverage of the whole band.
    """
    error = np.nanstd(draws, axis=0)
    away = np.abs(draws - estimate) / np.where(error > 0, error, np.inf)
    worst = np.nanmax(away, axis=1) if estimate.size else np.zeros(1)
    half = float(np.quantile(worst, coverage)) * error
    return estimate - half, estimate + half
