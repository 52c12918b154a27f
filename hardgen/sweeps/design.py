"""Which images are asked where on an axis: all of them everywhere, or each at a few levels of its own."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hardgen.errors import HardgenError, choice
from hardgen.files import digest

QUESTIONS = {"full": 0.0, "levels": 5.25, "critical": 10.0}
"""Levels of an axis that an image is asked at. With the clean image and four axes the level design's come to 5.5."""


class Kind(enum.Enum):
    """How the levels of an axis are shared out."""

    full = "full"
    """Every image at every level."""
    levels = "levels"
    """Each image at a few levels, one in each stratum of the axis: the same curve from fewer questions."""
    critical = "critical"
    """Each image where a search for its first failure leads: no curve, but the critical hardness of every image."""


@dataclass(frozen=True)
class Design:
    """Who is asked where.

    Attributes:
        kind: How the levels of an axis are shared out.
        questions: How many levels of an axis an image is asked at, at least 2; all of them under `full`. Under `levels`
            on average, the clean one not counted; under `critical` at most, the clean one among them.
    """

    kind: Kind = Kind.full
    questions: float = 0.0

    def __post_init__(self) -> None:
        """Checks the number."""
        if self.kind is not Kind.full and not 2 <= self.questions < float("inf"):
            raise HardgenError(f"questions must be at least 2; got {self.questions:g}")

    @classmethod
    def parse(cls, kind: str, questions: float | None = None) -> Self:
        """The design of that name.

        Raises:
            HardgenError: for an unknown name, or fewer than 2 questions.
        """
        chosen = choice(Kind, kind, "design")
        return cls(chosen, QUESTIONS[kind] if questions is None or chosen is Kind.full else questions)

    @property
    def stops(self) -> int:
        """How many an axis has if none are asked for, the neutral one among them."""
        return 11 if self.kind is Kind.full else 33

    @property
    def key(self) -> tuple[str, ...]:
        """What the answers depend on besides images, conditions and seed."""
        return () if self.kind is Kind.full else (self.kind.name, repr(float(self.questions)))

    def asked(self, ids: Sequence[str], line: str, levels: int, seed: int) -> NDArray[np.bool_]:
        """Which images the level design asks at which levels of an axis.

        Args:
            ids: Sample ids.
            line: The axis, or the axes that move together.
            levels: How many levels it has, the clean one not counted.
            seed: The run's seed.

        Returns:
            Images x levels.
        """
        found = np.zeros((len(ids), levels), dtype=np.bool_)
        for row, sample_id in zip(found, ids, strict=True):
            row[visited(levels, self.questions, start(seed, line, sample_id))] = True
        return found


FULL = Design()
"""Every image at every level."""


def start(seed: int, line: str, sample_id: str) -> float:
    """An image's own start on an axis: uniform in [0, 1), a multiple of 1/65536."""
    return int(digest("levels", str(seed), line, sample_id)[:4], 16) / 16**4


def visited(levels: int, questions: float, begin: float) -> NDArray[np.int64]:
    """The levels that an image is asked at, counted from 0: a fixed step apart, from a start of its own.

    Systematic sampling with a random start (W. G. Cochran 1977, Sampling Techniques, ch. 8): there is one level in each
    stratum, and every level is as likely as every other.

    Args:
        levels: Of the axis, the clean one not counted.
        questions: How many an image is asked at on average; more than there are asks at all.
        begin: In [0, 1).
    """
    step = max(levels / questions, 1.0)
    count = int(np.ceil(levels / step - begin))
    places: NDArray[np.int64] = np.floor(np.round((begin + np.arange(count)) * step, 9)).astype(np.int64)
    return places[places < levels]
