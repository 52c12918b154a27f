"""Knobs: the one place where a dial of hardness is declared.

Range, direction, the value at a hardness, the error text, the documentation table, a sweep's axis and the bad-value
tests all derive from a `Knob`.
"""

import dataclasses
import enum
import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from hardgen.errors import HardgenError, shown


class Scale(enum.Enum):
    """How a knob's value moves with hardness h, from neutral n to hardest m."""

    LINEAR = "linear"
    """n + (m - n) h."""
    LOG = "log"
    """n (m / n)^h: equal steps of hardness are equal ratios of the value."""
    QUADRATIC = "quadratic"
    """m + (n - m) (1 - h)^2: steps shrink towards the hardest value."""
    RECIPROCAL = "reciprocal"
    """m / h: for a spacing, infinitely far at neutral."""


@dataclass(frozen=True)
class Knob:
    """A physical quantity that a perturbation turns.

    Attributes:
        neutral: The value at which the image comes back bit for bit.
        hardest: The value at hardness 1.
        unit: The unit, as it reads after a number ("of the short side").
        doc: What the quantity is, in one sentence.
        scale: How the value moves between the two.
        integer: Whether only whole values exist; hardness then moves in steps.
    """

    neutral: float
    hardest: float
    unit: str
    doc: str
    scale: Scale = Scale.LINEAR
    integer: bool = False

    def at(self, hardness: float) -> float:
        """The value at a hardness in [0, 1].

        Raises:
            HardgenError: if the hardness lies outside [0, 1].
        """
        hardness = number_in(hardness, 0.0, 1.0, "hardness", "in [0, 1]")
        if hardness == 0.0:
            value = self.neutral
        elif hardness == 1.0:
            value = self.hardest
        elif self.scale is Scale.LINEAR:
            value = self.neutral + (self.hardest - self.neutral) * hardness
        elif self.scale is Scale.LOG:
            value = self.neutral * (self.hardest / self.neutral) ** hardness
        elif self.scale is Scale.QUADRATIC:
            value = self.hardest + (self.neutral - self.hardest) * (1 - hardness) ** 2
        else:
            value = self.hardest / hardness
        return round(value) if self.integer else value

    def hardness(self, value: float) -> float:
        """The hardness of a value within the knob's range: the inverse of `at`."""
        if value == self.neutral:
            return 0.0
        if self.scale is Scale.LINEAR:
            return (value - self.neutral) / (self.hardest - self.neutral)
        if self.scale is Scale.LOG:
            return math.log(value / self.neutral) / math.log(self.hardest / self.neutral)
        if self.scale is Scale.QUADRATIC:
            return 1 - math.sqrt((value - self.hardest) / (self.neutral - self.hardest))
        return self.hardest / value

    @property
    def low(self) -> float:
        """The least value allowed."""
        return min(self.neutral, self.hardest)

    @property
    def high(self) -> float:
        """The greatest value allowed."""
        return max(self.neutral, self.hardest)

    def check(self, owner: str, name: str, value: object) -> None:
        """Raises a HardgenError that names `owner.name` unless the value lies in the knob's range."""
        allowed = f"{'a whole number ' if self.integer else ''}in [{self.low:g}, {self.high:g}] {self.unit}"
        number_in(value, self.low, self.high, f"{owner}.{name}", allowed, self.integer)


def knob(
    neutral: float,
    hardest: float,
    unit: str,
    doc: str,
    scale: Scale = Scale.LINEAR,
    default: float | None = None,
) -> Any:
    """Declares a dataclass field as a knob.

    A knob whose neutral and hardest values are both ints takes whole numbers only.

    Args:
        neutral: The value at which this knob alone makes the perturbation leave the image as it is.
        hardest: The value at hardness 1.
        unit: Unit, as it reads after a number.
        doc: One sentence.
        scale: How the value moves with hardness.
        default: The value where nobody turns the knob: `neutral` unless stated (for a second knob of a perturbation).
    """
    integer = isinstance(neutral, int) and isinstance(hardest, int)
    spec = Knob(neutral, hardest, unit, doc, scale, integer)
    return dataclasses.field(default=neutral if default is None else default, metadata={"knob": spec})


@dataclass(frozen=True)
class Setting:
    """A number that a perturbation is built with and that hardness does not turn: its range and meaning."""

    low: float
    high: float
    unit: str
    doc: str

    def check(self, owner: str, name: str, value: object) -> None:
        """Raises a HardgenError that names `owner.name` unless the value is None or a number in range."""
        if value is not None:
            allowed = f"in [{self.low:g}, {self.high:g}] {self.unit}"
            number_in(value, self.low, self.high, f"{owner}.{name}", allowed)


def setting(default: float | None, low: float, high: float, unit: str, doc: str) -> Any:
    """Declares a dataclass field as a fixed number with a range (None, where allowed, means drawn for each image)."""
    return dataclasses.field(default=default, metadata={"setting": Setting(low, high, unit, doc)})


def knobs_of(cls: type) -> dict[str, Knob]:
    """The knobs that a dataclass declares, by field name, in order."""
    return {f.name: f.metadata["knob"] for f in dataclasses.fields(cls) if "knob" in f.metadata}


def number_in(value: object, low: float, high: float, where: str, allowed: str, whole: bool = False) -> float:
    """The value as a float.

    Raises:
        HardgenError: that `where` must be `allowed`, unless the value is a number (no truth value) in [low, high], and
            whole if that is asked for.
    """
    try:
        number = float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.nan
    if not low <= number <= high or (whole and not number.is_integer()):
        got = shown(value.item() if isinstance(value, np.generic) else value)
        raise HardgenError(f"{where} must be {allowed}; got {got}")
    return number
