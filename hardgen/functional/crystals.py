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
    segments = np.concatenate([_stem(row, rows, columns) for row in numbers])
    segments = segments[np.argsort(-segments[:, 4], kind="stable")]
    when = np.full((rows, columns), -1, np.float32)
    points = np.rint(segments[:, :4] * 16).astype(np.int64).tolist()
    for (x0, y0, x1, y1), time in zip(points, segments[:, 4].tolist(), strict=True):
        cv2.line(when, (x0, y0), (x1, y1), time, 1, cv2.LINE_8, 4)
    if when.max() < 0:
        when[0, 0] = 0
    bare = (when < 0).astype(np.uint8)
    far, label = cv2.distanceTransformWithLabels(bare, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL)
    times = np.zeros(int(label.max()) + 1, np.float32)
    times[label[bare == 0]] = when[bare == 0]
    rank = times[label] + far * np.float32(thickening / short)
    return np.asarray(cv2.resize(rank, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def _stem(row: NDArray[np.float32], rows: int, columns: int) -> NDArray[np.float32]:
    """A stem and its side branches: n x 5, x0 y0 x1 y1 in cells and the time when it is grown, in short sides."""
    start, turn, long, late, *sizes = row.tolist()
    along = start * 2 * (rows + columns)
    if along < 2 * columns:
        x, y = along % columns, (rows - 1.0) * (along >= columns)
        inward = -math.pi / 2 if along >= columns else math.pi / 2
    else:
        along -= 2 * columns
        x, y = (columns - 1.0) * (along >= rows), along % rows
        inward = math.pi if along >= rows else 0.0
    angle, short = inward + (turn - 0.5) * 1.7, min(rows, columns)
    length = short * (0.12 + 0.5 * long * long)
    steps = (np.arange(PAIRS, dtype=np.float32) + 0.6) / (PAIRS + 1)
    size = 0.42 * length * (1.02 - steps) * (0.45 + np.array(sizes[:PAIRS], np.float32))
    base = np.stack((x + math.cos(angle) * length * steps, y + math.sin(angle) * length * steps), 1)
    time = late * 0.12 + steps * length / short
    parts = []
    for way in (angle + math.pi / 3, angle - math.pi / 3):
        step = np.array([math.cos(way), math.sin(way)])[None] * size[:, None]
        parts.append(np.column_stack((base, base + step, time + size / short * 0.5)))
    edges = np.arange(9) / 8 * length
    x, y = x + math.cos(angle) * edges, y + math.sin(angle) * edges
    parts.append(np.column_stack((x[:-1], y[:-1], x[1:], y[1:], late * 0.12 + edges[1:] / short)))
    return np.concatenate(parts).astype(np.float32)
