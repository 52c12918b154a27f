"""Ice crystals: ferns of straight branches that grow inward from the edges of a pane."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

GRID = 224
"""Cells along the longer side on which crystals are worked out."""

STEMS = 72
"""Main stems."""

PAIRS = 14
"""Side branches on each side of a stem."""

PIECES = 8
"""Lines that make up a stem, each with a time of its own."""

TOGETHER = 27
"""Branches that are drawn at once, at the time of their middle one."""

NUMBERS = 4 + PAIRS
"""Uniform numbers for a stem."""


def ferns(height: int, width: int, numbers: NDArray[np.float32], thickening: float = 9.0) -> NDArray[np.float32]:
    """Ranks of frost: when growing crystals reach a pixel.

    A stem starts at an edge, grows inward and sends out side branches at 60 degrees in pairs, shorter toward its tip.
    A pixel is reached when the nearest branch has come so far, and then the ice between branches closes.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        numbers: STEMS x NUMBERS uniform in [0, 1).
        thickening: How much later a pixel freezes per its distance from a branch, relative to the branch's own growth.

    Returns:
        height x width float32, in units of the short side.
    """
    side = max(height, width)
    rows, columns = max(round(GRID * height / side), 3), max(round(GRID * width / side), 3)
    short = min(rows, columns)
    segments = _stems(numbers, rows, columns)
    segments = segments[np.argsort(-segments[:, 4], kind="stable")]
    when = np.full((rows, columns), -1, np.float32)
    points = np.rint(segments[:, :4] * 16).astype(np.int32).reshape(-1, 2, 2)
    times = segments[:, 4].tolist()
    for first in range(0, len(points), TOGETHER):
        some = list(points[first : first + TOGETHER])
        cv2.polylines(when, some, False, times[min(first + TOGETHER // 2, len(times) - 1)], 1, cv2.LINE_8, 4)
    if when.max() < 0:
        when[0, 0] = 0
    bare = (when < 0).astype(np.uint8)
    far, label = cv2.distanceTransformWithLabels(bare, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    ice = np.flatnonzero(when >= 0)
    reached = np.zeros(len(ice) + 1, np.float32)
    reached[label.ravel()[ice]] = when.ravel()[ice]
    rank: NDArray[np.float32] = reached[label]
    far *= np.float32(thickening / short)
    rank += far
    return np.asarray(cv2.resize(rank, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def _stems(numbers: NDArray[np.float32], rows: int, columns: int) -> NDArray[np.float32]:
    """Stems and their side branches: n x 5, x0 y0 x1 y1 in cells and the time when it is grown, in short sides."""
    start, turn, long, late = numbers[:, :4].astype(np.float64).T
    short = min(rows, columns)
    along = start * 2 * (rows + columns)
    side = along - 2 * columns
    flat, far = side < 0, np.where(side < 0, along >= columns, side >= rows)
    x = np.where(flat, along % columns, (columns - 1.0) * far)
    y = np.where(flat, (rows - 1.0) * far, side % rows)
    inward = np.where(flat, math.pi / 2 - math.pi * far, math.pi * far)
    angle, length = inward + (turn - 0.5) * 1.7, short * (0.12 + 0.5 * long * long)
    x, y, late, way = x[:, None], y[:, None], 0.12 * late[:, None], np.stack((np.cos(angle), np.sin(angle)))[..., None]
    steps = (np.arange(PAIRS) + 0.6) / (PAIRS + 1) * length[:, None]
    size = (0.42 * 1.02 * length[:, None] - 0.42 * steps) * (0.45 + numbers[:, 4:])
    parts = []
    for turned in (angle + math.pi / 3, angle - math.pi / 3):
        x0, y0 = x + way[0] * steps, y + way[1] * steps
        x1, y1 = x0 + np.cos(turned)[:, None] * size, y0 + np.sin(turned)[:, None] * size
        parts.append(np.stack((x0, y0, x1, y1, late + (steps + size / 2) / short), -1).reshape(-1, 5))
    edges = np.arange(PIECES + 1) / PIECES * length[:, None]
    x0, y0 = x + way[0] * edges, y + way[1] * edges
    stem = (x0[:, :-1], y0[:, :-1], x0[:, 1:], y0[:, 1:], late + edges[:, 1:] / short)
    return np.concatenate([*parts, np.stack(stem, -1).reshape(-1, 5)]).astype(np.float32)
