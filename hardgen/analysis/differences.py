"""Paired differences: what a knob costs a model, and where two models part."""

import itertools
from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom

from hardgen.analysis.answers import Answers, Curve
from hardgen.analysis.intervals import Floats, percentile, resampled_means, simultaneous

_TAIL = {
    "axis": pl.String,
    "hardness": pl.Float64,
    "value": pl.Float64,
    "unit": pl.String,
    "n": pl.Int64,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "band_low": pl.Float64,
    "band_high": pl.Float64,
    "lost": pl.Int64,
    "gained": pl.Int64,
    "z": pl.Float64,
    "p": pl.Float64,
}
FROM_CLEAN = {"model": pl.String} | _TAIL
BETWEEN_MODELS = {"model_a": pl.String, "model_b": pl.String} | _TAIL


def mcnemar(lost: ArrayLike, gained: ArrayLike) -> tuple[Floats, Floats]:
    """McNemar's test on images that changed sides (Q. McNemar 1947, Psychometrika 12).

    Args:
        lost: Images right before and wrong after.
        gained: Images wrong before and right after.

    Returns:
        z = (gained - lost) / sqrt(gained + lost), 0 where nothing changed; and the exact two-sided binomial p.
    """
    n01, n10 = np.asarray(lost, dtype=np.float64), np.asarray(gained, dtype=np.float64)
    total = n01 + n10
    z = (n10 - n01) / np.sqrt(np.maximum(total, 1.0))
    p = np.minimum(1.0, 2 * binom.cdf(np.minimum(n01, n10), total, 0.5))
    return z, p


def from_clean(answers: Answers) -> pl.DataFrame:
    """For each model and point beyond clean: accuracy there less accuracy when clean, on the same images.

    `low` and `high` are the 95% paired bootstrap interval of the point, `band_low` and `band_high` hold for all
    points of the axis at once. `lost` images were right when clean and are wrong here; `gained` the other way round.
    """
    rows: list[pl.DataFrame] = []
    for curve in answers.curves:
        at = np.arange(1, len(curve.columns))
        before = np.full(len(at), curve.columns[0])
        rows.append(_paired(answers, curve, at, before, {"model": curve.model}))
    return pl.concat([pl.DataFrame(schema=FROM_CLEAN), *rows])


def between_models(answers: Answers, pairs: Iterable[tuple[str, str]] | None = None) -> pl.DataFrame:
    """For pairs of models and each point that both were asked: accuracy of `model_a` less that of `model_b`.

    Columns as in `from_clean`; `lost` images are right for b alone, `gained` for a alone.

    Args:
        answers: The answers.
        pairs: Which models to compare: only such as saw the same images. All pairs unless given.
    """
    models = list(dict.fromkeys(curve.model for curve in answers.curves))
    axes = list(dict.fromkeys(curve.axis for curve in answers.curves))
    rows: list[pl.DataFrame] = []
    for (a, b), axis in itertools.product(pairs if pairs is not None else itertools.combinations(models, 2), axes):
        left, right = answers.curve(a, axis), answers.curve(b, axis)
        if left is None or right is None:
            continue
        _, i, j = np.intersect1d(left.hardness, right.hardness, return_indices=True)
        rows.append(_paired(answers, left, i, right.columns[j], {"model_a": a, "model_b": b}))
    return pl.concat([pl.DataFrame(schema=BETWEEN_MODELS), *rows])


def _paired(
    answers: Answers, curve: Curve, at: NDArray[np.int64], before: NDArray[np.int64], names: dict[str, str]
) -> pl.DataFrame:
    """Differences between a curve's points and other columns of answers; only images asked in both count."""
    after = curve.columns[at]
    x, y = answers.right[:, after], answers.right[:, before]
    both = ~(np.isnan(x) | np.isnan(y))
    n = both.sum(0)
    lost, gained = ((y > x) & both).sum(0), ((x > y) & both).sum(0)
    difference = (gained - lost) / np.maximum(n, 1)
    if answers.few:
        difference = answers.accuracy[after] - answers.accuracy[before]
    if answers.few or both.all():
        draws = answers.draws[:, after] - answers.draws[:, before]
    else:
        draws = resampled_means(x - y, len(answers.draws), answers.seed)
    low, high = percentile(draws)
    band_low, band_high = simultaneous(difference, draws)
    z, p = mcnemar(lost, gained)
    count = len(n)
    schema = FROM_CLEAN if "model" in names else BETWEEN_MODELS
    return pl.DataFrame(
        {name: [value] * count for name, value in names.items()}
        | {
            "axis": [curve.axis] * count,
            "hardness": curve.hardness[at],
            "value": curve.value[at],
            "unit": [curve.unit] * count,
            "n": n,
            "difference": difference,
            "low": low,
            "high": high,
            "band_low": band_low,
            "band_high": band_high,
            "lost": lost,
            "gained": gained,
            "z": z,
            "p": p,
        },
        schema=schema,
    ).with_columns(pl.col("value").fill_nan(None))
