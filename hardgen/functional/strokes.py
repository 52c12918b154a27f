"""Characters as strokes of our own, for scripts that Pillow's bundled font lacks."""

import functools

import cv2
import numpy as np
from numpy.typing import NDArray

THICKNESS = 0.075
"""Of a stroke, of the character's side."""

FINE = 8
"""Characters are drawn so many times larger, then scaled down."""

Points = tuple[tuple[float, float], ...]

STROKES: dict[str, tuple[Points, ...]] = {
    "捷": (
        ((0.06, 0.27), (0.38, 0.25)),
        ((0.23, 0.05), (0.23, 0.92), (0.13, 0.84)),
        ((0.05, 0.64), (0.38, 0.50)),
        ((0.43, 0.15), (0.95, 0.14)),
        ((0.49, 0.28), (0.86, 0.28), (0.86, 0.55)),
        ((0.42, 0.415), (0.97, 0.415)),
        ((0.49, 0.55), (0.86, 0.55)),
        ((0.67, 0.04), (0.67, 0.89)),
        ((0.67, 0.72), (0.89, 0.72)),
        ((0.52, 0.64), (0.50, 0.76), (0.40, 0.94)),
        ((0.49, 0.78), (0.58, 0.88), (0.72, 0.93), (0.97, 0.93)),
    ),
    "径": (
        ((0.31, 0.05), (0.22, 0.18), (0.08, 0.29)),
        ((0.33, 0.28), (0.22, 0.44), (0.04, 0.59)),
        ((0.21, 0.45), (0.21, 0.95)),
        ((0.44, 0.13), (0.84, 0.13), (0.72, 0.30), (0.40, 0.51)),
        ((0.53, 0.24), (0.72, 0.40), (0.96, 0.50)),
        ((0.46, 0.64), (0.91, 0.64)),
        ((0.68, 0.64), (0.68, 0.92)),
        ((0.38, 0.92), (0.97, 0.92)),
    ),
}
"""Each stroke a line of points, x and y in [0, 1] of the character's square."""


@functools.lru_cache(maxsize=64)
def written(text: str, side: int) -> NDArray[np.float32]:
    """A line of characters of STROKES, each in a square.

    Args:
        text: Characters that STROKES holds.
        side: Of a character, in pixels, at least 1.

    Returns:
        Alpha, side x (side times the number of characters) float32 in [0, 1]; shared: read it only.
    """
    fine = FINE * max(side, 8)
    canvas = np.zeros((fine, fine * len(text)), np.uint8)
    for k, character in enumerate(text):
        for stroke in STROKES[character]:
            points = np.round((np.array(stroke) + np.array([k, 0])) * fine * 64 - 32).astype(np.int32)
            cv2.polylines(canvas, [points], False, 255, max(round(THICKNESS * fine), 1), cv2.LINE_AA, shift=6)
    small = cv2.resize(canvas, (side * len(text), side), interpolation=cv2.INTER_AREA)
    alpha = np.asarray(small, np.float32) / np.float32(255)
    alpha.flags.writeable = False
    return alpha
