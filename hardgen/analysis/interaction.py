"""Whether two knobs together cost more than the two alone."""

import numpy as np
import polars as pl

from hardgen.analysis.grid import cells_of
from hardgen.analysis.intervals import RESAMPLES, Floats, percentile, resampled_sums

SCHEMA = {
    "model": pl.String,
    "axis_a": pl.String,
    "axis_b": pl.String,
    "hardness_a": pl.Float64,
    "hardness_b": pl.Float64,
    "n": pl.Int64,
    "drop_a": pl.Float64,
    "drop_b": pl.Float64,
    "drop_both": pl.Float64,
    "excess": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


def log_odds(right: Floats, n: int) -> Floats:
    """The logarithm of right to wrong, half an answer added to both (J. B. S. Haldane 1956, Ann. Hum. Genet. 20)."""
    return np.log((right + 0.5) / (n - right + 0.5))


def interaction(
    samples: pl.DataFrame, conditions: pl.DataFrame, resamples: int = RESAMPLES, seed: int = 0
) -> pl.DataFrame:
    """For each cell of a grid in which both knobs are turned: what the two cost together beside what each costs alone.

    Args:
        samples: Every answer.
        conditions: The conditions table.
        resamples: How often the images are drawn anew.
        seed: Seed of these draws.

    Returns:
        The columns of `SCHEMA`. `drop_a`, `drop_b` and `drop_both` are falls in log-odds of a right answer from the
        clean images, on the images that were asked in every cell; `excess` is `drop_both` less the sum of the other
        two, positive where the knobs make each other worse, with its 95% bootstrap interval over images. At accuracies
        near 0, 1 or chance log-odds saturate: an excess there says little.
    """
    tables = [pl.DataFrame(schema=SCHEMA)]
    for cells in cells_of(samples, conditions):
        for (model,), own in cells.group_by(["model"], maintain_order=True):
            tables.append(_excess(samples.filter(pl.col("model") == model), own, resamples, seed))
    return pl.concat(tables)


def _excess(samples: pl.DataFrame, cells: pl.DataFrame, resamples: int, seed: int) -> pl.DataFrame:
    ids = cells["condition_id"].unique(maintain_order=True).to_list()
    asked = samples.filter(pl.col("condition_id").is_in(ids)).with_columns(pl.col("correct").cast(pl.Float32))
    wide = asked.pivot("condition_id", index="sample_id", values="correct").drop_nulls().sort("sample_id")
    right = wide.select(ids).to_numpy()
    sums = np.vstack([right.sum(0, dtype=np.float64), resampled_sums(right, resamples, seed)])
    odds, place = log_odds(sums, len(right)), {name: i for i, name in enumerate(ids)}
    at = {(row["hardness_a"], row["hardness_b"]): place[row["condition_id"]] for row in cells.iter_rows(named=True)}
    rows = []
    for (a, b), both in at.items():
        if a == 0 or b == 0 or (a, 0.0) not in at or (0.0, b) not in at:
            continue
        clean, first, second = odds[:, at[0.0, 0.0]], odds[:, at[a, 0.0]], odds[:, at[0.0, b]]
        excess = (clean - odds[:, both]) - (clean - first) - (clean - second)
        low, high = percentile(excess[1:, None], images=len(right))
        drops = (clean[0] - first[0], clean[0] - second[0], clean[0] - odds[0, both])
        rows.append((a, b, len(right), *drops, excess[0], low[0], high[0]))
    found = pl.DataFrame(rows, [*list(SCHEMA)[3:]], orient="row") if rows else pl.DataFrame(schema=SCHEMA)
    names = {name: cells[name][0] for name in ("model", "axis_a", "axis_b")}
    return found.with_columns(pl.lit(value).alias(name) for name, value in names.items()).select(
        [pl.col(name).cast(kind) for name, kind in SCHEMA.items()]
    )
