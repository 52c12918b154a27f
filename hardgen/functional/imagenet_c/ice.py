"""Ice on glass by formula: in brightness, colour and spatial frequencies like the photographs of the reference."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.bytewise import CUT, GREY, Bytes, OnBytes, flat, is_grey

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

    Args:
        normal: B x H x W standard normal numbers.
        kinds: B whole numbers: which of `KINDS`.
        scale: By how much the photograph is made smaller: 1 for 224 px.

    Returns:
        B x 3 x H x W float32; values may leave [0, 1].
    """
    made = [
        torch.from_numpy(needles(field.numpy(), KINDS[kind], scale)) + torch.tensor(KINDS[kind].colour)[:, None, None]
        for field, kind in zip(normal.cpu(), kinds.tolist(), strict=True)
    ]
    return torch.stack(made).to(normal.device)


def freeze(normal: NDArray[np.float32], kinds: Sequence[int], scale: float, keep: float, add: float) -> OnBytes:
    """Dims one image at a time and adds ice of 8 bits, grey to a grey image; arguments as in `ice`."""

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        kind = KINDS[kinds[part.start]]
        levels = np.multiply(needles(normal[part.start], kind, scale), np.float32(255))
        colours = (float(GREY @ kind.colour),) if is_grey(pixels) else kind.colour
        planes = [cv2.addWeighted(levels, 1.0, levels, 0.0, 255 * c, dtype=cv2.CV_8U) for c in colours]
        layer = flat(cv2.merge(planes * (pixels.shape[2] // len(planes))), len(pixels))
        return np.asarray(cv2.addWeighted(flat(pixels), keep, layer, add, CUT))

    return how


def needles(normal: NDArray[np.float32], kind: Ice, scale: float) -> NDArray[np.float32]:
    """The brightness of ice about its mean.

    Ridges of a random field give needles; the power in each octave is then set to that of the photograph.
    """
    height, width = normal.shape
    rings, masks, ridge, weights = _rings(height, width, scale)
    rough = cv2.idft(cv2.multiply(cv2.dft(normal), ridge))
    spectrum = cv2.dft(np.negative(np.abs(rough)))
    weighted, size = cv2.multiply(spectrum, weights), height * width
    gain = np.zeros(256, np.float32)
    for ring, (mask, power) in enumerate(zip(masks, kind.power, strict=True), 1):
        own = cv2.norm(weighted, cv2.NORM_L2, mask)
        gain[ring] = math.sqrt(power * 1e-4) * size / own if own > 0 else 0.0
    shaped = cv2.multiply(spectrum, cv2.LUT(rings, gain))
    return np.asarray(cv2.idft(shaped, flags=cv2.DFT_SCALE), dtype=np.float32)


@functools.lru_cache(maxsize=8)
def _rings(
    height: int, width: int, scale: float
) -> tuple[Bytes, list[Bytes], NDArray[np.float32], NDArray[np.float32]]:
    """For every number of a real transform, in OpenCV's order: octave, where each octave is, needles' filter, weight.

    Octaves are counted from 1; 0 and 8 are what lies outside. A weight is the root of how many coefficients a number is
    of.
    """
    row, column = np.arange(height)[:, None], np.arange(width)[None, :]
    across = (column + 1) // 2
    # The first column, and the last of an even width, are real transforms of their own, packed downwards.
    packed = (across == 0) | (2 * across == width)
    down = np.where(packed, (row + 1) // 2, np.minimum(row, height - row))
    once = packed & ((row == 0) | (2 * down == height))
    cycles = np.hypot(down / height, across / width) * 224 * scale
    rings = np.digitize(cycles, OCTAVES).astype(np.uint8)
    masks = [(rings == ring).astype(np.uint8) for ring in range(1, len(OCTAVES))]
    ridge, weights = 1 / np.maximum(cycles, 4.0), np.where(once, 1, math.sqrt(2))
    return rings, masks, ridge.astype(np.float32), weights.astype(np.float32)
