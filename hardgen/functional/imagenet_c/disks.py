"""ImageNet-C's defocus on bytes: sums of whole rows of a disk, in 16-bit numbers."""

import functools
import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.functional.bytewise import Bytes, cut, flat
from hardgen.functional.imagenet_c.blurs import disk, smoothing

Sums = NDArray[np.uint16]
MOST = 257
"""Bytes whose sum surely fits into 16 bits."""
CLEAR = 1e-4
"""Least weight of the smoothing's neighbours that is worth a filter."""


def defocus(pixels: Bytes, height: int, radius: float, smooth: float) -> NDArray[np.uint8]:
    """`blurs.disk` laid over bytes, cut off to bytes again; the border is mirrored about the outermost pixels.

    Args:
        pixels: Images one below the other.
        height: Rows of each.
        radius: Of the disk, in pixels.
        smooth: Standard deviation of its smoothing.
    """
    width, channels = pixels.shape[1:]
    weights = smoothing(radius, smooth)
    reach, near = int(radius), len(weights) // 2 if weights[0] > CLEAR else 0
    border = (reach + near,) * 4
    images = pixels.reshape(-1, height, width, channels)
    wide = np.stack([flat(cv2.copyMakeBorder(image, *border, cv2.BORDER_REFLECT_101)) for image in images])
    count, high, line = wide.shape
    values = np.zeros(wide.size + 2 * reach * (line + channels), np.uint16)
    values[: wide.size] = wide.ravel()
    parts = [part[: wide.size].reshape(-1, line) for part in _parts(values, radius, line, channels)]
    total: NDArray[Any] = parts[0] if len(parts) == 1 else np.add(*parts, dtype=np.float32)
    if near:
        total = total.astype(np.float32, copy=False).reshape(count * high, -1, channels)
        total = flat(cv2.sepFilter2D(total, -1, weights, weights))
    gain = float(disk(radius, smooth).sum()) / sum(_widths(radius))
    # A sum stands where the disk's square begins, so that the image lies in the upper left corner.
    return cut(total, gain).reshape(count, high, line)[
        :, near : near + height, near * channels : (near + width) * channels
    ]


def _parts(values: Sums, radius: float, line: int, step: int) -> list[Sums]:
    """Sums over a disk, in one or two parts that fit into 16 bits, each where the disk's square begins."""
    widths = _widths(radius)
    reach = len(widths) // 2
    size = len(values) - 2 * reach * (line + step)
    parts, room = [np.zeros(size, np.uint16)], MOST
    run, pair, width = values.copy(), values[:-step] + values[step:], 1
    for wanted in sorted(set(widths)):
        while width < wanted:
            later = pair[width * step :]
            run[: len(later)] += later
            width += 2
        for row in (row for row, other in enumerate(widths) if other == width):
            if width > room:
                parts, room = [*parts, np.zeros(size, np.uint16)], MOST
            start = row * line + (reach - width // 2) * step
            parts[-1] += run[start : start + size]
            room -= width
    return parts


@functools.lru_cache(maxsize=32)
def _widths(radius: float) -> tuple[int, ...]:
    """How many pixels each row of a disk holds."""
    reach = int(radius)
    return tuple(2 * math.isqrt(int(radius**2 - y * y)) + 1 for y in range(-reach, reach + 1))
