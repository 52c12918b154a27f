"""How even an axis is: the steps of accuracy from point to point, and whether accuracy ever rises."""

import numpy as np
import polars as pl

from hardgen.analysis.answers import Answers
from hardgen.analysis.differences import mcnemar

SCHEMA = {
    "model": pl.String,
    "axis": pl.String,
    "steps": pl.Int64,
    "smallest": pl.Float64,
    "largest": pl.Float64,
    "ratio": pl.Float64,
    "variation": pl.Float64,
    "rise": pl.Float64,
    "rise_z": pl.Float64,
    "rise_at": pl.Float64,
}


def steps(answers: Answers) -> pl.DataFrame:
    """For each model and axis, the steps of accuracy between neighbouring points, the clean baseline first.

    Args:
        answers: The answers; images that were not asked at every point are left out.

    Returns:
        `smallest` and `largest` fall of accuracy from point to point, their `ratio` (infinite where a step is no fall)
        and the coefficient of `variation` of the steps; the greatest `rise` in paired standard errors: its size,
        McNemar's z and the hardness that it leads to (null where accuracy never rises).
    """
    rows = []
    for curve, right in answers.full:
        falls = -np.diff(right.mean(0))
        lost = (right[:, :-1] & ~right[:, 1:]).sum(0)
        gained = (~right[:, :-1] & right[:, 1:]).sum(0)
        z, _ = mcnemar(lost, gained)
        worst = int(np.argmax(z))
        rose = bool(falls[worst] < 0)
        mean = float(falls.mean())
        rows.append(
            (
                curve.model,
                curve.axis,
                len(falls),
                float(falls.min()),
                float(falls.max()),
                float(falls.max() / falls.min()) if falls.min() > 0 else float("inf"),
                float(falls.std() / mean) if mean > 0 else float("inf"),
                float(-falls[worst]) if rose else 0.0,
                float(z[worst]) if rose else 0.0,
                float(curve.hardness[worst + 1]) if rose else None,
            )
        )
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
