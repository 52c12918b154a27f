"""Margins: how far an answer is from turning, and how likely it has turned where nobody looked."""

import math
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

GRID = 0.5826
"""How far, in standard deviations of one step, a path that is seen at steps only seems from its edge (M. Broadie,
P. Glasserman, S. Kou 1997, Math. Finance 7)."""
MOST = 16.0
"""The largest margin told apart from others, in nats: single precision holds no larger one."""


def margins(answers: pl.DataFrame) -> NDArray[np.float64]:
    """How far each answer is from turning, in nats: positive where right, negative where wrong.

    Where right it is the log-odds of the label; where wrong the label's log-probability less that of the prediction.

    Args:
        answers: Rows of the samples table.
    """
    loss, right = answers["loss"].cast(pl.Float64).to_numpy(), answers["correct"].to_numpy()
    best = np.log(np.maximum(answers["confidence"].cast(pl.Float64).to_numpy(), 1e-30))
    held = -np.log(np.expm1(np.clip(loss, math.exp(-MOST), 50.0)))
    found: NDArray[np.float64] = np.where(right, np.clip(held, 1e-6, MOST), np.clip(-loss - best, -MOST, -1e-6))
    return found


def crossed(left: ArrayLike, right: ArrayLike, gap: ArrayLike, step: float, roughness: float) -> NDArray[Any]:
    """How likely a margin of one sign at two levels has the other one at a level between them.

    That of a Brownian bridge, its ends moved away from zero since it is seen at levels only.

    Args:
        left: The margins at the one level.
        right: The margins at the other.
        gap: The hardness between them.
        step: The hardness between neighbouring levels.
        roughness: The variance of a margin's change, in squared nats per unit of hardness.
    """
    away, wide = GRID * math.sqrt(roughness * step), np.asarray(gap)
    chance = np.exp(-2 * (np.abs(left) + away) * (np.abs(right) + away) / (roughness * np.maximum(wide, step)))
    return np.where(wide > 1.5 * step, chance, 0.0)
