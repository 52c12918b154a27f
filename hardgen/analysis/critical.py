"""How hard each image may get before a model fails on it, from searches along an axis (see `sweeps.critical`)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.analysis.intervals import Floats, wilson
from hardgen.sweeps.margins import crossed, margins

SURE = 0.1
"""The chance of an earlier failure up to which a first failure counts as sure."""
MEDIAN = 0.4549
"""The median of the square of a standard normal number."""

IMAGES = {
    "model": pl.String,
    "axis": pl.String,
    "sample_id": pl.String,
    "questions": pl.Int64,
    "first_fail": pl.Float64,
    "last_pass": pl.Float64,
    "nonmonotone": pl.Boolean,
    "earlier": pl.Float64,
    "sure": pl.Boolean,
}
SEARCHED = {
    "model": pl.String,
    "axis": pl.String,
    "n": pl.Int64,
    "questions": pl.Float64,
    "sure": pl.Float64,
    "quarter": pl.Float64,
    "median": pl.Float64,
    "three_quarters": pl.Float64,
    "nonmonotone": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


@dataclass(frozen=True)
class Trace:
    """What the searches of one model along one axis have seen.

    Attributes:
        hardness: Of the levels, the clean one first.
        margin: Images x levels, NaN where not asked.
    """

    hardness: Floats
    margin: Floats

    @property
    def step(self) -> float:
        """The hardness between neighbouring levels, on average."""
        return float(self.hardness[-1]) / max(len(self.hardness) - 1, 1)

    def before(self) -> NDArray[np.int64]:
        """For each image and level the last level before it that was asked, images x levels; 0 where there is none."""
        asked = np.where(np.isnan(self.margin), 0, np.arange(len(self.hardness)))
        return np.pad(np.maximum.accumulate(asked, axis=1), [(0, 0), (1, 0)])[:, :-1]

    def roughness(self) -> tuple[float, float]:
        """The variance of a margin's change per unit of hardness: the mean and, unmoved by wild images, by the median.

        From each asked level and its two asked neighbours: how far off the straight line between these it lies.
        """
        row, last = np.nonzero(~np.isnan(self.margin))
        inner = np.flatnonzero((row[2:] == row[1:-1]) & (row[1:-1] == row[:-2]))
        if not len(inner):
            return 1.0, 1.0
        a, b, c = (self.hardness[last[inner + k]] for k in range(3))
        left, here, right = (self.margin[row[inner], last[inner + k]] for k in range(3))
        off = here - left - (right - left) * (b - a) / (c - a)
        squares = off**2 / ((b - a) * (c - b) / (c - a))
        return max(float(squares.mean()), 1e-6), max(float(np.median(squares)) / MEDIAN, 1e-6)

    def hidden(self, roughness: float) -> Floats:
        """The chance of another sign unseen between each asked level and the one asked before it, images x levels."""
        rows, before = np.arange(len(self.margin))[:, None], self.before()
        left = self.margin[rows, before]
        chance = crossed(left, self.margin, self.hardness - self.hardness[before], self.step, roughness)
        return np.where(left * self.margin > 0, chance, 0.0)


def critical(answers: pl.DataFrame, points: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What the searches have found: image by image, and for each model and axis.

    Args:
        answers: Every answer.
        points: From `points.points`.

    Returns:
        For each image: `questions` asked, the clean one among them; `first_fail`, the lowest hardness asked at which it
        went wrong, null where it never did; `last_pass`, the highest at which it was right; `nonmonotone`, whether it
        was seen to go wrong and be right again; `earlier`, the chance that it failed before `first_fail` where nobody
        asked, and `sure`, whether that is at most 0.1.

        For each model and axis: the mean number of `questions`, the share that is `sure`, quartiles of `first_fail`
        (null beyond the axis); `nonmonotone`, the share that goes wrong and is right again: `low` is the lower end of
        the 95% interval of the share seen, `high` the upper end of it with what the unseen levels may add by the
        margins' roughness, and the estimate lies half way between the two. It is no more exact than a few hundredths.
    """
    marked = answers.with_columns(pl.Series("_margin", margins(answers), pl.Float64))
    images, rows = [pl.DataFrame(schema=IMAGES)], []
    for (axis,), own in points.group_by(["axis"], maintain_order=True):
        levels = own.unique("hardness", maintain_order=True).sort("hardness")
        placed = marked.join(levels.select("condition_id", "hardness"), on="condition_id")
        for (model,), mine in placed.group_by(["model"], maintain_order=True):
            if mine["hardness"].max() == 0:
                continue
            found, row = _searched(mine, levels["hardness"].to_list())
            images.append(found.select(pl.lit(model).alias("model"), pl.lit(axis).alias("axis"), pl.all()))
            rows.append({"model": model, "axis": axis} | row)
    return pl.concat(images), pl.DataFrame(rows, schema=SEARCHED)


def _searched(answers: pl.DataFrame, hardness: Sequence[float]) -> tuple[pl.DataFrame, dict[str, float | None]]:
    ids = answers["sample_id"].unique().sort()
    margin = np.full((len(ids), len(hardness)), np.nan)
    margin[ids.search_sorted(answers["sample_id"]), np.searchsorted(hardness, answers["hardness"])] = answers["_margin"]
    trace = Trace(np.array(hardness), margin[~np.isnan(margin[:, 0])])
    ids = ids.filter(~np.isnan(margin[:, 0]))
    wrong, right = trace.margin < 0, trace.margin > 0
    fails = np.where(wrong.any(1), wrong.argmax(1), len(hardness))
    passes = len(hardness) - 1 - right[:, ::-1].argmax(1)
    came_back = (right & (np.arange(len(hardness)) > fails[:, None])).any(1)
    mean, typical = trace.roughness()
    early = np.arange(len(hardness)) < fails[:, None]
    earlier = 1 - np.prod(1 - np.where(early, trace.hidden(mean), 0.0), axis=1)
    open_ = (fails < len(hardness)) & (
        fails - trace.before()[np.arange(len(fails)), fails.clip(max=len(hardness) - 1)] > 1
    )
    earlier = np.where(open_, 1.0, earlier)
    unseen = np.where(came_back, 1.0, 1 - np.prod(1 - trace.hidden(typical), axis=1))
    n, at = len(ids), trace.hardness
    first = np.where(fails < len(at), at[fails.clip(max=len(at) - 1)], np.nan)
    table = pl.DataFrame(
        {
            "sample_id": ids,
            "questions": (~np.isnan(trace.margin)).sum(1),
            "first_fail": first,
            "last_pass": np.where(right.any(1), at[passes], np.nan),
            "nonmonotone": came_back,
            "earlier": earlier,
            "sure": earlier <= SURE,
        }
    ).with_columns(pl.col("first_fail", "last_pass").fill_nan(None))
    seen, most = float(came_back.mean()), float(unseen.mean())
    quartiles = np.sort(np.where(np.isnan(first), np.inf, first))[[(n - 1) * k // 4 for k in (1, 2, 3)]]
    q = [float(value) if np.isfinite(value) else None for value in quartiles]
    row = {"n": n, "questions": float((~np.isnan(trace.margin)).sum(1).mean()), "sure": float((earlier <= SURE).mean())}
    ends = {
        "nonmonotone": (seen + most) / 2,
        "low": float(wilson(seen * n, n)[0]),
        "high": float(wilson(most * n, n)[1]),
    }
    return table, row | dict(zip(("quarter", "median", "three_quarters"), q, strict=True)) | ends
