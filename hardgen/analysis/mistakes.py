"""The most confident mistakes: which wrong answers are worth looking at."""

import polars as pl

from hardgen.analysis.points import points
from hardgen.sweeps.results import CLEAN

COLUMNS = (
    "model",
    "axis",
    "condition_id",
    "hardness",
    "value",
    "unit",
    "sample_id",
    "label",
    "prediction",
    "confidence",
    "right_on_clean",
)


def mistakes(samples: pl.DataFrame, conditions: pl.DataFrame, k: int = 6) -> pl.DataFrame:
    """For each model and axis, the `k` wrong answers that the model was surest of.

    Images that the model got right when clean come first, since there the knob made the mistake; then by confidence,
    then by least hardness. A source image appears at most once for each model and axis.

    Args:
        samples: Every answer.
        conditions: The conditions table; of a grid only the places where one axis is turned count.
        k: How many for each model and axis.

    Returns:
        `model, axis, condition_id, hardness, value, unit, sample_id, label, prediction, confidence, right_on_clean`.
    """
    clean = conditions.filter(pl.col("axis") == CLEAN).select("condition_id").unique()
    right = samples.join(clean, on="condition_id", how="semi").select("model", "sample_id", right_on_clean="correct")
    turned = points(conditions).filter(pl.col("hardness") > 0).with_row_index("order")
    keys = ["model", "axis"]
    wrong = (
        samples.filter(~pl.col("correct"))
        .select("condition_id", "model", "sample_id", "label", "prediction", "confidence")
        .join(turned, on="condition_id")
        .join(right, on=["model", "sample_id"], how="left")
        .with_columns(
            pl.col("right_on_clean").fill_null(False),
            pl.col("order").min().over("axis").alias("axis_order"),
        )
    )
    ranked = wrong.sort(
        "right_on_clean", "confidence", "hardness", "sample_id", descending=[True, True, False, False], nulls_last=True
    )
    models = samples.select("model").unique(maintain_order=True).with_row_index("model_order")
    chosen = ranked.unique([*keys, "sample_id"], keep="first", maintain_order=True).group_by(keys, maintain_order=True)
    return (
        chosen.head(k).join(models, on="model").sort("model_order", "axis_order", maintain_order=True).select(COLUMNS)
    )
