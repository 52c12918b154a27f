"""ImageNet-C's fog and snow on bytes: the maths of `weather`, image by image."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.functional.bytewise import CUT, Bytes, OnBytes, flat
from hardgen.functional.imagenet_c.blurs import Offsets, drag_opencv, zoomed

Planes = NDArray[np.float32]


def fog(draws: Planes, decay: float, amount: float, height: int) -> OnBytes:
    """Adds a height map as light, and scales the whole to the image's greatest value.

    Args:
        draws: As for `weather.plasma`.
        decay: The same.
        amount: Light where the map is highest.
        height: Rows of each image.
    """

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        width, channels = pixels.shape[1:]
        maps = heights(draws[part], decay)
        lows, highs = maps.min((1, 2)).tolist(), maps.max((1, 2)).tolist()
        out = np.empty((len(pixels), width * channels), np.uint8)
        images, results = pixels.reshape(-1, height, width * channels), out.reshape(-1, height, width * channels)
        for image, result, field, low, high in zip(images, results, maps, lows, highs, strict=True):
            brightest = float(image.max()) / 255
            share = brightest / (brightest + amount)
            veil = field[:height, :width]
            layer = cv2.merge([veil] * channels) if channels > 1 else np.ascontiguousarray(veil)
            gain = 255 * amount * share / (high - low)
            cv2.addWeighted(image, share, flat(layer), gain, CUT - gain * low, dst=result, dtype=cv2.CV_8U)
        return out

    return how


def heights(draws: Planes, decay: float) -> Planes:
    """`weather.plasma` before it is stretched, B x S x S."""
    batch, n, start, step = len(draws), 1, 0, 1.0
    ends = np.zeros((batch, 2, 2), np.float32)
    while True:
        size = 3 * n * n
        steps = np.multiply(draws[:, start : start + size], np.float32(2 * step)).reshape(batch, 3, n, n)
        steps -= np.float32(step)
        # Corners with the first row and column once more at the end; centres with the last ones before the start.
        corners = ends[:, :-1, :-1]
        lines = ends[:, :-1] + ends[:, 1:]
        wide = np.empty((batch, n + 1, n + 1), np.float32)
        centre = wide[:, 1:, 1:]
        np.add(lines[:, :, :-1], lines[:, :, 1:], out=centre)
        centre *= np.float32(0.25)
        centre += steps[:, 0]
        wide[:, 0, 1:], wide[:, 1:, 0] = centre[:, -1], centre[:, :, -1]
        above = wide[:, :-1, 1:] + centre
        above += corners
        above += ends[:, :-1, 1:]
        above *= np.float32(0.25)
        above += steps[:, 1]
        beside = wide[:, 1:, :-1] + centre
        beside += lines[:, :, :-1]
        beside *= np.float32(0.25)
        beside += steps[:, 2]
        new = np.empty((batch, 2 * n + 1, 2 * n + 1), np.float32)
        new[:, :-1:2, :-1:2], new[:, :-1:2, 1::2] = corners, above
        new[:, 1::2, :-1:2], new[:, 1::2, 1::2] = beside, centre
        start, n, step = start + size, 2 * n, step / decay**2
        if start >= draws.shape[1]:
            return new[:, :-1, :-1]
        new[:, -1], new[:, :, -1] = new[:, 0], new[:, :, 0]
        new[:, -1, -1] = new[:, 0, 0]
        ends = new


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
            white, snowing = cv2.merge([white] * 3), cv2.merge([falling] * 3)
        x = flat(pixels)
        whiter = np.subtract(flat(white), x)
        np.maximum(whiter, 0, out=whiter)
        mixed = cv2.addWeighted(x, 1.0, whiter, 1 - keep, CUT, dtype=cv2.CV_8U)
        return np.asarray(cv2.add(mixed, flat(snowing)))

    return how
