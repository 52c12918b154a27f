"""Scales: an image smoothed more and more, the coarse levels at a small size."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import interpolate

from hardgen.functional.filters import gaussian_blur

REDUCED = 64
"""Short side, in pixels, at which coarse levels are computed: detail of that size is gone by then."""


def smoothed(images: Tensor, fine: Sequence[float], coarse: Sequence[float]) -> list[Tensor]:
    """Gaussian blurs of an image.

    Args:
        images: B x C x H x W float32, channels_last.
        fine: Standard deviations, of the short side; the last is at least 1 / `REDUCED`.
        coarse: Larger ones, computed from the last of the fine ones at a small size.

    Returns:
        For each standard deviation a tensor of the images' shape.
    """
    height, width = images.shape[-2:]
    short = min(height, width)
    levels = [gaussian_blur(images, scale * short) for scale in fine]
    small = levels[-1]
    if short > REDUCED:
        small = interpolate(small, _small(height, width), mode="bilinear").contiguous(memory_format=torch.channels_last)
    for scale in coarse:
        level = gaussian_blur(small, math.sqrt(scale**2 - fine[-1] ** 2) * min(small.shape[-2:]))
        levels.append(interpolate(level, (height, width), mode="bilinear") if short > REDUCED else level)
    return levels


def local_mean(images: Tensor, sigma: float) -> Tensor:
    """The mean round about, weighed by a Gaussian; where that is broad, of the image made small by area.

    Args:
        images: B x C x H x W float32.
        sigma: Standard deviation, of the short side.

    Returns:
        The same shape.
    """
    height, width = images.shape[-2:]
    short = min(height, width)
    if sigma * REDUCED < 1 or short <= REDUCED:
        return gaussian_blur(images, sigma * short)
    small = interpolate(images, _small(height, width), mode="area")
    return interpolate(gaussian_blur(small, sigma * min(small.shape[-2:])), (height, width), mode="bilinear")


def _small(height: int, width: int) -> tuple[int, int]:
    short = min(height, width)
    return round(height * REDUCED / short), round(width * REDUCED / short)
