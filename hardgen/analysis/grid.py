"""Accuracy where two knobs are turned at once."""

import itertools

import polars as pl

from hardgen.analysis.intervals import wilson
from hardgen.analysis.points import grid_places
from hardgen.sweeps.results import CLEAN

SCHEMA = {
    "model": pl.String,
    "axis_a": pl.String,
    "axis_b": pl.String,
    "hardness_a": pl.Float64,
    "hardness_b": pl.Float64,
    "value_a": pl.Float64,
    "value_b": pl.Float64,
    "unit_a": pl.String,
    "unit_b": pl.String,
    "n": pl.Int64,
    "accuracy": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


def grid(samples: pl.DataFrame, conditions: pl.DataFrame) -> pl.DataFrame:
    """One row for each model, pair of axes and cell, all further axes neutral; empty where no grid was run.

    Args:
        samples: Every answer.
        conditions: The conditions table.

    Returns:
        The columns of `SCHEMA`, by pair, model, hardness on a, hardness on b; the clean cell is 0, 0.
    """
    tables = [rows.select(list(SCHEMA)) for rows in cells_of(samples, conditions)]
    return pl.concat([pl.DataFrame(schema=SCHEMA), *tables])


def cells_of(samples: pl.DataFrame, conditions: pl.DataFrame) -> list[pl.DataFrame]:
    """For each pair of axes the rows of `grid` with their `condition_id`."""
    places = grid_places(conditions)
    names = places["axis"].unique(maintain_order=True).to_list()
    models = samples.select("model").unique(maintain_order=True).with_row_index("model_order")
    counts = samples.group_by("condition_id", "model").agg(
        pl.len().cast(pl.Int64).alias("n"), pl.col("correct").sum().cast(pl.Int64).alias("right")
    )
    clean = conditions.filter(pl.col("axis") == CLEAN).select("condition_id").unique(maintain_order=True)
    tables = []
    for a, b in itertools.combinations(names, 2):
        others = [name for name in names if name not in (a, b)]
        idle = (pl.col("axis").is_in(others) & (pl.col("hardness") > 0)).any().over("place")
        left, right = (
            places.filter(~idle)
            .filter(pl.col("axis") == name)
            .select("condition_id", "place", **{f"{c}_{end}": pl.col(c) for c in ("axis", "hardness", "value", "unit")})
            for name, end in ((a, "a"), (b, "b"))
        )
        cells = left.join(right, on=["condition_id", "place"]).drop("place")
        if cells.is_empty():
            continue
        neutral = {c: cells.filter(pl.col(f"hardness_{c[-1]}") == 0)[c] for c in ("value_a", "value_b")}
        origin = clean.with_columns(
            pl.lit(a).alias("axis_a"),
            pl.lit(0.0).alias("hardness_a"),
            pl.lit(_first(neutral["value_a"]), dtype=pl.Float64).alias("value_a"),
            pl.lit(cells["unit_a"][0]).alias("unit_a"),
            pl.lit(b).alias("axis_b"),
            pl.lit(0.0).alias("hardness_b"),
            pl.lit(_first(neutral["value_b"]), dtype=pl.Float64).alias("value_b"),
            pl.lit(cells["unit_b"][0]).alias("unit_b"),
        )
        rows = (
            pl.concat([origin, cells.select(origin.columns)])
            .join(counts, on="condition_id")
            .join(models, on="model")
            .unique(["model", "hardness_a", "hardness_b"], keep="first", maintain_order=True)
            .filter(((pl.col("hardness_a") > 0) & (pl.col("hardness_b") > 0)).any().over("model"))
            .sort("model_order", "hardness_a", "hardness_b")
        )
        low, high = wilson(rows["right"].to_numpy(), rows["n"].to_numpy())
        rows = rows.with_columns(
            (pl.col("right") / pl.col("n")).alias("accuracy"), pl.Series("low", low), pl.Series("high", high)
        )
        tables.append(rows.select("condition_id", *(pl.col(name).cast(kind) for name, kind in SCHEMA.items())))
    return tables


def _first(values: pl.Series) -> float | None:
    return float(values[0]) if len(values) else None
