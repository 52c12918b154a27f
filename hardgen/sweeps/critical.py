"""The critical design: how hard an image may get before a model fails on it, from a few levels of an axis.

The first failure is narrowed down by halving; what is left of the questions then looks for earlier ones, and after that
for answers that come back. Where to look is read off the margins that were found: between two levels a margin is taken
to wander like a Brownian bridge, and the next question goes where that is likeliest to have crossed zero unseen.
"""

import bisect
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.sweeps.margins import crossed, margins
from hardgen.sweeps.plan import Condition

QUESTIONS = 10
"""The most that an image is asked along an axis, the clean one among them."""
ROUGHNESS = 5000.0
"""The variance of a margin's change, in squared nats per unit of hardness, that the search goes by: more than models
have, so that wide gaps are looked into too, and not only those between small margins."""
IDLE = 1e-9
"""The chance of a crossing below which no question is worth its while."""


class Search:
    """One image, one model, one axis."""

    def __init__(self, hardness: Sequence[float], clean: float, questions: int) -> None:
        """Begins with the clean answer.

        Args:
            hardness: Of the levels, the clean one first.
            clean: The margin there.
            questions: The most levels that may be asked, the clean one among them.
        """
        self._hardness, self._left = hardness, questions - 1
        self._step = hardness[-1] / max(len(hardness) - 1, 1)
        self._asked, self._margins = [0], {0: clean}

    def next(self) -> int | None:
        """The level to ask at; None when enough is known, or no question is left."""
        last = len(self._hardness) - 1
        if self._left <= 0 or len(self._asked) > last:
            return None
        if last not in self._margins:
            return last
        gap = self._gap()
        if gap is None:
            return None
        a, b = gap
        left, right = abs(self._margins[a]), abs(self._margins[b])
        share = min(max(left / (left + right), 0.25), 0.75)
        return min(max(a + round(share * (b - a)), a + 1), b - 1)

    def tell(self, level: int, margin: float) -> None:
        """Takes the answer at a level."""
        bisect.insort(self._asked, level)
        self._margins[level] = margin
        self._left -= 1

    def _gap(self) -> tuple[int, int] | None:
        """The two levels between which to ask next."""
        asked = self._asked
        fails = next((i for i, level in enumerate(asked) if self._margins[level] < 0), len(asked))
        if 0 < fails < len(asked) and asked[fails] - asked[fails - 1] > 1:
            return asked[fails - 1], asked[fails]
        early = self._likeliest(0, fails - 1)
        came_back = any(self._margins[level] > 0 for level in asked[fails:])
        return early or (None if came_back else self._likeliest(fails, len(asked) - 1))

    def _likeliest(self, begin: int, end: int) -> tuple[int, int] | None:
        """Of the gaps between the asked levels of these places, the likeliest to hide a crossing."""
        asked = self._asked[begin : end + 1]
        if len(asked) < 2:
            return None
        hardness, margin = np.array([self._hardness[i] for i in asked]), np.array([self._margins[i] for i in asked])
        chances = crossed(margin[:-1], margin[1:], np.diff(hardness), self._step, ROUGHNESS) * (np.diff(asked) > 1)
        place = int(chances.argmax())
        return (asked[place], asked[place + 1]) if chances[place] > IDLE else None


class Searches:
    """The searches of one batch, for several models."""

    def __init__(
        self,
        ids: Sequence[str],
        cells: Sequence[Condition],
        clean: Mapping[str, Mapping[str, float]],
        questions: int,
    ) -> None:
        """Begins one for each model and image.

        Args:
            ids: Sample ids.
            cells: The conditions of an axis, by rising hardness.
            clean: Margins on the clean images, by model and sample.
            questions: The most that an image is asked, the clean one among them.
        """
        self._places, self._levels = {s: i for i, s in enumerate(ids)}, {c.id: i for i, c in enumerate(cells)}
        hardness = [0.0, *(cell.points[0].hardness for cell in cells)]
        self._searches = {m: [Search(hardness, of[s], questions) for s in ids] for m, of in clean.items()}
        self._wanted: dict[str, dict[int, int]] = {}

    def asked(self, models: Sequence[str]) -> NDArray[np.bool_]:
        """What these models are to be asked next, images x conditions."""
        found = np.zeros((len(self._places), len(self._levels)), dtype=np.bool_)
        self._wanted = {}
        for model in models:
            levels = ((place, search.next()) for place, search in enumerate(self._searches[model]))
            self._wanted[model] = {place: level - 1 for place, level in levels if level is not None}
            found[list(self._wanted[model].keys()), list(self._wanted[model].values())] = True
        return found

    def places(self, model: str, ids: Sequence[str], cells: Sequence[Condition]) -> list[int]:
        """Which of these variants are for a model."""
        wanted, pairs = self._wanted.get(model, {}), zip(ids, cells, strict=True)
        return [i for i, (s, c) in enumerate(pairs) if wanted.get(self._places[s]) == self._levels[c.id]]

    def tell(self, model: str, answers: pl.DataFrame) -> None:
        """Takes a model's answers, rows of the samples table."""
        rows = zip(answers["sample_id"], answers["condition_id"], margins(answers), strict=True)
        for sample_id, condition_id, margin in rows:
            self._searches[model][self._places[sample_id]].tell(self._levels[condition_id] + 1, float(margin))
