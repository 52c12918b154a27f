"""Ice on glass by formula: in brightness, colour and spatial frequencies like the photographs of the reference."""

import functools
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

OCTAVES = (1, 2, 4, 8, 16, 32, 64, 128)
"""Edges of the octaves in which power is stated, in cycles over 224 pixels."""


@dataclass(frozen=True)
class Ice:
    """What one photograph of ice looks like.

    Attributes:
        colour: Mean red, green and blue.
        power: Variance of the brightness in each octave, times 10000.
    """

    colour: tuple[float, float, float]
    power: tuple[float, ...]


KINDS = (
    Ice((0.319, 0.591, 0.653), (14.5, 5.8, 3.1, 2.0, 3.1, 6.5, 3.3)),
    Ice((0.778, 0.795, 0.832), (11.2, 6.2, 6.2, 9.5, 9.2, 10.7, 4.1)),
    Ice((0.778, 0.795, 0.832), (11.2, 6.2, 6.2, 9.5, 9.2, 10.7, 4.1)),
    Ice((0.562, 0.619, 0.669), (16.2, 7.1, 7.8, 13.0, 20.2, 29.2, 12.0)),
    Ice((0.408, 0.452, 0.498), (21.5, 23.5, 30.8, 30.6, 32.6, 33.0, 19.2)),
)
"""Measured on 30 pieces of 224 px each of the five photographs that the reference draws from (two of them are the same,
and a sixth is never drawn)."""


def ice(normal: Tensor, kinds: Tensor, scale: float) -> Tensor:
    """Pictures of ice.

    Ridges of a random field give needles; the power in each octave is then set to that of the photograph.

    Args:
        normal: B x H x W standard normal numbers.
        kinds: B whole numbers: which of `KINDS`.
        scale: By how much the photograph is made smaller: 1 for 224 px.

    Returns:
        B x 3 x H x W float32; values may leave [0, 1].
    """
    made = [_one(field.numpy(), KINDS[kind], scale) for field, kind in zip(normal.cpu(), kinds.tolist(), strict=True)]
    return torch.stack(made).to(normal.device)


def _one(normal: NDArray[np.float32], kind: Ice, scale: float) -> Tensor:
    height, width = normal.shape
    rings, ridge = _rings(height, width, scale)
    rough = np.fft.irfft2(np.fft.rfft2(normal) * ridge, s=normal.shape)
    spectrum = np.fft.rfft2(-np.abs(rough))
    spectrum[0, 0] = 0
    # Columns of a real transform stand for two coefficients each, but for the first and, at even widths, the last.
    twice = np.full(spectrum.shape[1], 2.0)
    twice[0] = 1.0
    if width % 2 == 0:
        twice[-1] = 1.0
    own = np.bincount(rings.ravel(), (np.abs(spectrum) ** 2 * twice).ravel(), minlength=len(kind.power) + 2)
    wanted = np.array([0.0, *kind.power, 0.0]) * 1e-4 * (height * width) ** 2
    gain = np.sqrt(np.divide(wanted, own, out=np.zeros_like(wanted), where=own > 0))
    field = np.fft.irfft2(spectrum * gain[rings], s=normal.shape).astype(np.float32)
    return torch.from_numpy(field)[None] + torch.tensor(kind.colour)[:, None, None]


@functools.lru_cache(maxsize=8)
def _rings(height: int, width: int, scale: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The octave of every coefficient of a real transform, 0 and 8 for what lies outside; and the needles' filter."""
    cycles = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :]) * 224 * scale
    return np.digitize(cycles, OCTAVES), 1 / np.maximum(cycles, 4.0)
