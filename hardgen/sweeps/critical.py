"""The critical design: how hard an image may get before a model fails on it, from a few levels of an axis.

The first failure is narrowed down by halving; what is left of the questions then looks for earlier ones, and after that
for answers that come back. Where to look is read off the margins that were found: between two levels a margin is taken
to wander like a Brownian bridge, and the next question goes where that is likeliest to have crossed zero unseen.
"""

import bisect
import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.sweeps.plan import Condition

QUESTIONS = 10
"""The most that an image is asked along an axis, the clean one among them."""
ROUGHNESS = 320.0
"""The variance of a margin's change, in squared nats per unit of hardness, that the search goes by."""
IDLE = 1e-9
"""The chance of a crossing below which no question is worth its while."""
GRID = 0.5826
"""How far, in standard deviations of one step, a path that is seen at steps only seems from its edge (M. Broadie,
P. Glasserman, S. Kou 1997, Math. Finance 7)."""
MOST = 16.0
"""The largest margin told apart from others, in nats: single precision holds no larger one."""


def margins(answers: pl.DataFrame) -> NDArray[np.float64]:
    """How far each answer is from turning, in nats: positive where right, negative where wrong.

    Where right it is the log-odds of the label; where wrong the label's log-probability less that of the prediction.

    Args:
        answers: Rows of the samples table.
    """
    loss, right = answers["loss"].cast(pl.Float64).to_numpy(), answers["correct"].to_numpy()
    best = np.log(np.maximum(answers["confidence"].cast(pl.Float64).to_numpy(), 1e-30))
    held = -np.log(np.expm1(np.clip(loss, math.exp(-MOST), 50.0)))
    found: NDArray[np.float64] = np.where(right, np.clip(held, 1e-6, MOST), np.clip(-loss - best, -MOST, -1e-6))
    return found


def crossed(left: float, right: float, gap: float, step: float, roughness: float) -> float:
    """How likely a margin of one sign at two levels has the other one somewhere between them.

    Args:
        left: The margin at the one level.
        right: The margin at the other.
        gap: The hardness between them.
        step: The hardness between neighbouring levels.
        roughness: The variance of its change, per unit of hardness.
    """
    if gap < 1.5 * step:
        return 0.0
    margin = GRID * math.sqrt(roughness * step)
    return math.exp(-2 * (abs(left) + margin) * (abs(right) + margin) / (roughness * gap))


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
        chances = []
        for i in range(begin, end):
            a, b = self._asked[i], self._asked[i + 1]
            gap = self._hardness[b] - self._hardness[a]
            chance = crossed(self._margins[a], self._margins[b], gap, self._step, ROUGHNESS)
            if b - a > 1 and chance > IDLE:
                chances.append((chance, (a, b)))
        return max(chances)[1] if chances else None


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
