"""Accuracy as a function of every knob."""

import polars as pl

from hardgen.analysis.intervals import wilson

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
