"""Calibration along a knob: whether a model knows that it is getting hard."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.analysis.intervals import RESAMPLES, Floats, percentile, resampled_means

BINS = 15
LEAST = 10
"""Answers a bin at least; fewer answers make fewer bins."""

SCHEMA = {
    "model": pl.String,
    "axis": pl.String,
    "hardness": pl.Float64,
    "value": pl.Float64,
    "unit": pl.String,
    "n": pl.Int64,
    "accuracy": pl.Float64,
    "confidence": pl.Float64,
    "gap": pl.Float64,
    "gap_low": pl.Float64,
    "gap_high": pl.Float64,
    "ece": pl.Float64,
    "bins": pl.Int64,
    "min_entropy": pl.Float64,
}


def calibration(samples: pl.DataFrame, points: pl.DataFrame, resamples: int = RESAMPLES, seed: int = 0) -> pl.DataFrame:
    """Confidence against accuracy at every point of every curve.

    Args:
        samples: Every answer.
        points: From `points.points`.
        resamples: How often the images are drawn anew.
        seed: Seed of these draws.

    Returns:
        The columns of `SCHEMA`, by model, axis, hardness. `gap` is mean confidence less accuracy, positive where a
        model is overconfident, with its 95% bootstrap interval over images. `ece` is the expected calibration error
        over `bins` bins of equal mass: 15, or fewer where there are fewer than 150 answers. It is never negative and
        so lies above the truth where answers are few, by about 0.4 sqrt(bins / n) for a calibrated model; it has no
        interval, as a bootstrap would add the same bias again. `min_entropy` is the mean of -log2 confidence in bits:
        the least that the entropy of the model's whole answer, which is not kept, can be.
    """
    models = samples.select("model").unique(maintain_order=True).with_row_index("model_order")
    axes = points.select("axis").unique(maintain_order=True).with_row_index("axis_order")
    kept = samples.filter(pl.col("confidence").is_not_null() & pl.col("confidence").is_not_nan())
    tables = [pl.DataFrame(schema={"condition_id": pl.String, **_MEASURED})]
    for (name,), own in kept.group_by(["model"], maintain_order=True):
        tables.append(_measured(str(name), own, resamples, seed))
    rows = (
        points.join(pl.concat(tables), on="condition_id")
        .filter(pl.col("hardness").max().over("model", "axis") > 0)
        .join(models, on="model")
        .join(axes, on="axis")
        .sort("model_order", "axis_order", "hardness", "condition_id")
    )
    return rows.select([pl.col(name).cast(kind) for name, kind in SCHEMA.items()])


_MEASURED = {name: kind for name, kind in SCHEMA.items() if name not in ("axis", "hardness", "value", "unit")}


def _measured(model: str, own: pl.DataFrame, resamples: int, seed: int) -> pl.DataFrame:
    images = own.select("sample_id").unique().sort("sample_id").with_row_index("row")
    placed = own.join(images, on="sample_id", maintain_order="left")
    groups = placed.partition_by("condition_id", as_dict=True, maintain_order=True)
    gaps = np.full((images.height, len(groups)), np.nan, np.float32)
    rows = []
    for column, ((cid,), part) in enumerate(groups.items()):
        confidence = part["confidence"].cast(pl.Float64).to_numpy()
        right = part["correct"].cast(pl.Float64).to_numpy()
        gaps[part["row"].to_numpy(), column] = confidence - right
        error, bins = ece(confidence, right)
        rows.append(
            {
                "condition_id": cid,
                "model": model,
                "n": part.height,
                "accuracy": float(right.mean()),
                "confidence": float(confidence.mean()),
                "gap": float((confidence - right).mean()),
                "ece": error,
                "bins": bins,
                "min_entropy": float(-np.log2(np.maximum(confidence, 1e-12)).mean()),
            }
        )
    low, high = percentile(resampled_means(gaps, resamples, seed))
    ends = (pl.Series("gap_low", low), pl.Series("gap_high", high))
    schema = {"condition_id": pl.String} | {k: v for k, v in _MEASURED.items() if k not in ("gap_low", "gap_high")}
    return pl.DataFrame(rows, schema=schema).with_columns(*ends).select("condition_id", *_MEASURED)


def ece(confidence: Floats, right: Floats, bins: int = BINS) -> tuple[float, int]:
    """Expected calibration error over bins of equal mass: the mean distance of a bin's confidence from its accuracy.

    Equal confidences stay in one bin, that of the first of them, so that the order of answers does not matter.

    Args:
        confidence: One an answer.
        right: 1 right, 0 wrong.
        bins: How many; fewer where they would hold less than `LEAST` answers.

    Returns:
        The error, and how many bins there were; NaN and 0 without answers.
    """
    n = len(confidence)
    if n == 0:
        return float("nan"), 0
    count = max(1, min(bins, n // LEAST))
    ordered = np.sort(confidence)
    first: NDArray[np.int64] = np.searchsorted(ordered, confidence, side="left").astype(np.int64)
    place = first * count // n
    sums = np.bincount(place, weights=confidence - right, minlength=count)
    return float(np.abs(sums).sum() / n), len(np.unique(place))
