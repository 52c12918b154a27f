"""Psychometric fits: threshold and slope of accuracy against dose, for every model and axis."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.analysis import bands
from hardgen.analysis.answers import Answers, Curve
from hardgen.analysis.bestfit import MISFIT, MISFIT_P, Fit, best_fits, floor_is_free
from hardgen.analysis.fitting import likelihood
from hardgen.analysis.intervals import Floats, percentile, simultaneous
from hardgen.analysis.sigmoids import FLOOR, LAPSE
from hardgen.analysis.thresholds import value_at

REFITS, LEAST = 100_000, 100
"""Resamples that all curves together are refitted to, and the fewest that each is."""

_ENDS = ("", "_low", "_high")
SCHEMA = {
    "model": pl.String,
    "axis": pl.String,
    "shape": pl.String,
    "points": pl.Int64,
    "chance": pl.Float64,
    "clean": pl.Float64,
    "lapse": pl.Float64,
    "floor": pl.Float64,
    "floor_free": pl.Boolean,
    **{f"{what}{end}": pl.Float64 for what in ("threshold", "threshold_value") for end in _ENDS},
    "threshold_reached": pl.Float64,
    **{f"{what}{end}": pl.Float64 for what in ("half", "half_value") for end in _ENDS},
    "half_reached": pl.Float64,
    "unit": pl.String,
    "covered": pl.Float64,
    **{f"{what}{end}": pl.Float64 for what in ("slope", "width") for end in _ENDS},
    "deviance": pl.Float64,
    "df": pl.Int64,
    "p": pl.Float64,
    "r2": pl.Float64,
    "misfit": pl.Float64,
    "poor": pl.Boolean,
}


@dataclass(frozen=True)
class Fitted:
    """A curve's fit with its resamples.

    Attributes:
        curve: The curve.
        fit: Its fit over hardness; None where there is none.
        chance: Accuracy of a guess.
        n: Answers at each point.
        shares: Accuracies of the resamples, resamples x points.
        thetas: Parameters refitted to them, resamples x 4.
        rivals: The same for fits of other shapes, with the resamples that are likelier by them.
    """

    curve: Curve
    fit: Fit | None
    chance: float
    n: Floats
    shares: Floats
    thetas: Floats
    rivals: tuple[tuple[Fit, Floats, NDArray[np.bool_]], ...] = ()

    def draws(self, measure: Callable[[Fit, Floats], Floats]) -> Floats:
        """A measure of each resample, by the shape that is likeliest for it: so doubt about the shape is not left out.

        Args:
            measure: From a fit, and rows of parameters, to a row of numbers for each.
        """
        if self.fit is None:
            return np.empty(0)
        found = measure(self.fit, self.thetas)
        for rival, thetas, likelier in self.rivals:
            found = np.where(likelier.reshape(-1, *[1] * (found.ndim - 1)), measure(rival, thetas), found)
        return found


def fitted(answers: Answers, chance: Mapping[str, float]) -> list[Fitted]:
    """Fits every curve over hardness, and refits it to resamples of the images: to all, or of many curves to fewer.

    Args:
        answers: The answers.
        chance: Accuracy of a guess, for each model.
    """
    resamples = min(len(answers.draws), max(LEAST, REFITS // max(len(answers.curves), 1)))
    alike: dict[tuple[object, ...], list[int]] = {}
    for i, curve in enumerate(answers.curves):
        n = _trials(answers, curve)
        if (n > 0).all():
            alike.setdefault((chance[curve.model], *curve.hardness, *n), []).append(i)
    fits: dict[int, Fit | None] = {}
    for places in alike.values():
        first = answers.curves[places[0]]
        n, level = _trials(answers, first), chance[first.model]
        right = np.stack([answers.accuracy[answers.curves[i].columns] for i in places]) * n
        fits |= dict(zip(places, best_fits(first.hardness, right, n, level), strict=True))
    out = []
    for i, curve in enumerate(answers.curves):
        n, own, level = _trials(answers, curve), answers.accuracy[curve.columns], chance[curve.model]
        shares = answers.draws[:resamples, curve.columns]
        shares = np.where(np.isnan(shares), own, shares)
        found = fits.get(i)
        if found is not None and found.accuracy(found.theta[None], [0.0])[0, 0] <= level:
            found = None
        thetas = np.empty((0, 4)) if found is None else found.again(shares)
        rivals = () if found is None else _rivals(found, thetas, shares)
        out.append(Fitted(curve, found, level, n, shares, thetas, rivals))
    return out


def _trials(answers: Answers, curve: Curve) -> Floats:
    trials: Floats = (~np.isnan(answers.right[:, curve.columns])).sum(0).astype(np.float64)
    return trials


def _rivals(found: Fit, thetas: Floats, shares: Floats) -> tuple[tuple[Fit, Floats, NDArray[np.bool_]], ...]:
    right, n = shares * found.problem.n, found.problem.n
    best, out = likelihood(found.accuracy(thetas), right, n), []
    for rival in found.rivals:
        own = rival.again(shares)
        reached = likelihood(rival.accuracy(own), right, n)
        out.append((rival, own, reached > best))
        best = np.maximum(best, reached)
    return tuple(out)


def psychometric(fits: Sequence[Fitted], axes: Sequence[Mapping[str, Any]] = ()) -> pl.DataFrame:
    """Threshold, slope and goodness of fit, a row for each model and axis.

    All 95% intervals are bootstraps over images (percentiles of refits to `Answers.draws`), as the same images are
    asked at every hardness. Each resample takes the shape that is likeliest for it, but `width`, whose meaning hangs on
    the shape, keeps that of the fit; whether the floor is free is kept too. Where a threshold lies beyond the hardest
    point visited it is null, and so is an upper end that does; `..._reached` is the share of resamples that come down
    to it. Models no better than chance and curves of fewer than three points have no fit.

    Args:
        fits: From `fitted`.
        axes: The manifest's axes, for their scales.

    Returns:
        The columns of `SCHEMA`. `threshold` is the hardness halfway between the fit's ceiling (1 - `lapse`) and its
        `floor`, `half` the one halfway between accuracy at hardness 0 (`clean`) and chance; `..._value` are the same
        in the knob's unit, each at its own end, so that they fall where the knob gets harder by falling. `slope` is
        accuracy per unit of hardness at the threshold. `width` is the hardness (for `weibull` the ratio of
        hardnesses) over which the sigmoid goes from 0.95 to 0.05. `deviance` and `df` are those of independent
        trials, but `p` comes from the images resampled (`Fit.resampled_p`). `r2` is the share of a flat line's
        deviance removed, `misfit` the largest distance of a point from the fit; `poor` says that p is below 0.01 and
        misfit above 0.03: then do not read the threshold, take the one of the table `thresholds`.
    """
    scales = {entry["axis"]: str(entry.get("scale", "linear")) for entry in axes}
    rows = [_row(one, scales.get(one.curve.axis, "linear")) for one in fits]
    return pl.DataFrame(rows, schema=SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))


def whole_curves(fits: Sequence[Fitted]) -> pl.DataFrame:
    """The points of every curve with 95% bands that hold for all of a curve's points at once.

    `band_low` and `band_high` are those of `bands.band`; `fitted_low` and `fitted_high` the max-t band of the fitted
    curve, which is null, as `fitted`, where there is no fit.
    """
    tables = [pl.DataFrame(schema=bands.SCHEMA)]
    for one in fits:
        curve, own = one.curve, None
        accuracy = one.fit.right / one.fit.problem.n if one.fit else None
        if accuracy is None:
            accuracy = one.shares.mean(0)
        low, high = bands.band(accuracy, one.n, one.shares)
        line: dict[str, Any] = {"fitted": None, "fitted_low": None, "fitted_high": None}
        if one.fit:
            own = one.fit.accuracy(one.fit.theta[None])[0]
            ends = simultaneous(own, one.draws(lambda fit, theta: fit.accuracy(theta)))
            line = {"fitted": own, "fitted_low": np.clip(ends[0], 0, 1), "fitted_high": np.clip(ends[1], 0, 1)}
        columns = {"hardness": curve.hardness, "value": curve.value, "accuracy": accuracy}
        table = pl.DataFrame(columns | {"band_low": low, "band_high": high}).with_columns(
            pl.lit(curve.model).alias("model"),
            pl.lit(curve.axis).alias("axis"),
            *(pl.lit(None, pl.Float64).alias(k) if v is None else pl.Series(k, v) for k, v in line.items()),
        )
        tables.append(table.select([pl.col(name).cast(kind) for name, kind in bands.SCHEMA.items()]))
    return pl.concat(tables).with_columns(pl.col("value").fill_nan(None))


def _row(one: Fitted, scale: str) -> dict[str, Any]:
    curve, fit = one.curve, one.fit
    covered = float(curve.hardness[-1])
    row: dict[str, Any] = {"model": curve.model, "axis": curve.axis, "points": len(curve.columns)}
    row |= {"chance": one.chance, "unit": curve.unit, "covered": covered}
    if fit is None:
        return row
    row |= {"shape": fit.problem.sigmoid.shape, "clean": float(fit.accuracy(fit.theta[None], [0.0])[0, 0])}
    row |= {"lapse": fit.theta[LAPSE], "floor": fit.theta[FLOOR], "floor_free": floor_is_free(fit)}
    for name, measure in (("threshold", Fit.threshold), ("half", Fit.half)):
        places = np.append(measure(fit, fit.theta[None]), one.draws(measure))
        places = np.where(places > covered, np.inf, places)
        ends = _ends(places)
        row |= {f"{name}{end}": h if np.isfinite(h) else None for end, h in zip(_ENDS, ends, strict=True)}
        if np.isposinf(ends[1]):
            row[f"{name}_low"] = ends[1] = covered
        row |= {
            f"{name}_value{end}": value_at(h, curve.hardness, curve.value, scale) if np.isfinite(h) else None
            for end, h in zip(_ENDS, ends, strict=True)
        }
        row[f"{name}_reached"] = float(np.isfinite(places[1:]).mean())
    slopes = np.append(Fit.slope(fit, fit.theta[None]), one.draws(Fit.slope))
    for name, places in (("slope", slopes), ("width", fit.width(np.vstack([fit.theta, one.thetas])))):
        row |= {f"{name}{end}": value for end, value in zip(_ENDS, _ends(places), strict=True)}
    p = fit.resampled_p(one.shares, one.thetas)
    row |= {"deviance": fit.deviance, "df": fit.df, "p": p, "r2": fit.r2, "misfit": fit.misfit}
    return row | {"poor": bool(p < MISFIT_P and fit.misfit > MISFIT)}


def _ends(places: Floats) -> list[float]:
    """The estimate, which comes first, and its 95% percentile interval."""
    low, high = percentile(places[1:, None])
    return [float(places[0]), float(low[0]), float(high[0])]
