"""Things that fall, and lie one over the other: streaks and flakes as orders of pixels."""

import cv2
import numpy as np
from numpy.typing import NDArray

SHIFT = 4
"""Binary places that OpenCV's drawing keeps of a coordinate."""


def lines(
    height: int, width: int, ends: NDArray[np.float32], thick: NDArray[np.float32], rest: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Ranks of thick lines with round ends that appear one after the other.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        ends: n x 4 float32: x, y of one end, x, y of the other, in pixels.
        thick: n float32, widths in pixels; at least one pixel is drawn.
        rest: height x width float32 in [0, 1): the order of what no line covers, after all lines.

    Returns:
        height x width float32: the number of the first line that covers a pixel.
    """
    rank = rest + np.float32(len(ends))
    points = np.rint(ends * (1 << SHIFT)).astype(np.int64).tolist()
    widths = np.maximum(np.rint(thick), 1).astype(np.int64).tolist()
    for k in range(len(points) - 1, -1, -1):
        x0, y0, x1, y1 = points[k]
        cv2.line(rank, (x0, y0), (x1, y1), float(k), widths[k], cv2.LINE_8, SHIFT)
    return rank
