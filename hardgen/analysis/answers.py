"""Answers laid out for paired statistics: one row an image, one column a point of a curve."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.analysis.intervals import RESAMPLES, Floats, resampled_means


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
        accuracy: Mean of each column.
        draws: Resamples x columns: the accuracies over resampled images, the same images for all columns.
        curves: By model, then axis.
        seed: Seed of the draws.
    """

    right: NDArray[np.float32]
    accuracy: Floats
    draws: Floats
    curves: tuple[Curve, ...]
    seed: int

    @classmethod
    def of(cls, samples: pl.DataFrame, points: pl.DataFrame, resamples: int = RESAMPLES, seed: int = 0) -> Self:
        """Lays out every answer.

        Args:
            samples: Every answer.
            points: From `points.points`.
            resamples: How often the images are drawn anew.
            seed: Seed of these draws.
        """
        rows = samples.join(points.select("condition_id").unique(), on="condition_id", how="semi")
        columns = rows.select("model", "condition_id").unique(maintain_order=True).with_row_index("column")
        images = rows.select("sample_id").unique().sort("sample_id").with_row_index("row")
        placed = rows.select("model", "condition_id", "sample_id", "correct")
        placed = placed.join(columns, on=["model", "condition_id"]).join(images, on="sample_id")
        right = np.full((images.height, columns.height), np.nan, np.float32)
        right[placed["row"].to_numpy(), placed["column"].to_numpy()] = placed["correct"].cast(pl.Float32).to_numpy()
        asked = (~np.isnan(right)).sum(0)
        accuracy = np.nansum(right, axis=0, dtype=np.float64) / np.maximum(asked, 1)
        draws = resampled_means(right, resamples, seed)
        return cls(right, accuracy, draws, _curves(columns, points), seed)

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
