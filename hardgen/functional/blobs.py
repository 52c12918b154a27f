"""Blobs: splashes and drops as orders of pixels, and what a drop shows of the scene behind it."""

import cv2
import numpy as np
from numpy.typing import NDArray

GRID = 112
"""Cells along the longer side on which splashes are worked out."""


def splashes(
    height: int, width: int, places: NDArray[np.float32], radii: NDArray[np.float32], ragged: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Ranks of blobs that grow together, each in proportion to its radius.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        places: n x 2 float32, x and y in [0, 1) of each side.
        radii: n float32, relative to the short side.
        ragged: GRID x GRID float32 added to the rank: where it is high a splash is dented.

    Returns:
        height x width float32, about 0 in the middle of a blob and 1 at its radius.
    """
    side, short = max(height, width), min(height, width)
    rows, columns = max(round(GRID * height / side), 1), max(round(GRID * width / side), 1)
    y = ((np.arange(rows, dtype=np.float32) + 0.5) / rows)[None, :] - places[:, 1:]
    x = ((np.arange(columns, dtype=np.float32) + 0.5) / columns)[None, :] - places[:, :1]
    scale = (1 / radii / short)[:, None]
    y, x = np.square(y * scale * height), np.square(x * scale * width)
    nearest = np.full((rows, columns), np.inf, np.float32)
    for k in range(len(places)):
        np.minimum(nearest, y[k][:, None] + x[k][None, :], out=nearest)
    rank = np.sqrt(nearest) + ragged[:rows, :columns]
    return np.asarray(cv2.resize(rank, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def drops(
    height: int, width: int, places: NDArray[np.float32], radii: NDArray[np.float32], rest: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Ranks of round drops that appear one after the other, and where each of their pixels lies in its drop.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        places: n x 2 float32: x and y of the centres in pixels.
        radii: n float32 in pixels.
        rest: height x width float32 in [0, 1): the order of what no drop covers, after all drops.

    Returns:
        height x width float32, the drop's number plus, below 1, how far out in it a pixel lies; and height x width x 2
        float32, the way from the drop's centre in units of its radius, within the unit disc; 0 outside of drops.
    """
    label = np.full((height, width), len(places), np.int32)
    centres, sizes = np.rint(places * 16).astype(np.int64).tolist(), np.rint(radii * 16).astype(np.int64).tolist()
    for k in range(len(centres) - 1, -1, -1):
        cv2.circle(label, (centres[k][0], centres[k][1]), max(sizes[k], 8), k, cv2.FILLED, cv2.LINE_8, 4)
    free = label == len(places)
    inside = np.minimum(label, len(places) - 1)
    at = np.stack(np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)), -1)
    way = (at - places[inside]) / np.maximum(radii, 0.5)[inside][..., None]
    out = np.sqrt(np.square(way).sum(-1))
    way /= np.maximum(out, 1.0)[..., None]
    way[free] = 0
    rank = np.where(free, len(places) + rest, inside + np.minimum(out, 1.0) * 0.99)
    return rank.astype(np.float32), way.astype(np.float32)
