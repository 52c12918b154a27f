"""Which psychometric function describes a curve, and how well."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2

from hardgen.analysis.fitting import Problem, climb, fit, likelihood
from hardgen.analysis.intervals import Floats
from hardgen.analysis.sigmoids import FLOOR, THRESHOLD, WIDTH, Shape, Sigmoid

SHAPES: tuple[Shape, ...] = ("logistic", "weibull")
PEOPLE = 10.0
"""b of the Beta(1, b) prior that psignifit puts on people's lapses. A model's "lapse" is its error when clean, often
large: its prior is flat."""
FLOOR_LEVEL = 0.01
"""The floor is left free where a likelihood-ratio test at this level says that it is not chance."""
MISFIT, MISFIT_P = 0.03, 0.01
"""A fit is poor where it is off by more than the first somewhere, and p is below the second."""


@dataclass(frozen=True)
class Fit:
    """A fitted curve.

    Attributes:
        problem: Its design.
        right: Right answers at each point.
        theta: The parameters.
        chance: Accuracy of a guess.
        rivals: The fits of the other shapes.
    """

    problem: Problem
    right: Floats
    theta: Floats
    chance: float
    rivals: tuple["Fit", ...] = ()

    @property
    def deviance(self) -> float:
        """Twice the log likelihood that the saturated model is ahead."""
        return -2 * float(likelihood(self.accuracy(self.theta[None])[0], self.right, self.problem.n))

    @property
    def free(self) -> int:
        """Number of free parameters."""
        return int((self.problem.low < self.problem.high).sum())

    @property
    def df(self) -> int:
        """Points with trials less free parameters; may be 0 or less."""
        return int((self.problem.n > 0).sum()) - self.free

    @property
    def p(self) -> float:
        """Of the deviance, by chi-square with `df` degrees: for independent trials. NaN without degrees of freedom."""
        return float(chi2.sf(self.deviance, self.df)) if self.df > 0 else float("nan")

    @property
    def r2(self) -> float:
        """Pseudo-R2: the share of a constant accuracy's deviance that the fit removes; NaN where there is none."""
        n = self.problem.n
        flat = np.full(len(n), self.right.sum() / n.sum())
        null = -2 * float(likelihood(flat, self.right, n))
        return 1 - self.deviance / null if null > 1e-9 else float("nan")

    @property
    def misfit(self) -> float:
        """The largest difference between a point and the fit."""
        asked = self.problem.n > 0
        share = self.right[asked] / self.problem.n[asked]
        return float(np.abs(share - self.accuracy(self.theta[None])[0][asked]).max())

    def accuracy(self, theta: Floats, dose: ArrayLike | None = None) -> Floats:
        """Accuracies of rows of parameters at doses; at the points unless given."""
        sigmoid = self.problem.sigmoid
        return sigmoid.accuracy(theta, self.problem.x if dose is None else sigmoid.place(dose))

    def threshold(self, theta: Floats) -> Floats:
        """The dose halfway between ceiling and floor, at least 0."""
        return np.maximum(self.problem.sigmoid.dose(theta[:, THRESHOLD]), 0.0)

    def half(self, theta: Floats) -> Floats:
        """The dose at which accuracy is halfway between that at dose 0 and chance; inf where the floor lies above.

        NaN where accuracy at dose 0 is no better than chance.
        """
        clean = self.accuracy(theta, [0.0])[:, 0]
        x = self.problem.sigmoid.crossing(theta, (clean + self.chance) / 2)
        return np.where(clean > self.chance, np.maximum(self.problem.sigmoid.dose(x), 0.0), np.nan)

    def width(self, theta: Floats) -> Floats:
        """The distance of doses over which the sigmoid goes from 0.95 to 0.05; for `weibull` their ratio."""
        w = np.exp(theta[:, WIDTH])
        return w if self.problem.sigmoid.shape == "logistic" else np.exp(w)

    def slope(self, theta: Floats) -> Floats:
        """The derivative of accuracy by the dose at the threshold, negative."""
        return self.problem.sigmoid.slope(theta)

    def again(self, shares: Floats) -> Floats:
        """Refits from here: parameters for other shares of right answers, one row a resample."""
        start = np.broadcast_to(self.theta, (len(shares), 4))
        return climb(self.problem, start, shares * self.problem.n)[0]

    def resampled_p(self, shares: Floats, thetas: Floats) -> float:
        """Of Pearson's chi-square, where images are shared between doses, so that points move together.

        The residuals of refitted resamples, less the data's own residuals, show what the residuals of a true model
        would be. p is the share of them that is at least as large as the data's own.
        """
        if self.df <= 0 or not len(shares):
            return float("nan")
        expected = self.accuracy(self.theta[None])[0]
        weight = self.problem.n / np.maximum(expected * (1 - expected), 1e-6)
        own = self.right / np.maximum(self.problem.n, 1) - expected
        others = shares - self.accuracy(thetas) - own
        larger = (weight * others**2).sum(1) >= (weight * own**2).sum()
        return float((1 + larger.sum()) / (1 + len(shares)))


def best_fits(
    dose: ArrayLike,
    right: ArrayLike,
    n: ArrayLike,
    chance: float,
    lapses: float = 1.0,
    shapes: Sequence[Shape] = SHAPES,
    free_floor: bool = True,
) -> list[Fit | None]:
    """The likelier psychometric function of each curve, by maximum a posteriori on binomial counts.

    All shapes have as many parameters. The floor is chance, unless the curve says clearly that it is another (see
    `FLOOR_LEVEL`): then it is free between 0 and the middle of the curve.

    Args:
        dose: Points, 0 or more, rising from easy to hard. NaN and infinite ones are left out.
        right: Right answers, curves x points.
        n: Trials at each point; points without any are left out.
        chance: Accuracy of a guess.
        lapses: b of the lapse rate's Beta(1, b) prior: 1 is flat, `PEOPLE` psignifit's.
        shapes: Which to try.
        free_floor: Whether the floor may be other than chance.

    Returns:
        The fits; None with fewer than three different doses, or where accuracy nowhere exceeds chance.
    """
    x, k, total = (np.asarray(v, dtype=np.float64) for v in (dose, right, n))
    kept = np.isfinite(x) & (total > 0)
    x, k, total = x[kept], k[:, kept], total[kept]
    out: list[Fit | None] = [None] * len(k)
    able = np.flatnonzero((k / np.maximum(total, 1)).max(1, initial=0.0) > chance)
    if len(np.unique(x)) < 3 or not able.size:
        return out
    k = k[able]
    share = k / total
    middles, spans = (share.min(1) + share.max(1)) / 2, share.min(1) < share.max(1)
    levels = np.full(len(k), chance)
    best = _likeliest([_fitted(Sigmoid(s), x, total, k, (levels, levels), levels, lapses, chance) for s in shapes])
    if free_floor and len(np.unique(x)) >= 5:
        zero = np.zeros(len(k))
        free = [_fitted(Sigmoid(s), x, total, k, (zero, middles), middles, lapses, chance) for s in shapes]
        clear = chi2.isf(FLOOR_LEVEL, 1)
        pairs = zip(best, _likeliest(free), spans, strict=True)
        best = [o if moves and b.deviance - o.deviance > clear else b for b, o, moves in pairs]
    for place, found in zip(able, best, strict=True):
        out[place] = found
    return out


def best_fit(
    dose: ArrayLike,
    right: ArrayLike,
    n: ArrayLike,
    chance: float,
    lapses: float = 1.0,
    shapes: Sequence[Shape] = SHAPES,
    free_floor: bool = True,
) -> Fit | None:
    """`best_fits` of one curve."""
    return best_fits(dose, np.asarray(right, dtype=np.float64)[None], n, chance, lapses, shapes, free_floor)[0]


def _likeliest(fits: Sequence[Sequence[Fit]]) -> list[Fit]:
    """Of the shapes' fits to each curve the best, which knows the others."""
    chosen = []
    for own in zip(*fits, strict=True):
        best = min(own, key=lambda found: found.deviance)
        chosen.append(dataclasses.replace(best, rivals=tuple(found for found in own if found is not best)))
    return chosen


def _fitted(
    sigmoid: Sigmoid,
    x: Floats,
    n: Floats,
    right: Floats,
    floors: tuple[Floats, Floats],
    ceilings: Floats,
    lapses: float,
    chance: float,
) -> list[Fit]:
    bounds = zip(*floors, ceilings, strict=True)
    problems = [Problem.of(sigmoid, x, n, (float(a), float(b)), float(top), lapses) for a, b, top in bounds]
    low, high = (np.stack([getattr(problem, end) for problem in problems]) for end in ("low", "high"))
    thetas = fit(problems[0], right, low, high)
    return [Fit(p, k, theta, chance) for p, k, theta in zip(problems, right, thetas, strict=True)]


def floor_is_free(found: Fit) -> bool:
    """Whether a fit's floor was estimated and not set to chance."""
    return bool(found.problem.low[FLOOR] < found.problem.high[FLOOR])
