"""Scales: an image smoothed more and more, the coarse levels at a small size."""

import math
from collections.abc import Sequence

import cv2
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
        levels.append(enlarged(level, height, width) if short > REDUCED else level)
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
    return enlarged(gaussian_blur(small, sigma * min(small.shape[-2:])), height, width)


def enlarged(images: Tensor, height: int, width: int) -> Tensor:
    """Bilinear interpolation to another size, corners of pixels on corners.

    Args:
        images: B x C x h x w float32; channels_last ones stay so.
        height: In pixels.
        width: In pixels.
    """
    if images.device.type != "cpu":
        return interpolate(images, (height, width), mode="bilinear")
    return enlarged_opencv(images, height, width)


def enlarged_opencv(images: Tensor, height: int, width: int) -> Tensor:
    """`enlarged` by OpenCV, for CPU tensors."""
    last = images.is_contiguous(memory_format=torch.channels_last) and not images.is_contiguous()
    form = torch.channels_last if last else torch.contiguous_format
    out = torch.empty(*images.shape[:2], height, width, memory_format=form)
    sources, results = (x.permute(0, 2, 3, 1) if last else x.flatten(0, 1) for x in (images, out))
    for source, result in zip(sources.numpy(), results.numpy(), strict=True):
        cv2.resize(source, (width, height), dst=result, interpolation=cv2.INTER_LINEAR)
    return out


def _small(height: int, width: int) -> tuple[int, int]:
    short = min(height, width)
    return round(height * REDUCED / short), round(width * REDUCED / short)
