"""ImageNet-C's pixelation on bytes: means of windows that are laid as Pillow's box filter lays them, and repeated."""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardgen.functional.bytewise import Bytes

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Windows:
    """Windows along one side of an image, of one or two lengths a pixel apart.

    Attributes:
        first: Where each begins.
        length: Its length.
        shown: Which window each pixel of the full side shows.
    """

    first: Places
    length: Places
    shown: Places


@functools.lru_cache(maxsize=64)
def windows(full: int, small: int) -> Windows:
    """The windows of Pillow's box filter from `full` to `small` pixels, and which its nearest pixel shows."""
    scale = full / small
    centre = (np.arange(small) + 0.5) * scale
    first = np.maximum((centre - 0.5 * scale + 0.5).astype(np.intp), 0)
    last = np.minimum((centre + 0.5 * scale + 0.5).astype(np.intp), full)
    # Pixels on a window's very edge count at its end alone; to Pillow's last digit, as is what a pixel shows.
    first += (first - centre + 0.5) * (1.0 / scale) <= -0.5
    last -= (last - 1 - centre + 0.5) * (1.0 / scale) > 0.5
    places = np.full(full, small / full)
    places[0] /= 2
    shown = np.minimum(np.cumsum(places).astype(np.intp), small - 1)
    return Windows(first, last - first, shown)


def pixelate(pixels: Bytes, height: int, small: tuple[int, int]) -> NDArray[np.uint8]:
    """Scales images down to the means of windows and up again, within a level of Pillow, which rounds twice.

    Args:
        pixels: Images one below the other.
        height: Rows of each.
        small: Rows and columns of windows, at most as many as pixels.
    """
    width, channels = pixels.shape[1:]
    rows, columns = windows(height, small[0]), windows(width, small[1])
    across = _sum_across(_sum_down(pixels.reshape(-1, height, width * channels), rows), columns, channels)
    means = np.multiply(across, _weights(height, width, *small, channels))
    means += np.float32(0.5)
    return means.astype(np.uint8).take(rows.shown, axis=1)


def _sum_down(images: NDArray[np.uint8], rows: Windows) -> NDArray[np.uint16]:
    sums = images.take(rows.first, axis=1).astype(np.uint16)
    for step in range(1, int(rows.length.max())):
        longer = np.flatnonzero(rows.length > step)
        part = images.take(rows.first[longer] + step, axis=1)
        if len(longer) == len(rows.length):
            sums += part
        else:
            sums[:, longer] += part
    return sums


def _sum_across(sums: NDArray[np.uint16], columns: Windows, channels: int) -> NDArray[np.uint16]:
    """Sums of every window that is shown, at each pixel that shows it."""
    least, most = int(columns.length.min()), int(columns.length.max())
    running = sums.copy() if most > 1 else sums
    kinds = []
    for length in range(1, most + 1):
        if length > 1:
            shift = (length - 1) * channels
            running[..., :-shift] += sums[..., shift:]
        if length >= least:
            kinds.append(running.copy() if length < most else running)
    side = kinds[0] if len(kinds) == 1 else np.concatenate(kinds, -1)
    return side.take(_places(sums.shape[-1], columns, channels), axis=-1, mode="clip")


def _places(line: int, columns: Windows, channels: int) -> Places:
    kind = (columns.length - columns.length.min()) * line + columns.first * channels
    places: Places = (kind[columns.shown][:, None] + np.arange(channels)).ravel()
    return places


@functools.lru_cache(maxsize=64)
def _weights(height: int, width: int, down: int, across: int, channels: int) -> NDArray[np.float32]:
    """One over the number of pixels in the window that is shown, down x (width channels)."""
    rows, columns = windows(height, down), windows(width, across)
    count = rows.length[:, None] * np.repeat(columns.length[columns.shown], channels)[None, :]
    return (1 / count).astype(np.float32)
