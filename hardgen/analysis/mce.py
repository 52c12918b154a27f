"""Mean corruption error, where an axis mirrors a published benchmark."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

ALEXNET: dict[str, float] = {
    "gaussian_noise": 0.886428,
    "shot_noise": 0.894468,
    "impulse_noise": 0.922640,
    "defocus_blur": 0.819880,
    "glass_blur": 0.826268,
    "motion_blur": 0.785948,
    "zoom_blur": 0.798360,
    "snow": 0.866816,
    "frost": 0.826572,
    "fog": 0.819324,
    "brightness": 0.564592,
    "contrast": 0.853204,
    "elastic_transform": 0.646056,
    "pixelate": 0.717840,
    "jpeg_compression": 0.606500,
}
"""AlexNet's error on ImageNet-C, the mean over the five published points (D. Hendrycks, T. Dietterich 2019,
arXiv 1903.12261, and the reference code hendrycks/robustness)."""
ALEXNET_CLEAN = 0.435
"""AlexNet's error on clean ImageNet (the same paper)."""
PUBLISHED_POINTS = 5
SCHEMA = {
    "model": pl.String,
    "axis": pl.String,
    "perturbation": pl.String,
    "error": pl.Float64,
    "corruption_error": pl.Float64,
    "relative_error": pl.Float64,
    "normalised": pl.Boolean,
    "note": pl.String,
}
MEAN = "mean"
"""The `axis` of the rows that average over the axes."""


def mce(
    curves: pl.DataFrame,
    axes: Sequence[Mapping[str, Any]],
    reference: Mapping[str, float] | None,
    reference_clean: float | None = None,
) -> pl.DataFrame:
    """CE_c = sum_s E_{s,c} / sum_s E^ref_{s,c}, and mCE, its mean over c; relative: each E less the clean error.

    Only axes whose manifest entry names what is `published` and that visit the five published points count; without any
    the table is empty. The mean is over those of the 15 of ImageNet-C; the 4 more stand by themselves. The published
    points need not be monotone.

    Args:
        curves: The curves.
        axes: The manifest's axes.
        reference: Mean error of the reference model over the published points, in [0, 1], by perturbation; None where
            the data set has no reference.
        reference_clean: The reference model's clean error.

    Returns:
        A row for each model and axis, then one with axis `mean`. `error` is the plain mean error (unnormalised).
        `corruption_error` and `relative_error` are null where `normalised` is false; `note` then says why.
    """
    published = {str(a["axis"]): str(a["published"]) for a in axes if a.get("published")}
    rows: list[dict[str, Any]] = []
    for (model,), own in curves.group_by(["model"], maintain_order=True):
        made = []
        for axis, name in published.items():
            points = own.filter((pl.col("axis") == axis) & (pl.col("hardness") > 0))
            clean = own.filter((pl.col("axis") == axis) & (pl.col("hardness") == 0))
            if points.height == PUBLISHED_POINTS and clean.height:
                errors = 1 - points["accuracy"].to_numpy()
                base = 1 - float(clean["accuracy"][0])
                made.append(_row(axis, name, float(errors.mean()), base, reference, reference_clean))
        rows += [{"model": model, **row} for row in made]
        if made:
            rows.append({"model": model, **_mean(made)})
    return pl.DataFrame(rows, schema=SCHEMA)


def _row(
    axis: str,
    name: str,
    error: float,
    clean: float,
    reference: Mapping[str, float] | None,
    reference_clean: float | None,
) -> dict[str, Any]:
    row: dict[str, Any] = {"axis": axis, "perturbation": name, "error": error, "normalised": False}
    if reference is None or name not in reference:
        return row | {"note": "reference missing"}
    row |= {"normalised": True, "note": "", "corruption_error": error / reference[name]}
    if reference_clean is not None:
        row["relative_error"] = (error - clean) / (reference[name] - reference_clean)
    return row


def _mean(made: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean row: over the 15 of ImageNet-C where any of them is there; normalised only where every axis is."""
    rows = [row for row in made if row["perturbation"] in ALEXNET] or made
    normalised = all(row["normalised"] for row in rows)
    out: dict[str, Any] = {"axis": MEAN, "perturbation": f"{len(rows)} axes", "normalised": normalised}
    out |= {"error": sum(row["error"] for row in rows) / len(rows), "note": "" if normalised else "reference missing"}
    for key in ("corruption_error", "relative_error"):
        values = [row[key] for row in rows if key in row]
        if normalised and len(values) == len(rows):
            out[key] = sum(values) / len(values)
    return out
