"""Psychometric functions: accuracy that falls from a ceiling to a floor as a dose rises, and its derivatives."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from hardgen.analysis.intervals import Floats

Shape = Literal["logistic", "weibull"]

THRESHOLD, WIDTH, LAPSE, FLOOR = range(4)
"""Where the parameters stand: threshold m, natural logarithm of the width w, lapse rate, floor."""

_LOGISTIC = 2 * np.log(19.0)
_GUMBEL = np.log(-np.log(0.05)) - np.log(-np.log(0.95))
_LONG_BEFORE = -700.0
"""Stands for the logarithm of a dose of 0."""


@dataclass(frozen=True)
class Sigmoid:
    """psi(x) = floor + (1 - lapse - floor) S((x - m) / w).

    S falls from 1 to 0, is 1/2 at m and goes from 0.95 to 0.05 over the width w. `logistic` is the logistic function of
    the dose, `weibull` the Gumbel of its natural logarithm: the share that survives under Weibull's law,
    S = 2^-((dose / exp m)^k). Its m and w are logarithms, and at dose 0 it stands at its ceiling exactly.

    Attributes:
        shape: `logistic` or `weibull`.
    """

    shape: Shape

    def place(self, dose: ArrayLike) -> Floats:
        """x: the dose, or its logarithm."""
        x = np.asarray(dose, dtype=np.float64)
        if self.shape == "logistic":
            return x
        return np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), _LONG_BEFORE)

    def dose(self, x: ArrayLike) -> Floats:
        """The dose at x: the inverse of `place`."""
        found = np.asarray(x, dtype=np.float64)
        return found if self.shape == "logistic" else np.exp(np.minimum(found, 700.0))

    def survival(self, z: Floats) -> tuple[Floats, Floats]:
        """S and dS/dz, where z = (x - m) / w in units in which the slope does not depend on w."""
        if self.shape == "logistic":
            s = expit(-z)
            return s, -s * expit(z)
        rate = np.log(2.0) * np.exp(np.minimum(z, 50.0))
        s = np.exp(-rate)
        return s, -rate * s

    @property
    def stretch(self) -> float:
        """How many z are one (x - m) / w."""
        return float(_LOGISTIC if self.shape == "logistic" else _GUMBEL)

    def accuracy(self, theta: Floats, x: Floats) -> Floats:
        """psi, for curves (rows of parameters) x places."""
        s, _ = self.survival(self._z(theta, x))
        lapse, floor = theta[:, LAPSE, None], theta[:, FLOOR, None]
        return np.asarray(floor + (1 - lapse - floor) * s)

    def with_gradient(self, theta: Floats, x: Floats) -> tuple[Floats, Floats]:
        """psi, and its derivatives by the four parameters as a last dimension."""
        z = self._z(theta, x)
        s, ds = self.survival(z)
        lapse, floor = theta[:, LAPSE, None], theta[:, FLOOR, None]
        height = 1 - lapse - floor
        steep = height * ds
        gradient = np.stack([-steep * self.stretch / np.exp(theta[:, WIDTH, None]), -steep * z, -s, 1 - s], axis=-1)
        return floor + height * s, gradient

    def crossing(self, theta: Floats, target: Floats) -> Floats:
        """Where (x) psi comes down to a target, one a curve: inf if all of psi is above, -inf if all is below."""
        lapse, floor = theta[:, LAPSE], theta[:, FLOOR]
        height = np.maximum(1 - lapse - floor, 1e-12)
        share = (target - floor) / height
        inside = np.clip(share, 1e-12, 1 - 1e-12)
        z = np.log(1 / inside - 1) if self.shape == "logistic" else np.log(-np.log(inside) / np.log(2.0))
        x = theta[:, THRESHOLD] + z * np.exp(theta[:, WIDTH]) / self.stretch
        return np.where(share <= 0, np.inf, np.where(share >= 1, -np.inf, x))

    def slope(self, theta: Floats) -> Floats:
        """The derivative of psi by the dose at the threshold, negative."""
        _, ds = self.survival(np.zeros(len(theta)))
        by_x = (1 - theta[:, LAPSE] - theta[:, FLOOR]) * ds * self.stretch / np.exp(theta[:, WIDTH])
        return np.asarray(by_x if self.shape == "logistic" else by_x / np.exp(theta[:, THRESHOLD]))

    def _z(self, theta: Floats, x: Floats) -> Floats:
        return (x - theta[:, THRESHOLD, None]) * self.stretch / np.exp(theta[:, WIDTH, None])
