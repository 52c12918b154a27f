"""The report's sections as plain values: tables become rows of text."""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from hardgen.report.pictures import data_uri, pixelated
from hardgen.report.words import NOTHING, measured, number, p_value, percent, points, span
from hardgen.sweeps.results import Run

CARDS = 24
"""Mistakes shown at most; the rest stay in the table."""
CELLS = 8
"""Pictures in a strip at most."""
PAIRS = 120
"""Rows of model comparisons shown at most."""

Tables = Mapping[str, pl.DataFrame]


def threshold(row: Mapping[str, Any]) -> dict[str, str]:
    """A threshold in words: `value` (in the knob's unit), its `interval`, and the `hardness`."""
    if row["reached"] is None:
        return {"value": "none", "interval": "no better than chance when clean", "hardness": NOTHING}
    has_values = row["covered_value"] is not None
    at, low, high = ("value", "value_low", "value_high") if has_values else ("hardness", "low", "high")
    if not row["reached"]:
        edge = number(row["covered_value"] if has_values else row["covered"])
        beyond = f"holds beyond {measured(row[low])}" if row["low"] < row["covered"] else "up to the hardest point"
        return {"value": f"not by {edge}", "interval": beyond, "hardness": f"> {number(row['covered'])}"}
    if row["high"] is None:
        interval = f"from {measured(row[low])}, open"
    else:
        interval = span(*(measured(end) for end in sorted((row[low], row[high]))))
    return {"value": measured(row[at]), "interval": interval, "hardness": measured(row["hardness"])}


def summary(tables: Tables, run: Run) -> list[dict[str, Any]]:
    """For each axis, one row a model: clean accuracy, threshold, area."""
    areas = {(row["model"], row["axis"]): row for row in tables["areas"].iter_rows(named=True)}
    curves = tables["curves"].filter(pl.col("hardness") == 0)
    clean = {(row["model"], row["axis"]): row for row in curves.iter_rows(named=True)}
    out: dict[str, list[dict[str, Any]]] = {}
    for row in tables["thresholds"].iter_rows(named=True):
        key = (row["model"], row["axis"])
        out.setdefault(row["axis"], []).append(
            {
                "series": run.models.index(row["model"]),
                "model": row["model"],
                "clean": percent(clean[key]["accuracy"]),
                "clean_interval": span(percent(clean[key]["low"]), percent(clean[key]["high"])),
                "threshold": threshold(row),
                "area": f"{areas[key]['area']:.3f}",
                "area_share": round(100 * areas[key]["area"], 1),
                "area_interval": span(f"{areas[key]['low']:.3f}", f"{areas[key]['high']:.3f}"),
                "covered": areas[key]["covered"],
            }
        )
    entries = {axis["axis"]: axis for axis in run.axes}
    plain = {"knob": "", "unit": "", "doc": "", "limits": ""}
    return [
        {"axis": name, "entry": {**plain, "axis": name, **entries.get(name, {})}, "rows": rows}
        for name, rows in out.items()
    ]


def hardest(axes: list[dict[str, Any]], areas: pl.DataFrame, count: int) -> list[dict[str, Any]]:
    """The axes with the least mean area under the curve, in the order that they came in."""
    lowest = areas.group_by("axis").agg(pl.col("area").mean()).sort("area", "axis")["axis"].head(count)
    chosen = set(lowest)
    return [section for section in axes if section["axis"] in chosen]


def curve_rows(tables: Tables, run: Run, axis: str) -> list[dict[str, Any]]:
    """The points of an axis, with what each costs against clean."""
    costs = tables["differences"].drop("value", "unit", "n").rename({"low": "cost_low", "high": "cost_high"})
    joined = tables["curves"].join(costs, on=["model", "axis", "hardness"], how="left", maintain_order="left")
    return [
        {
            "series": run.models.index(row["model"]),
            "model": row["model"],
            "hardness": number(row["hardness"]),
            "value": number(row["value"]),
            "n": f"{row['n']:,}",
            "accuracy": percent(row["accuracy"]),
            "interval": span(percent(row["low"]), percent(row["high"])),
            "cost": points(row["difference"]),
            "cost_interval": "" if row["cost_low"] is None else span(points(row["cost_low"]), points(row["cost_high"])),
            "lost": NOTHING if row["lost"] is None else row["lost"],
            "gained": NOTHING if row["gained"] is None else row["gained"],
        }
        for row in joined.filter(pl.col("axis") == axis).iter_rows(named=True)
    ]


def strip(run: Run, axis: str, classes: "Names") -> dict[str, Any] | None:
    """One image along an axis, at most `CELLS` stops of it, evenly chosen; None where no picture was kept."""
    found = next((s for s in (run.images() or {}).get("strips", []) if s["axis"] == axis), None)
    if found is None:
        return None
    cells = found["cells"]
    if len(cells) > CELLS:
        cells = [cells[round(i * (len(cells) - 1) / (CELLS - 1))] for i in range(CELLS)]
    shown = [
        {
            "uri": data_uri(cell["file"]),
            "pixelated": pixelated(cell["file"]),
            "hardness": number(cell["hardness"], 2),
            "value": number(None if cell["value"] is None else float(cell["value"])),
        }
        for cell in cells
    ]
    label = classes.of(run.models[0], found["label"])
    return {"sample_id": found["sample_id"], "label": label, "cells": [cell for cell in shown if cell["uri"]]}


def mistakes(run: Run, classes: "Names") -> list[dict[str, Any]]:
    """Kept mistakes with their pictures, by axis, then model: as many of each as the page has room for."""
    rows = (run.images() or {}).get("mistakes", [])
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["axis"], row["model"]), []).append(row)
    each = max(1, CARDS // max(1, len(groups)))
    order = {axis["axis"]: place for place, axis in enumerate(run.axes)}
    ranked = sorted(groups.items(), key=lambda item: order.get(item[0][0], len(order)))
    chosen = [row for _, group in ranked for row in group[:each]][:CARDS]
    units = {axis["axis"]: axis.get("unit", "") for axis in run.axes}
    return [
        {
            "series": run.models.index(row["model"]) if row["model"] in run.models else 0,
            "model": row["model"],
            "axis": row["axis"],
            "value": number(None if row["value"] is None else float(row["value"])),
            "unit": units.get(row["axis"], ""),
            "hardness": number(row["hardness"], 2),
            "sample_id": row["sample_id"],
            "label": classes.of(row["model"], row["label"]),
            "prediction": classes.of(row["model"], row["prediction"]),
            "confidence": percent(row["confidence"], 1),
            "right_on_clean": row.get("right_on_clean"),
            "clean": data_uri(row["clean_file"]),
            "variant": data_uri(row["file"]),
            "pixelated": pixelated(row["file"]),
        }
        for row in chosen
    ]


def confusions(tables: Tables, run: Run, classes: "Names") -> list[dict[str, Any]]:
    """For each axis: the confusions that grew most, and how far answers collapse onto one class."""
    out: dict[str, dict[str, Any]] = {}
    for (axis,), table in tables["collapse"].group_by(["axis"], maintain_order=True):
        ends = table.sort("hardness").group_by("model", maintain_order=True)
        pairs = zip(ends.first().iter_rows(named=True), ends.last().iter_rows(named=True), strict=True)
        lines = [
            {
                "series": run.models.index(hard["model"]),
                "model": hard["model"],
                "top": classes.of(hard["model"], hard["top_class"]),
                "share": percent(hard["top_share"], 0),
                "clean_share": percent(clean["top_share"], 0),
                "entropy": f"{hard['entropy']:.2f}",
                "clean_entropy": f"{clean['entropy']:.2f}",
            }
            for clean, hard in pairs
        ]
        out[str(axis)] = {"axis": axis, "collapse": lines, "rows": []}
    for row in tables["confusion"].iter_rows(named=True):
        out[row["axis"]]["rows"].append(
            {
                "series": run.models.index(row["model"]),
                "model": row["model"],
                "label": classes.of(row["model"], row["label"]),
                "prediction": classes.of(row["model"], row["prediction"]),
                "n": row["n"],
                "clean": f"{row['clean_count']} ({percent(row['clean_share'], 0)})",
                "hard": f"{row['count']} ({percent(row['share'], 0)})",
                "difference": points(row["difference"]),
                "interval": span(points(row["low"]), points(row["high"])),
            }
        )
    return list(out.values())


def comparisons(differences: pl.DataFrame) -> list[dict[str, Any]]:
    """For each pair of models and axis: the difference when clean, and the largest one, with its simultaneous band."""
    rows = []
    groups = differences.group_by(["axis", "model_a", "model_b"], maintain_order=True)
    for (axis, a, b), table in groups:
        clean = table.sort("hardness").row(0, named=True)
        far = table.sort(pl.col("difference").abs(), "hardness", descending=[True, False]).row(0, named=True)
        apart = table.filter((pl.col("band_low") > 0) | (pl.col("band_high") < 0)).height
        rows.append(
            {
                "axis": axis,
                "a": a,
                "b": b,
                "clean": points(clean["difference"]),
                "clean_interval": span(points(clean["low"]), points(clean["high"])),
                "at": number(far["hardness"] if far["value"] is None else far["value"]),
                "unit": "hardness" if far["value"] is None else far["unit"],
                "far": points(far["difference"]),
                "band": span(points(far["band_low"]), points(far["band_high"])),
                "sides": f"{far['gained']} : {far['lost']}",
                "z": f"{far['z']:+.1f}".replace("-", "−"),
                "p": p_value(far["p"]),
                "apart": f"{apart} of {table.height}",
                "tells": apart > 0,
            }
        )
    return rows


class Names:
    """Class names by model and label."""

    def __init__(self, run: Run) -> None:
        self.classes = {model: run.data(model)["classes"] for model in run.models}

    def of(self, model: str, label: int) -> str:
        """The name; the number itself where there is none."""
        names = self.classes.get(model, [])
        return str(names[label]) if 0 <= label < len(names) else f"class {label}"


def as_text(value: Any) -> str:
    """A configuration as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=str)
