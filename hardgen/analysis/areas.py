"""One number for a whole curve: the area under it."""

import numpy as np
import polars as pl

from hardgen.analysis.answers import Answers
from hardgen.analysis.intervals import percentile

SCHEMA = {
    "model": pl.String,
    "axis": pl.String,
    "area": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "covered": pl.Float64,
}


def areas(answers: Answers) -> pl.DataFrame:
    """The mean accuracy over hardness, clean included: trapezoids over the points, divided by the range covered.

    It lies in [0, 1] and compares models on one axis. Between axes it depends on where each knob's hardest value was
    put. `low` and `high` are the 95% bootstrap interval; `covered` is the greatest hardness visited.
    """
    rows = []
    for curve in answers.curves:
        span = float(curve.hardness[-1])
        heights = np.vstack([answers.accuracy[curve.columns], answers.draws[:, curve.columns]])
        found = np.asarray(np.trapezoid(heights, curve.hardness, axis=1), dtype=np.float64) / span
        low, high = percentile(found[1:, None], images=int(answers.asked[curve.columns[0]]))
        rows.append((curve.model, curve.axis, float(found[0]), float(low[0]), float(high[0]), span))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")
