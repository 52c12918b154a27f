"""The page's part on fitted curves and on what models think of themselves."""

from typing import Any

import polars as pl

from hardgen.report.words import NOTHING, measured, percent, points, span
from hardgen.sweeps.results import Run


def fits(tables: dict[str, pl.DataFrame], run: Run) -> list[dict[str, Any]]:
    """For each axis, one row a model: its psychometric fit, and how its confidence stands to its accuracy."""
    gaps: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in tables["calibration"].iter_rows(named=True):
        gaps.setdefault((row["axis"], row["model"]), []).append(row)
    found: dict[str, list[dict[str, Any]]] = {}
    for row in tables["psychometric"].iter_rows(named=True):
        along = gaps.get((row["axis"], row["model"]), [])
        found.setdefault(row["axis"], []).append(
            {
                "series": run.models.index(row["model"]),
                "model": row["model"],
                "shape": row["shape"] or "no fit",
                "poor": bool(row["poor"]),
                "threshold": measured(row["threshold_value"]),
                "threshold_interval": _interval(row, "threshold_value"),
                "slope": points(None if row["slope"] is None else row["slope"] / 10),
                "slope_interval": NOTHING
                if row["slope_low"] is None
                else span(points(row["slope_low"] / 10), points(row["slope_high"] / 10)),
                "misfit": percent(row["misfit"]),
                "gaps": [{"gap": points(r["gap"]), "ece": percent(r["ece"])} for r in (along[0], along[-1])]
                if along
                else [{"gap": NOTHING, "ece": ""}] * 2,
            }
        )
    units = {axis["axis"]: axis.get("unit", "") for axis in run.axes}
    return [{"axis": axis, "unit": units.get(axis, ""), "rows": rows} for axis, rows in found.items()]


def _interval(row: dict[str, Any], name: str) -> str:
    ends = [row[f"{name}_low"], row[f"{name}_high"]]
    if None in ends:
        return NOTHING if ends[0] is None else f"from {measured(ends[0])}"
    return span(*map(measured, sorted(ends)))
