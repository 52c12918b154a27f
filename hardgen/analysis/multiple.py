"""Many tests at once: p-values adjusted so that what stands out is not luck."""

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from hardgen.analysis.intervals import Floats


def holm(p: ArrayLike) -> Floats:
    """Adjusted p-values that bound the chance of any false finding (S. Holm 1979, Scand. J. Statist. 6).

    Args:
        p: p-values of one family, in any dependence; NaN stays NaN and does not count.
    """
    return _adjusted(p, lambda ordered: np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1)))


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjusted p-values that bound the expected share of false ones among the findings.

    Y. Benjamini and Y. Hochberg 1995, J. R. Statist. Soc. B 57: for tests that are independent or rise and fall
    together, as those of neighbouring doses do.

    Args:
        p: p-values of one family; NaN stays NaN and does not count.
    """

    def step_up(ordered: Floats) -> Floats:
        scaled = ordered * len(ordered) / np.arange(1, len(ordered) + 1)
        return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1])

    return _adjusted(p, step_up)


def with_adjusted(table: pl.DataFrame, family: list[str]) -> pl.DataFrame:
    """A table with `p_holm` and `p_bh` beside its `p`.

    Args:
        table: Has a column `p`.
        family: Columns whose equal values make a family of tests: all axes and points of one model, say.
    """
    adjusted = {"p_holm": np.full(table.height, np.nan), "p_bh": np.full(table.height, np.nan)}
    rows = table.with_row_index("row")
    for (*_,), part in rows.group_by(family, maintain_order=True):
        at, p = part["row"].to_numpy(), part["p"].to_numpy()
        adjusted["p_holm"][at], adjusted["p_bh"][at] = holm(p), benjamini_hochberg(p)
    return table.with_columns(pl.Series(name, column, dtype=pl.Float64) for name, column in adjusted.items())


def _adjusted(p: ArrayLike, how: Callable[[Floats], Floats]) -> Floats:
    values = np.asarray(p, dtype=np.float64)
    out = np.full(values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    out[order] = np.minimum(how(values[order]), 1.0)
    return out
