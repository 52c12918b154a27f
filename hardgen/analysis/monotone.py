"""Whether single images get harder all the way: a curve can fall while its images come and go."""

import numpy as np
import polars as pl

from hardgen.analysis.answers import Answers
from hardgen.analysis.intervals import wilson

SCHEMA = {
    "model": pl.String,
    "axis": pl.String,
    "n": pl.Int64,
    "returned": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "monotone": pl.Float64,
}


def monotone(answers: Answers) -> pl.DataFrame:
    """For each model and axis, the share of images that go wrong as hardness rises and are right again further on.

    Args:
        answers: The answers; images that were not asked at every point are left out.

    Returns:
        `returned`: share of images that are right, then wrong at a harder point, then right at one harder still, with
        Wilson's 95% interval; `monotone`: share whose answer never goes from wrong to right (clean included).
    """
    rows = []
    for curve, right in answers.full:
        n = len(right)
        been_right = np.logical_or.accumulate(right, axis=1)
        lost = np.logical_or.accumulate(been_right & ~right, axis=1)
        returned = (lost & right).any(1).sum()
        rises = (right[:, 1:] & ~right[:, :-1]).any(1).sum()
        low, high = wilson(returned, n)
        rows.append((curve.model, curve.axis, n, returned / n, float(low), float(high), 1 - rises / n))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
