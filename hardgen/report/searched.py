"""The page's part on searches: how hard images may get before a model fails on them."""

from typing import Any

import polars as pl

from hardgen.report.words import number, percent, span
from hardgen.sweeps.results import Run

QUARTILES = ("quarter", "median", "three_quarters")


def searched(tables: dict[str, pl.DataFrame], run: Run) -> list[dict[str, Any]]:
    """For each axis that was searched, one row a model."""
    entries = {axis["axis"]: axis for axis in run.axes}
    out: dict[str, list[dict[str, Any]]] = {}
    for row in tables["searched"].iter_rows(named=True):
        values = run.conditions.filter(pl.col("axis") == row["axis"])
        value = dict(values.select("hardness", "value").iter_rows())
        neutral = entries.get(row["axis"], {}).get("neutral")
        out.setdefault(row["axis"], []).append(
            {
                "series": run.models.index(row["model"]),
                "model": row["model"],
                "n": f"{row['n']:,}",
                "questions": f"{row['questions']:.1f}",
                "sure": percent(row["sure"], 0),
                "back": percent(row["nonmonotone"], 0),
                "interval": span(percent(row["low"], 0), percent(row["high"], 0)),
                "quartiles": [_place(row[name], value, neutral) for name in QUARTILES],
            }
        )
    return [
        {"axis": name, "entry": {"unit": "", "doc": ""} | entries.get(name, {}), "rows": r} for name, r in out.items()
    ]


def _place(hardness: float | None, values: dict[float, float | None], neutral: float | None) -> dict[str, str]:
    """A critical hardness, and the knob's value there; beyond the axis there is neither."""
    if hardness is None:
        return {"value": "none", "hardness": ""}
    value = neutral if hardness == 0 else values.get(hardness)
    return {"value": number(value), "hardness": number(hardness)}
