"""Fitting psychometric functions to counts: many curves at once, by Fisher scoring within bounds."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hardgen.analysis.intervals import Floats
from hardgen.analysis.sigmoids import FLOOR, LAPSE, THRESHOLD, WIDTH, Sigmoid

_EDGE = 1e-6
_TINY = 1e-12
_ROUNDS = 80
STARTS = 3
"""Of the grid, from which a maximum is climbed to."""


@dataclass(frozen=True)
class Problem:
    """A curve's design and what is believed of its parameters beforehand.

    The priors are those of psignifit (H. H. Schuett et al. 2016, Vision Research 122): threshold flat over the visited
    range R, with a cosine fall to 0 within half of R on either side; width flat from twice the least step between
    points to R, with cosine falls to 0 at that step and at 3 R; lapse Beta(1, b).

    Attributes:
        sigmoid: The function.
        x: Places of the points.
        n: Trials at each.
        low: Least parameters.
        high: Greatest parameters; the floor is fixed where the two agree.
        visited: The finite range of x.
        step: The least step between points.
        lapses: b of the lapse rate's prior; 1 is flat.
    """

    sigmoid: Sigmoid
    x: Floats
    n: Floats
    low: Floats
    high: Floats
    visited: tuple[float, float]
    step: float
    lapses: float

    @classmethod
    def of(
        cls, sigmoid: Sigmoid, dose: ArrayLike, n: ArrayLike, floor: tuple[float, float], ceiling: float, lapses: float
    ) -> Self:
        """A problem for doses.

        Args:
            sigmoid: The function.
            dose: At least two different ones that it can place (`weibull` cannot place 0).
            n: Trials at each.
            floor: Least and greatest floor.
            ceiling: The least that the ceiling, 1 - lapse, may be.
            lapses: b of the lapse rate's prior.
        """
        doses = np.asarray(dose, dtype=np.float64)
        x = sigmoid.place(doses)
        places = np.unique(x[doses > 0] if sigmoid.shape == "weibull" else x)
        first, last = float(places[0]), float(places[-1])
        spread, step = last - first, float(np.diff(places).min())
        widths = np.log([step, 3 * spread])
        low = np.array([first - spread / 2 * (1 - _EDGE), widths[0] + _EDGE, 0.0, floor[0]])
        high = np.array([last + spread / 2 * (1 - _EDGE), widths[1] - _EDGE, 1 - ceiling, floor[1]])
        return cls(sigmoid, x, np.asarray(n, dtype=np.float64), low, high, (first, last), step, lapses)

    def objective(self, theta: Floats, right: Floats) -> Floats:
        """Log likelihood, less the saturated model's, plus log prior; one a curve."""
        return likelihood(self.sigmoid.accuracy(theta, self.x), right, self.n) + self._prior(theta)[0]

    def _prior(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """The log prior, its gradient, and its curvature with the sign turned round where that is positive."""
        gradient, bend = np.zeros_like(theta), np.zeros_like(theta)
        m, w, lapse = theta[:, THRESHOLD], np.exp(theta[:, WIDTH]), theta[:, LAPSE]
        first, last = self.visited
        spread = last - first
        outside = np.where(m < first, m - first, np.where(m > last, m - last, 0.0))
        value, gradient[:, THRESHOLD], bend[:, THRESHOLD] = _fall(outside, spread / 2)
        narrow, wide = np.minimum(w - 2 * self.step, 0.0), np.maximum(w - spread, 0.0)
        wide = np.where(narrow < 0, 0.0, wide)
        for beyond, reach in ((narrow, self.step), (wide, 2 * spread)):
            v, g, b = _fall(beyond, reach)
            value = value + v
            gradient[:, WIDTH] += g * w
            bend[:, WIDTH] += np.maximum(b * w * w - g * w, 0.0)
        value = value + (self.lapses - 1) * np.log1p(-lapse)
        gradient[:, LAPSE] = -(self.lapses - 1) / (1 - lapse)
        bend[:, LAPSE] = (self.lapses - 1) / (1 - lapse) ** 2
        return value, gradient, bend

    def newton(self, theta: Floats, right: Floats) -> tuple[Floats, Floats]:
        """Gradient of the objective, and its expected information."""
        psi, by = self.sigmoid.with_gradient(theta, self.x)
        psi = np.clip(psi, _TINY, 1 - _TINY)
        spread = psi * (1 - psi)
        _, gradient, bend = self._prior(theta)
        gradient = gradient + np.einsum("bk,bkp->bp", (right - self.n * psi) / spread, by)
        information = np.einsum("bkp,bkq->bpq", by * (self.n / spread)[..., None], by)
        information[:, range(4), range(4)] += bend
        return gradient, information


def _fall(beyond: Floats, reach: float) -> tuple[Floats, Floats, Floats]:
    """The log of a cosine fall from 1 at 0 to 0 at +-reach, its derivative, and less its second derivative."""
    angle = np.clip(beyond / reach, -1 + _EDGE, 1 - _EDGE) * np.pi / 2
    rate = np.pi / reach
    return (
        2 * np.log(np.cos(angle)),
        -rate * np.tan(angle),
        np.where(beyond != 0, rate**2 / 2 / np.cos(angle) ** 2, 0.0),
    )


def likelihood(psi: Floats, right: Floats, n: Floats) -> Floats:
    """Binomial log likelihood less that of the saturated model: minus half the deviance. Sums over points."""
    psi = np.clip(psi, _TINY, 1 - _TINY)
    wrong = n - right
    share = np.divide(right, n, out=np.zeros_like(psi), where=n > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(right > 0, right * np.log(psi / share), 0.0)
        down = np.where(wrong > 0, wrong * np.log((1 - psi) / (1 - share)), 0.0)
    return np.asarray((up + down).sum(-1))


def climb(
    problem: Problem, start: Floats, right: Floats, low: Floats | None = None, high: Floats | None = None
) -> tuple[Floats, Floats]:
    """The nearest maximum of the objective, for many curves at once.

    Fisher scoring with Levenberg's damping; parameters at a bound that the gradient points out of are held there.

    Args:
        problem: The curve's design.
        start: Curves x 4.
        right: Curves x points.
        low: Least parameters, curves x 4; the problem's unless given.
        high: Greatest ones.

    Returns:
        Parameters, and the objective there.
    """
    low = np.broadcast_to(problem.low if low is None else low, start.shape)
    high = np.broadcast_to(problem.high if high is None else high, start.shape)
    theta = np.clip(start, low, high)
    value = problem.objective(theta, right)
    damping = np.full(len(theta), 1e-3)
    todo = np.arange(len(theta))
    for _ in range(_ROUNDS):
        if not todo.size:
            break
        now, lo, hi = theta[todo], low[todo], high[todo]
        gradient, information = problem.newton(now, right[todo])
        held = ((now <= lo) & (gradient <= 0)) | ((now >= hi) & (gradient >= 0)) | (lo == hi)
        step = _step(gradient, information, held, damping[todo])
        there = np.clip(now + step, lo, hi)
        reached = problem.objective(there, right[todo])
        gain = reached - value[todo]
        better = gain >= 0
        theta[todo[better]] = there[better]
        value[todo[better]] = reached[better]
        expected = np.where(held, 0.0, gradient * step).sum(1)
        damping[todo] = np.where(better, damping[todo] / 10, damping[todo] * 10)
        done = (expected < 1e-8) | (better & (gain < 1e-9)) | (damping[todo] > 1e10)
        todo = todo[~done]
    return theta, value


def _step(gradient: Floats, information: Floats, held: NDArray[np.bool_], damping: Floats) -> Floats:
    free = ~held
    matrix = information * (free[:, :, None] & free[:, None, :])
    diagonal = matrix[:, range(4), range(4)]
    matrix[:, range(4), range(4)] = np.where(held, 1.0, diagonal * (1 + damping[:, None]) + 1e-10)
    return np.asarray(np.linalg.solve(matrix, np.where(held, 0.0, gradient)[..., None])[..., 0])


def fit(problem: Problem, right: Floats, low: Floats, high: Floats) -> Floats:
    """The greatest maximum for each of many curves, from the best of a grid of starts.

    Args:
        problem: The design that they share.
        right: Right answers, curves x points.
        low: Least parameters, curves x 4.
        high: Greatest ones.

    Returns:
        Parameters, curves x 4.
    """
    first, last = problem.visited
    share = right / np.maximum(problem.n, 1)
    m, w = np.meshgrid(
        np.linspace(first - 0.2 * (last - first), last + 0.2 * (last - first), 15),
        np.linspace(problem.low[WIDTH] + 0.1, problem.high[WIDTH] - 0.1, 7),
    )
    curves, grid = len(right), m.size
    starts = np.empty((curves, grid, 4))
    starts[:, :, THRESHOLD], starts[:, :, WIDTH] = m.ravel(), w.ravel()
    starts[:, :, LAPSE] = np.clip(1 - share.max(1), low[:, LAPSE] + 1e-3, high[:, LAPSE])[:, None]
    starts[:, :, FLOOR] = np.clip(share.min(1), low[:, FLOOR], high[:, FLOOR])[:, None]
    values = problem.objective(starts.reshape(-1, 4), np.repeat(right, grid, axis=0)).reshape(curves, grid)
    order = np.argsort(values, axis=1, kind="stable")[:, ::-1][:, :STARTS]
    best = np.take_along_axis(starts, order[:, :, None], axis=1).reshape(-1, 4)
    again = (np.repeat(bounds, STARTS, axis=0) for bounds in (right, low, high))
    theta, reached = climb(problem, best, *again)
    place = reached.reshape(curves, STARTS).argmax(1)
    chosen: Floats = theta.reshape(curves, STARTS, 4)[np.arange(curves), place]
    return chosen
