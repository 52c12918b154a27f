"""Dust and dirt: fields drawn out by a wipe, and specks."""

import cv2
import numpy as np
from numpy.typing import NDArray

SPECK_GRID = 256
"""Cells along the longer side on which specks are drawn."""

SMALLEST, LARGEST = 0.002, 0.012
"""Radii of specks, of the longer side."""

STRETCH = 0.3
"""How much slower a wiped field changes along the wipe than across it."""


def wiped(field: NDArray[np.float32], degrees: float) -> NDArray[np.float32]:
    """A square field drawn out along one direction, on twice as fine a grid; what lies outside is mirrored."""
    n = len(field)
    middle = np.full(2, (n - 1) / 2)
    turn = np.asarray(cv2.getRotationMatrix2D((middle[0], middle[1]), degrees, 1.0), dtype=np.float64)
    turn[:, 0] *= STRETCH
    turn[:, 2] = middle - turn[:, :2] @ middle
    turn[:, :2] /= 2
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    wide = cv2.warpAffine(field, turn, (2 * n, 2 * n), flags=flags, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(wide, dtype=np.float32)


def specks(draws: NDArray[np.float32], height: int, width: int) -> NDArray[np.float32]:
    """Specks of dust as a plane, height x width in [0, 1]: 0 between them.

    Args:
        draws: n x 3 uniform in [0, 1): place and size, many small and few large.
        height: Of the image, in pixels.
        width: Of the image, in pixels.
    """
    side = max(height, width)
    grid = np.zeros((SPECK_GRID, SPECK_GRID), np.float32)
    # OpenCV's discs reach about a third of a cell further than their radius.
    radii = SMALLEST * SPECK_GRID / (1 - (1 - SMALLEST / LARGEST) * draws[:, 2])
    sizes = np.rint(np.maximum(radii - 0.35, 0) * 16).astype(np.int64).tolist()
    places = np.rint(draws[:, :2] * np.array([width, height]) * (SPECK_GRID * 16 / side)).astype(np.int64).tolist()
    depths = (0.55 + 0.45 * (np.arange(len(draws)) * 0.6180339887 % 1)).tolist()
    for (x, y), size, depth in zip(places, sizes, depths, strict=True):
        cv2.circle(grid, (x, y), size, depth, cv2.FILLED, cv2.LINE_8, 4)
    rows, columns = max(round(SPECK_GRID * height / side), 1), max(round(SPECK_GRID * width / side), 1)
    how = cv2.INTER_AREA if side < SPECK_GRID else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(grid[:rows, :columns], (width, height), interpolation=how), dtype=np.float32)
