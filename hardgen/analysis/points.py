"""Which conditions make the curve of an axis."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from hardgen.sweeps.results import CLEAN, places

SCHEMA = {
    "condition_id": pl.String,
    "axis": pl.String,
    "hardness": pl.Float64,
    "value": pl.Float64,
    "unit": pl.String,
}


def points(conditions: pl.DataFrame, axes: Sequence[Mapping[str, Any]] = ()) -> pl.DataFrame:
    """The points of every axis' curve, the clean baseline as hardness 0 of each.

    Of a grid only the conditions count where every other axis is neutral, so that a curve never mixes two
    causes; `grid_places` gives the rest. Where axes move together, every axis has all points, at its own hardness.

    Args:
        conditions: The conditions table.
        axes: The manifest's axes; they give the neutral value and the order. Axes they do not name come after.

    Returns:
        `condition_id, axis, hardness, value, unit`, by axis, then hardness. A merged run can hold several baselines:
        then each has a row at hardness 0.
    """
    placed = _placed(conditions)
    turned = (pl.col("hardness") > 0).sum().over("place")
    keep = (pl.col("axis") != CLEAN) & (pl.col("hardness") > 0) & ((pl.col("mode") != "grid") | (turned == 1))
    visited = placed.filter(keep).select(list(SCHEMA)).unique(["condition_id", "axis", "hardness"], maintain_order=True)
    known = {entry["axis"]: entry for entry in axes}
    names = [name for name in known if name in set(visited["axis"])]
    names += [name for name in visited["axis"].unique(maintain_order=True) if name not in known]
    clean = conditions.filter(pl.col("axis") == CLEAN)["condition_id"].unique(maintain_order=True)
    base = pl.DataFrame(
        [
            {
                "condition_id": cid,
                "axis": name,
                "hardness": 0.0,
                "value": _number(known.get(name, {}).get("neutral")),
                "unit": known.get(name, {}).get("unit") or _unit(visited, name),
            }
            for name in names
            for cid in clean
        ],
        schema=SCHEMA,
    )
    order = pl.DataFrame({"axis": names}, schema={"axis": pl.String}).with_row_index("order")
    return pl.concat([base, visited]).join(order, on="axis").sort("order", "hardness", "condition_id").drop("order")


def grid_places(conditions: pl.DataFrame) -> pl.DataFrame:
    """The grid's places: the conditions table's `grid` rows with a column `place` that ties the rows of one place."""
    return _placed(conditions).filter((pl.col("mode") == "grid") & (pl.col("axis") != CLEAN))


def _placed(conditions: pl.DataFrame) -> pl.DataFrame:
    return conditions.with_columns(pl.Series("place", places(conditions), dtype=pl.Int64))


def _unit(visited: pl.DataFrame, axis: str) -> str:
    return str(visited.filter(pl.col("axis") == axis)["unit"][0])


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
