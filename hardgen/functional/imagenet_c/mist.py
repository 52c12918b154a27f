"""ImageNet-C's fog and snow on bytes: the maths of `weather`, image by image."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.functional.bytewise import CUT, Bytes, OnBytes, flat
from hardgen.functional.imagenet_c.blurs import Offsets, drag_opencv, zoomed

Planes = NDArray[np.float32]
COARSE = 64
"""Side of the fog's map up to which it is made for all images at once."""


def fog(draws: Planes, decay: float, amount: float, height: int) -> OnBytes:
    """Adds a height map as light, and scales the whole to the image's greatest value.

    Args:
        draws: As for `weather.plasma`.
        decay: The same.
        amount: Light where the map is highest.
        height: Rows of each image.
    """
    # The coarse levels of all images at once, the fine ones image by image within the cache.
    start = min(COARSE * COARSE, draws.shape[1] + 1) - 1
    coarse = heights(draws[:, :start], decay)

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        width, channels = pixels.shape[1:]
        maps = heights(draws[part, start:], decay, coarse[part])
        out = np.empty((len(pixels), width * channels), np.uint8)
        images, results = pixels.reshape(-1, height, width * channels), out.reshape(-1, height, width * channels)
        for image, result, field in zip(images, results, maps, strict=True):
            brightest, low, high = float(image.max()) / 255, float(field.min()), float(field.max())
            share = brightest / (brightest + amount)
            veil = field[:height, :width]
            layer = cv2.cvtColor(veil, cv2.COLOR_GRAY2RGB) if channels > 1 else np.ascontiguousarray(veil)
            gain = 255 * amount * share / (high - low)
            cv2.addWeighted(image, share, flat(layer), gain, CUT - gain * low, dst=result, dtype=cv2.CV_8U)
        return out

    return how


def heights(draws: Planes, decay: float, coarse: Planes | None = None) -> Planes:
    """`weather.plasma` before it is stretched, B x S x S; of later levels, if what comes before is handed in."""
    corners = np.zeros((len(draws), 1, 1), np.float32) if coarse is None else coarse
    start, n = 0, corners.shape[1]
    while start < draws.shape[1]:
        size = 3 * n * n
        step = decay ** (-2 * (n.bit_length() - 1))
        corners = _finer(corners, draws[:, start : start + size].reshape(-1, 3, n, n), step)
        start, n = start + size, 2 * n
    return corners


def _finer(corners: Planes, draws: Planes, step: float) -> Planes:
    """One level: points between the corners, each the mean of four around it and a random step."""
    batch, n = corners.shape[:2]
    steps = np.multiply(draws, np.float32(2 * step))
    steps -= np.float32(step)
    # The corners with the first row and column once more at the end; the centres with the last ones before the start.
    ends, starts = np.empty((2, batch, n + 1, n + 1), np.float32)
    ends[:, :-1, :-1] = corners
    ends[:, -1], ends[:, :, -1] = ends[:, 0], ends[:, :, 0]
    ends[:, -1, -1] = ends[:, 0, 0]
    lines = ends[:, :-1] + ends[:, 1:]
    centre = starts[:, 1:, 1:]
    np.add(lines[:, :, :-1], lines[:, :, 1:], out=centre)
    centre *= np.float32(0.25)
    centre += steps[:, 0]
    starts[:, 0, 1:], starts[:, 1:, 0] = centre[:, -1], centre[:, :, -1]
    above = starts[:, :-1, 1:] + centre
    above += corners
    above += ends[:, :-1, 1:]
    above *= np.float32(0.25)
    above += steps[:, 1]
    beside = starts[:, 1:, :-1] + centre
    beside += lines[:, :, :-1]
    beside *= np.float32(0.25)
    beside += steps[:, 2]
    new = np.empty((batch, 2 * n, 2 * n), np.float32)
    new[:, ::2, ::2], new[:, ::2, 1::2], new[:, 1::2, ::2], new[:, 1::2, 1::2] = corners, above, beside, centre
    return new


@dataclass(frozen=True)
class Flakes:
    """A layer of snow, as `weather.flakes` has it."""

    mean: float
    spread: float
    zoom: float
    threshold: float

    def layer(self, normal: Planes) -> Planes:
        """The brightest parts of an H x W field of standard normal numbers, enlarged."""
        height, width = normal.shape
        noise = np.asarray(cv2.addWeighted(normal, self.spread, normal, 0.0, self.mean), np.float32)
        least = float(np.nextafter(np.float32(self.threshold), np.float32(0)))
        field = cv2.threshold(zoomed(noise, self.zoom), least, 0.0, cv2.THRESH_TOZERO)[1]
        return np.minimum(np.asarray(field, np.float32), np.float32(1)).reshape(height, width)


WHITER = np.rint(np.arange(256) * 1.5 + 127.5).astype(np.int16)
"""How bright a grey turns in snow, in levels; beyond white, too."""


def snow(fields: Planes, flakes: Flakes, each: Sequence[Offsets], keep: float) -> OnBytes:
    """Whitens one image at a time and lets a layer fall over it twice, once upside down.

    Args:
        fields: B x H x W standard normal numbers.
        flakes: What they become.
        each: How each image's layer is dragged.
        keep: Share of the image beside its whitened version.
    """

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        height, width, channels = pixels.shape
        offsets = [o for o in each[part.start] if abs(o[0]) < height and abs(o[1]) < width]
        dragged = drag_opencv(flakes.layer(fields[part.start]), offsets)
        falling = cv2.convertScaleAbs(dragged, alpha=255.0)
        falling = cv2.add(falling, cv2.flip(falling, -1))
        grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY) if channels == 3 else pixels.reshape(height, width)
        white, snowing = cv2.LUT(grey, WHITER), falling
        if channels == 3:
            white, snowing = cv2.merge([white] * 3), cv2.cvtColor(falling, cv2.COLOR_GRAY2RGB)
        x = flat(pixels)
        whiter = np.subtract(flat(white), x)
        np.maximum(whiter, 0, out=whiter)
        mixed = cv2.addWeighted(x, 1.0, whiter, 1 - keep, CUT, dtype=cv2.CV_8U)
        return np.asarray(cv2.add(mixed, flat(snowing)))

    return how
