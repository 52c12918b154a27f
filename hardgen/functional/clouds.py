"""Fractal clouds: noise in octaves on coarse grids, brought to any image size."""

import cv2
import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.planes import planes

GRID = 65
"""Side of the finest grid; the octaves below it are 33, 17, 9, 5 and 3 wide."""

OCTAVES = (3, 5, 9, 17, 33, GRID)

NUMBERS = sum(n * n for n in OCTAVES)
"""Normal numbers that a cloud takes."""


def cloud(numbers: NDArray[np.float32], roughness: float = 0.5) -> NDArray[np.float32]:
    """A fractal field on the finest grid.

    Args:
        numbers: `NUMBERS` standard normal numbers.
        roughness: Amplitude of an octave relative to the next coarser one, above 0: small gives soft banks, 1 grit.

    Returns:
        GRID x GRID float32 with mean 0 and standard deviation 1.
    """
    field, start = np.zeros((OCTAVES[0], OCTAVES[0]), np.float32), 0
    for k, n in enumerate(OCTAVES):
        octave = numbers[start : start + n * n].reshape(n, n)
        field = cv2.resize(field, (n, n), interpolation=cv2.INTER_CUBIC) + octave * np.float32(roughness**k)
        start += n * n
    field -= field.mean()
    return np.asarray(field / max(float(field.std()), 1e-6), dtype=np.float32)


def endless(numbers: NDArray[np.float32], cells: int, size: int, roughness: float = 0.5) -> NDArray[np.float32]:
    """A fractal field whose edges meet.

    Args:
        numbers: Standard normal numbers, a square for each octave, one after the other.
        cells: Side of the coarsest octave's square; that of each next one is twice as long.
        size: In pixels.
        roughness: As in `cloud`.

    Returns:
        size x size float32 with mean 0 and standard deviation 1.
    """
    field, start, height = np.zeros((size, size), np.float32), 0, 1.0
    while start < len(numbers):
        octave = numbers[start : start + cells * cells].reshape(cells, cells)
        at = ((np.arange(size) + 0.5) * cells / size - 0.5).astype(np.float32)
        x, y = np.meshgrid(at, at)
        field += cv2.remap(octave, x, y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_WRAP) * np.float32(height)
        start, cells, height = start + cells * cells, 2 * cells, height * roughness
    field -= field.mean()
    return np.asarray(field / max(float(field.std()), 1e-6), dtype=np.float32)


def spread_over(field: NDArray[np.float32], height: int, width: int) -> NDArray[np.float32]:
    """A square field over an image: it spans the longer side and is cut at the shorter one."""
    side = max(height, width)
    big = cv2.resize(field, (side, side), interpolation=cv2.INTER_CUBIC)
    return np.ascontiguousarray(big[:height, :width])


def clouds(numbers: Tensor, height: int, width: int, roughness: float = 0.5) -> Tensor:
    """A cloud for each image.

    Args:
        numbers: B x `NUMBERS` standard normal numbers, on any device.
        height: In pixels.
        width: In pixels.
        roughness: As in `cloud`.

    Returns:
        B x 1 x height x width float32 with mean about 0 and standard deviation about 1, on the numbers' device.
    """
    rows = numbers.cpu().numpy()
    fields = planes(len(rows), height, width, lambda i: spread_over(cloud(rows[i], roughness), height, width))
    return fields[:, None].to(numbers.device)
