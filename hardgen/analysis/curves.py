"""Accuracy as a function of every knob."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.analysis.answers import Answers
from hardgen.analysis.intervals import Floats, wilson

SCHEMA = {
    "model": pl.String,
    "axis": pl.String,
    "hardness": pl.Float64,
    "value": pl.Float64,
    "unit": pl.String,
    "n": pl.Int64,
    "accuracy": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


def read_off(table: pl.DataFrame, answers: Answers) -> pl.DataFrame:
    """The same points, where each image was asked at some levels only: as all images tell of them.

    `n` still counts those that were asked there; for the intervals see `band`.
    """
    rows = []
    for curve in answers.curves:
        images, here = int(answers.asked[curve.columns[0]]), (~np.isnan(answers.right[:, curve.columns])).sum(0)
        share = answers.accuracy[curve.columns].clip(0, 1)
        low, high = band(share, answers.draws[:, curve.columns], here, images)
        names = {"model": curve.model, "axis": curve.axis}
        rows.append(pl.DataFrame(names | {"hardness": curve.hardness, "accuracy": share, "low": low, "high": high}))
    if not rows:
        return table
    keys, known = ["model", "axis", "hardness"], table.drop("accuracy", "low", "high")
    return known.join(pl.concat(rows), on=keys, how="left", maintain_order="left").select(list(SCHEMA))


def band(accuracy: Floats, draws: Floats, here: NDArray[np.int64], images: int) -> tuple[Floats, Floats]:
    """Each point's 95% interval where images were asked at some levels only.

    It is Wilson's for as many images, each asked there, as would leave the accuracy as uncertain as resampling the
    images does: at least those that were asked there, at most all.

    Args:
        accuracy: Of each level.
        draws: Resamples x levels.
        here: How many images were asked at each level.
        images: How many were asked at all.
    """
    share, spread = accuracy.clip(0, 1), draws.var(0) * images / max(images - 1, 1)
    worth = np.divide(share * (1 - share), spread, out=np.zeros_like(share), where=spread > 0)
    worth = worth.clip(np.maximum(here, 1), images)
    return wilson(share * worth, worth)


def curves(samples: pl.DataFrame, points: pl.DataFrame) -> pl.DataFrame:
    """One row a point of a curve, with Wilson's 95% interval.

    Args:
        samples: Every answer.
        points: From `points.points`.

    Returns:
        `model, axis, hardness, value, unit, n, accuracy, low, high`, by model, axis and hardness. Hardness 0 is the
        clean baseline. Axes on which a model was asked nothing but the baseline are left out.
    """
    order = points.select("axis").unique(maintain_order=True).with_row_index("axis_order")
    models = samples.select("model").unique(maintain_order=True).with_row_index("model_order")
    counts = samples.group_by("condition_id", "model").agg(
        pl.len().cast(pl.Int64).alias("n"), pl.col("correct").sum().cast(pl.Int64).alias("right")
    )
    rows = (
        points.join(counts, on="condition_id")
        .filter(pl.col("hardness").max().over("model", "axis") > 0)
        .join(order, on="axis")
        .join(models, on="model")
        .sort("model_order", "axis_order", "hardness", "condition_id")
    )
    low, high = wilson(rows["right"].to_numpy(), rows["n"].to_numpy())
    return rows.with_columns(
        (pl.col("right") / pl.col("n")).alias("accuracy"), pl.Series("low", low), pl.Series("high", high)
    ).select([pl.col(name).cast(kind) for name, kind in SCHEMA.items()])
