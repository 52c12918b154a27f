"""Answers laid out for paired statistics: one row an image, one column a point of a curve."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.analysis.intervals import RESAMPLES, Floats, resampled_means, resampled_sums
from hardgen.analysis.levels import Reading


@dataclass(frozen=True)
class Curve:
    """One model on one axis.

    Attributes:
        model: The model.
        axis: The axis.
        hardness: Points, rising from 0 (the clean baseline).
        value: The knob's value at each, NaN where unknown; may be infinite.
        unit: The value's unit.
        columns: Where the points stand in `Answers.right`.
    """

    model: str
    axis: str
    hardness: Floats
    value: Floats
    unit: str
    columns: NDArray[np.int64]


@dataclass(frozen=True)
class Answers:
    """Who was right on what, and the resampled accuracies that all intervals are made from.

    Attributes:
        right: Images x columns, 1 right, 0 wrong, NaN not asked. A column is one model under one condition.
        asked: How many images each accuracy stands on.
        accuracy: Mean of each column; where each image was asked at some levels only, what all of them tell of it.
        draws: Resamples x columns: the accuracies over resampled images, the same images for all columns.
        curves: By model, then axis.
        seed: Seed of the draws.
        few: Whether each image was asked at some levels of an axis only, by design.
    """

    right: NDArray[np.float32]
    asked: NDArray[np.int64]
    accuracy: Floats
    draws: Floats
    curves: tuple[Curve, ...]
    seed: int
    few: bool = False

    @classmethod
    def of(
        cls,
        samples: pl.DataFrame,
        points: pl.DataFrame,
        resamples: int = RESAMPLES,
        seed: int = 0,
        few: bool = False,
    ) -> Self:
        """Lays out every answer.

        Args:
            samples: Every answer.
            points: From `points.points`.
            resamples: How often the images are drawn anew.
            seed: Seed of these draws.
            few: Whether each image was asked at some levels of an axis only, by design.
        """
        rows = samples.join(points.select("condition_id").unique(), on="condition_id", how="semi")
        columns = rows.select("model", "condition_id").unique(maintain_order=True).with_row_index("column")
        images = rows.select("sample_id").unique().sort("sample_id").with_row_index("row")
        placed = rows.select("model", "condition_id", "sample_id", "correct")
        placed = placed.join(columns, on=["model", "condition_id"]).join(images, on="sample_id")
        right = np.full((images.height, columns.height), np.nan, np.float32)
        right[placed["row"].to_numpy(), placed["column"].to_numpy()] = placed["correct"].cast(pl.Float32).to_numpy()
        asked, laid = (~np.isnan(right)).sum(0), _curves(columns, points)
        if few:
            accuracy, draws = np.zeros(len(asked)), np.zeros((resamples, len(asked)))
            for curve in laid:
                reading = Reading.of(right[:, curve.columns])
                asked[curve.columns] = reading.images
                accuracy[curve.columns] = reading.curves(reading.columns.sum(0, dtype=np.float64)[None])[0]
                draws[:, curve.columns] = reading.curves(resampled_sums(reading.columns, resamples, seed))
        else:
            accuracy = np.nansum(right, axis=0, dtype=np.float64) / np.maximum(asked, 1)
            draws = resampled_means(right, resamples, seed)
        return cls(right, asked, accuracy, draws, laid, seed, few)

    @property
    def full(self) -> list[tuple[Curve, NDArray[np.bool_]]]:
        """The curves on which some images were asked at every point, and the answers of those images."""
        found = []
        for curve in self.curves:
            asked = self.right[:, curve.columns]
            whole = asked[~np.isnan(asked).any(1)] > 0
            if len(whole):
                found.append((curve, whole))
        return found

    def curve(self, model: str, axis: str) -> Curve | None:
        """The curve of a model on an axis, if there is one."""
        return next((c for c in self.curves if c.model == model and c.axis == axis), None)


def _curves(columns: pl.DataFrame, points: pl.DataFrame) -> tuple[Curve, ...]:
    models = columns["model"].unique(maintain_order=True).to_list()
    axes = points["axis"].unique(maintain_order=True).to_list()
    found = points.join(columns, on="condition_id").sort("hardness", "condition_id")
    parts = found.partition_by(["model", "axis"], as_dict=True)
    made = []
    for model in models:
        for axis in axes:
            part = parts.get((model, axis))
            if part is None or part["hardness"].max() == 0.0 or part["hardness"].min() != 0.0:
                continue
            value = part["value"].fill_null(float("nan")).to_numpy()
            column = part["column"].cast(pl.Int64).to_numpy()
            made.append(Curve(model, axis, part["hardness"].to_numpy(), value, part["unit"][-1], column))
    return tuple(made)
