"""Things that come one after the other and lie on each other: streaks, flakes and drops as numbered pixels.

A canvas gives each (fine) pixel the number of the first thing that covers it, and the count of things where none does.
What is covered follows from a table with one share for each number.
"""

from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Canvas: TypeAlias = NDArray[np.uint16]

SHIFT = 4
"""Binary places that OpenCV's drawing keeps of a coordinate."""

FINE, MIDDLING = 128, 640
"""Short sides in pixels up to which a pixel is worked out by 4 x 4, and by 2 x 2."""


def fineness(height: int, width: int) -> int:
    """Fine pixels along a pixel."""
    side = min(height, width)
    return 4 if side <= FINE else 2 if side <= MIDDLING else 1


def lines(height: int, width: int, ends: NDArray[np.float32], thick: NDArray[np.float32], fine: int = 1) -> Canvas:
    """Numbers of thick lines with round ends.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        ends: n x 4 float32: x, y of one end, x, y of the other, in pixels; whole numbers are pixel centres.
        thick: n float32, widths in pixels; at least one pixel is drawn.
        fine: Fine pixels along a pixel.

    Returns:
        (height fine) x (width fine) uint16.
    """
    canvas = np.full((height * fine, width * fine), len(ends), np.uint16)
    points = np.rint(((ends + 0.5) * fine - 0.5) * (1 << SHIFT)).astype(np.int64).tolist()
    widths = np.maximum(np.rint(thick * fine), fine).astype(np.int64).tolist()
    for k in range(len(points) - 1, -1, -1):
        x0, y0, x1, y1 = points[k]
        cv2.line(canvas, (x0, y0), (x1, y1), k, widths[k], cv2.LINE_8, SHIFT)
    return canvas


def discs(height: int, width: int, places: NDArray[np.float32], radii: NDArray[np.float32], fine: int = 1) -> Canvas:
    """Numbers of discs.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        places: n x 2 float32: x and y of the centres in pixels; whole numbers are pixel centres.
        radii: n float32 in pixels; a disc is at least about a pixel.
        fine: Fine pixels along a pixel.

    Returns:
        (height fine) x (width fine) uint16.
    """
    canvas = np.full((height * fine, width * fine), len(places), np.uint16)
    centres = np.rint(((places + 0.5) * fine - 0.5) * (1 << SHIFT)).astype(np.int64).tolist()
    sizes = np.maximum(np.rint(radii * fine * (1 << SHIFT)), fine << (SHIFT - 1)).astype(np.int64).tolist()
    for k in range(len(centres) - 1, -1, -1):
        cv2.circle(canvas, (centres[k][0], centres[k][1]), sizes[k], k, cv2.FILLED, cv2.LINE_8, SHIFT)
    return canvas


def shares(canvas: Canvas, count: int, fraction: float) -> NDArray[np.float32]:
    """What share of each thing there is, so that a fraction of the canvas is covered exactly.

    Things come one by one; the last one fades in, and after all of them what none covers does. A larger fraction has no
    smaller share of any.

    Args:
        canvas: Numbers up to `count`.
        count: Things.
        fraction: Of the canvas, in [0, 1].

    Returns:
        count + 1 float32 in [0, 1].
    """
    sizes = cv2.calcHist([canvas], [0], None, [count + 1], [0.0, float(count + 1)]).ravel().astype(np.float64)
    before = sizes.cumsum() - sizes
    return np.clip((fraction * canvas.size - before) / np.maximum(sizes, 1), 0, 1).astype(np.float32)


def seen(canvas: Canvas, table: NDArray[np.float32], fine: int) -> NDArray[np.float32]:
    """What a table gives for each number, averaged over the fine pixels of each pixel."""
    full: Any = np.take(table, canvas, mode="clip")
    if fine > 1:
        full = cv2.resize(full, (canvas.shape[1] // fine, canvas.shape[0] // fine), interpolation=cv2.INTER_AREA)
    return np.asarray(full, dtype=np.float32)
