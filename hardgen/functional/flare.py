"""What a lens makes of the sun: a core, a halo, a veil, and a chain of ghosts."""

import functools
import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.functional.layering import LUMA

GHOSTS = 9
"""Ghosts of a flare."""

NUMBERS = 2 + 4 * GHOSTS
"""Uniform numbers that a flare takes."""

SIZES = 16
"""Sizes that ghosts come in."""

CORE, HALO = 0.03, 0.16
"""Standard deviation of the core, and way to half of the halo's light, of the short side."""

CORE_SHARE, HALO_SHARE, VEIL_SHARE = 0.5, 0.36, 0.14
"""What core, halo and veil share in the light at the source."""

SUN = (1.0, 0.96, 0.88)
"""Colour of the source."""

THIRDS = np.arange(3, dtype=np.float32) / 3
"""Hues of red, green and blue."""

EDGE = 0.008
"""Width of a ghost's soft edge, of the short side."""


def flare(height: int, width: int, numbers: NDArray[np.float32], grey: bool = False) -> NDArray[np.float32]:
    """Light of one flare.

    The source lies 0.2 to 0.5 of each side from the middle of the image at a drawn angle, and ghosts on the line from
    it through the middle, all in the middle of a pixel. With the distance d from the source in short sides the core is
    a Gaussian, the halo 1 / (1 + (d / HALO)^2) and the veil exp(-d / 2).

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        numbers: `NUMBERS` uniform in [0, 1).
        grey: Whether there is brightness alone.

    Returns:
        3 (for grey 1) x height x width float32: about SUN at the source, where no ghost lies.
    """
    short = min(height, width)
    places, sizes, hues, strengths = numbers[2:].reshape(GHOSTS, 4).T
    turn, reach = 2 * math.pi * float(numbers[0]), 0.2 + 0.3 * float(numbers[1])
    x, y = math.cos(turn) * reach * width, math.sin(turn) * reach * height
    top, left = height - _pixel(y, height), width - _pixel(x, width)
    light = _shine(height, width)[top : top + height, left : left + width]
    out = np.empty((1 if grey else 3, height, width), np.float32)
    np.multiply(light, _weighed(np.array([SUN], np.float32), grey)[0], out=out)
    colours = _weighed(_colours(hues) * (np.float32(0.06) + np.float32(0.12) * strengths)[:, None], grey)
    for place, size, colour in zip(places.tolist(), sizes.tolist(), colours, strict=True):
        disc, back = _ghost(short, int(size * SIZES)), 0.7 - 2.4 * place
        radius = len(disc) // 2
        row, column = _pixel(y * back, height) - radius, _pixel(x * back, width) - radius
        part = out[:, max(row, 0) : max(row + len(disc), 0), max(column, 0) : max(column + len(disc), 0)]
        seen = disc[max(-row, 0) :, max(-column, 0) :][: part.shape[1], : part.shape[2]]
        part += seen * colour
    return out


def _pixel(way: float, side: int) -> int:
    """The pixel at a way from the middle of a side, in pixels."""
    return math.floor(side / 2 + way)


def _colours(hues: NDArray[np.float32]) -> NDArray[np.float32]:
    """Pale colours, n x 3, whose greatest channel is 1."""
    channels = np.float32(0.65) + np.float32(0.35) * np.cos(np.float32(2 * np.pi) * (hues[:, None] - THIRDS))
    return np.asarray(channels / channels.max(1, keepdims=True), dtype=np.float32)


def _weighed(colours: NDArray[np.float32], grey: bool) -> NDArray[np.float32]:
    """Colours, n x 3, or their brightness alone, for planes of channels: n x 3 or 1 x 1 x 1."""
    channels = colours @ np.array(LUMA, np.float32)[:, None] if grey else colours
    return channels[..., None, None]


@functools.lru_cache(maxsize=4)
def _shine(height: int, width: int) -> NDArray[np.float32]:
    """The source's light about it, as far as the image reaches to all sides; read-only."""
    down, across = (np.square(np.arange(-n, n + 1, dtype=np.float32) / min(height, width)) for n in (height, width))
    square = down[:, None] + across
    light = np.exp(square * np.float32(-0.5 / CORE**2)) * np.float32(CORE_SHARE)
    light += np.float32(HALO_SHARE) / (1 + square * np.float32(1 / HALO**2))
    light += np.exp(np.sqrt(square) * np.float32(-0.5)) * np.float32(VEIL_SHARE)
    return np.asarray(light, dtype=np.float32)


@functools.lru_cache(maxsize=2 * SIZES)
def _ghost(short: int, size: int) -> NDArray[np.float32]:
    """A ghost of one of the sizes, a square with a middle; read-only."""
    radius = 0.02 + 0.13 * ((size + 0.5) / SIZES) ** 2
    reach = math.ceil((radius + EDGE) * short)
    way = np.square(np.arange(-reach, reach + 1, dtype=np.float32) / short)
    square = way[:, None] + way
    disc = np.clip((np.float32(radius) - np.sqrt(square)) / np.float32(EDGE) + np.float32(0.5), 0, 1)
    return np.asarray(disc * (np.float32(0.6) + np.float32(0.4 / radius**2) * square), dtype=np.float32)


def add_light(pixels: NDArray[Any], light: NDArray[np.float32], gain: float) -> NDArray[Any]:
    """One image with light added; bytes are rounded to the nearest.

    Args:
        pixels: H x W x C, float32 in [0, 1] or bytes.
        light: C or 1 x H x W.
        gain: What the light is multiplied by.
    """
    rows, planes = len(pixels), [*light] * (pixels.shape[2] // len(light))
    added = (cv2.merge(planes) if len(planes) > 1 else light[0]).reshape(rows, -1)
    whole, kind = (255.0, cv2.CV_8U) if pixels.dtype == np.uint8 else (1.0, cv2.CV_32F)
    return np.asarray(cv2.addWeighted(pixels.reshape(rows, -1), 1.0, added, gain * whole, 0.0, dtype=kind))
