"""What wrong answers turn into: confusions that grow, and answers that collapse onto few classes."""

from typing import Any

import numpy as np
import polars as pl

from hardgen.analysis.intervals import RESAMPLES, percentile, resampled_sums

SHIFT = {
    "model": pl.String,
    "axis": pl.String,
    "hardness": pl.Float64,
    "value": pl.Float64,
    "unit": pl.String,
    "label": pl.Int64,
    "prediction": pl.Int64,
    "n": pl.Int64,
    "clean_count": pl.Int64,
    "count": pl.Int64,
    "clean_share": pl.Float64,
    "share": pl.Float64,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}
COLLAPSE = {
    "model": pl.String,
    "axis": pl.String,
    "hardness": pl.Float64,
    "value": pl.Float64,
    "unit": pl.String,
    "n": pl.Int64,
    "top_class": pl.Int64,
    "top_share": pl.Float64,
    "entropy": pl.Float64,
}


def confusion_shift(
    samples: pl.DataFrame, points: pl.DataFrame, k: int = 5, resamples: int = RESAMPLES, seed: int = 0
) -> pl.DataFrame:
    """The confusions (label, other prediction) that grew most from clean to the hardest point of each axis.

    Args:
        samples: Every answer.
        points: From `points.points`.
        k: How many confusions for each model and axis; ties go by label, then prediction.
        resamples: Bootstrap resamples.
        seed: Their seed.

    Returns:
        The columns of `SHIFT`. `n` images bear the label; `share` is the part of them that gets this prediction at the
        hardest point, `clean_share` when clean, `difference` the one less the other with its 95% interval over
        resampled images. The confusions were picked because they grew here: on new images they will tend to grow less.
    """
    rows: list[dict[str, Any]] = []
    for (model, axis), ends in _ends(samples, points):
        clean, hard = ends[0.0], ends[max(ends)]
        both = clean.join(hard, on="sample_id", suffix="_hard").sort("sample_id")
        label, before, after = (both[c].to_numpy() for c in ("label", "prediction", "prediction_hard"))
        chosen = _grown(label, before, after, k)
        if not chosen:
            continue
        masks = np.stack([label == a for a, _ in chosen], axis=1)
        early = masks & np.stack([before == b for _, b in chosen], axis=1)
        late = masks & np.stack([after == b for _, b in chosen], axis=1)
        stacked = np.concatenate([masks, late.astype(np.int8) - early], axis=1).astype(np.float32)
        sums = resampled_sums(stacked, resamples, seed)
        total, change = sums[:, : len(chosen)], sums[:, len(chosen) :]
        low, high = percentile(np.divide(change, total, out=np.full_like(change, np.nan), where=total > 0))
        place = points.filter((pl.col("axis") == axis) & (pl.col("hardness") == max(ends))).row(0, named=True)
        for i, (a, b) in enumerate(chosen):
            n, x, y = int(masks[:, i].sum()), int(early[:, i].sum()), int(late[:, i].sum())
            row = {"model": model, "axis": axis, **{key: place[key] for key in ("hardness", "value", "unit")}}
            row |= {"label": a, "prediction": b, "n": n, "clean_count": x, "count": y, "clean_share": x / n}
            rows.append(row | {"share": y / n, "difference": (y - x) / n, "low": low[i], "high": high[i]})
    return pl.DataFrame(rows, schema=SHIFT)


def collapse(samples: pl.DataFrame, points: pl.DataFrame) -> pl.DataFrame:
    """How varied the answers are at each point: the commonest prediction, its share, and the entropy of predictions.

    Returns:
        The columns of `COLLAPSE`; entropy in bits, 0 where every image gets the same answer.
    """
    models = samples.select("model").unique(maintain_order=True).with_row_index("model_order")
    order = points.select("axis").unique(maintain_order=True).with_row_index("axis_order")
    share = pl.col("count") / pl.col("count").sum()
    answers = (
        samples.group_by("condition_id", "model", "prediction")
        .agg(pl.len().alias("count"))
        .sort("count", "prediction", descending=[True, False])
        .group_by("condition_id", "model", maintain_order=True)
        .agg(
            pl.col("count").sum().cast(pl.Int64).alias("n"),
            pl.col("prediction").first().alias("top_class"),
            share.first().alias("top_share"),
            (-(share * share.log(2)).sum()).abs().alias("entropy"),
        )
    )
    rows = points.join(answers, on="condition_id").join(models, on="model").join(order, on="axis")
    rows = rows.filter(pl.col("hardness").max().over("model", "axis") > 0)
    rows = rows.sort("model_order", "axis_order", "hardness", "condition_id")
    return rows.select([pl.col(name).cast(kind) for name, kind in COLLAPSE.items()])


def _ends(samples: pl.DataFrame, points: pl.DataFrame) -> list[tuple[tuple[str, str], dict[float, pl.DataFrame]]]:
    """For each model and axis, the answers at hardness 0 and at the hardest point."""
    hardest = pl.col("hardness").max().over("axis")
    ends = points.filter((pl.col("hardness") == 0) | (pl.col("hardness") == hardest))
    slim = samples.select("condition_id", "model", "sample_id", "label", "prediction")
    found = ends.join(slim, on="condition_id")
    parts = found.partition_by(["model", "axis", "hardness"], as_dict=True)
    models, axes = samples["model"].unique(maintain_order=True), points["axis"].unique(maintain_order=True)
    out = []
    for model in models:
        for axis in axes:
            own = {key[2]: part for key, part in parts.items() if key[:2] == (model, axis)}
            if len(own) == 2 and 0.0 in own:
                out.append(((model, axis), own))
    return out


def _grown(label: Any, before: Any, after: Any, k: int) -> list[tuple[int, int]]:
    growth: dict[tuple[int, int], int] = {}
    for predictions, sign in ((before, -1), (after, 1)):
        wrong = predictions != label
        pairs, counts = np.unique(np.stack([label[wrong], predictions[wrong]], axis=1), axis=0, return_counts=True)
        for (a, b), count in zip(pairs.tolist(), counts.tolist(), strict=True):
            growth[a, b] = growth.get((a, b), 0) + sign * count
    ranked = sorted(((-g, pair) for pair, g in growth.items() if g > 0))
    return [pair for _, pair in ranked[:k]]
