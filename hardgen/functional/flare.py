"""What a lens makes of the sun: a core, a halo, a veil, and a chain of ghosts."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

GHOSTS = 9
"""Ghosts of a flare."""

NUMBERS = 2 + 4 * GHOSTS
"""Uniform numbers that a flare takes."""

CORE, HALO = 0.03, 0.16
"""Standard deviation of the core, and way to half of the halo's light, of the short side."""

CORE_SHARE, HALO_SHARE, VEIL_SHARE = 0.5, 0.36, 0.14
"""What core, halo and veil share in the light at the source."""

SUN = (1.0, 0.96, 0.88)
"""Colour of the source."""

EDGE = 0.008
"""Width of a ghost's soft edge, of the short side."""


def flare(height: int, width: int, numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Light of one flare.

    The source lies 0.2 to 0.5 of each side from the middle of the image at a drawn angle, and ghosts on the line from
    it through the middle. With the distance d from the source in short sides the core is a Gaussian, the halo 1 / (1 +
    (d / HALO)^2) and the veil exp(-d / 2).

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        numbers: `NUMBERS` uniform in [0, 1).

    Returns:
        height x width x 3 float32: about SUN at the source, where no ghost lies.
    """
    short = min(height, width)
    turn, reach, ghosts = 2 * math.pi * float(numbers[0]), 0.2 + 0.3 * float(numbers[1]), numbers[2:].reshape(GHOSTS, 4)
    away = np.array([math.cos(turn) * reach * width, math.sin(turn) * reach * height]) / short
    y = ((np.arange(height) + 0.5 - height / 2) / short).astype(np.float32)
    x = ((np.arange(width) + 0.5 - width / 2) / short).astype(np.float32)
    down, across = np.square(y - np.float32(away[1]))[:, None], np.square(x - np.float32(away[0]))[None, :]
    core = np.exp(down * np.float32(-0.5 / CORE**2)) * np.exp(across * np.float32(-0.5 / CORE**2))
    square = down + across
    veil = np.asarray(cv2.exp(cv2.sqrt(square) * np.float32(-0.5)), dtype=np.float32)
    light = core * np.float32(CORE_SHARE) + np.float32(HALO_SHARE) / (1 + square * np.float32(1 / HALO**2))
    light += veil * np.float32(VEIL_SHARE)
    out = np.asarray(cv2.merge([light * np.float32(c) for c in SUN]), dtype=np.float32)
    for place, size, hue, strength in ghosts.tolist():
        middle, radius = away * (0.7 - 2.4 * place), 0.02 + 0.13 * size * size
        rows, columns = (_near(at, float(m), radius + EDGE) for at, m in ((y, middle[1]), (x, middle[0])))
        if rows.start < rows.stop and columns.start < columns.stop:
            far = np.hypot(y[rows, None] - np.float32(middle[1]), x[None, columns] - np.float32(middle[0]))
            disc = np.clip((np.float32(radius) - far) / np.float32(EDGE) + np.float32(0.5), 0, 1)
            disc *= np.float32(0.6) + np.float32(0.4 / radius**2) * far * far
            out[rows, columns] += (disc * np.float32(0.06 + 0.12 * strength))[..., None] * _colour(hue)
    return out


def _near(at: NDArray[np.float32], middle: float, reach: float) -> slice:
    """Which of the ascending places lie within reach of the middle."""
    return slice(*np.searchsorted(at, (middle - reach, middle + reach)).tolist())


def _colour(hue: float) -> NDArray[np.float32]:
    """A pale colour whose greatest channel is 1."""
    channels = 0.65 + 0.35 * np.cos(2 * math.pi * (hue - np.arange(3) / 3))
    return np.asarray(channels / channels.max(), dtype=np.float32)
