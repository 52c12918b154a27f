"""Fewer pixels and back: block means, enlargement by several rules."""

import functools
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from hardgen.functional.parallel import by_image

NEAREST, LINEAR, CUBIC = "nearest", "bilinear", "bicubic"
_OPENCV = {NEAREST: cv2.INTER_NEAREST_EXACT, LINEAR: cv2.INTER_LINEAR, CUBIC: cv2.INTER_CUBIC}
_TORCH = {NEAREST: "nearest-exact", LINEAR: "bilinear", CUBIC: "bicubic"}


def smaller(height: int, width: int, short: float) -> tuple[int, int]:
    """Height and width at which the short side has so many pixels; never more than it has, at least 1."""
    scale = min(short / min(height, width), 1.0)
    return max(round(height * scale), 1), max(round(width * scale), 1)


def coarsen(images: Tensor, height: int, width: int, back: str) -> Tensor:
    """Shrinks images to so many pixels, each the mean of the area that it covers, and enlarges them again.

    Args:
        images: B x C x H x W float32.
        height: In pixels, at most H.
        width: In pixels, at most W.
        back: `nearest`, `bilinear` or `bicubic`.

    Returns:
        B x C x H x W, channels_last; bicubic overshoots at edges.
    """
    if images.device.type == "cpu":
        return coarsen_opencv(images, height, width, back)
    return coarsen_torch(images, height, width, back)


def coarsen_opencv(images: Tensor, height: int, width: int, back: str) -> Tensor:
    """`coarsen` for CPU tensors."""

    def one(image: NDArray[np.float32], _: int) -> NDArray[Any]:
        small = cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
        return cv2.resize(small, (image.shape[1], image.shape[0]), interpolation=_OPENCV[back])

    return by_image(images, one)


def coarsen_torch(images: Tensor, height: int, width: int, back: str) -> Tensor:
    """`coarsen` for every device."""
    down = _areas(images.shape[2], height).to(images.device)
    across = _areas(images.shape[3], width).to(images.device)
    small = down @ images @ across.T
    smooth = None if back == NEAREST else False
    return functional.interpolate(small, tuple(images.shape[-2:]), mode=_TORCH[back], align_corners=smooth)


@functools.lru_cache(maxsize=64)
def _areas(size: int, count: int) -> Tensor:
    """The count x size matrix that takes the means of equal stretches of a line; pixels on a border count in part."""
    edges = np.arange(count + 1) * (size / count)
    pixels = np.arange(size)
    overlap = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    return torch.from_numpy((overlap.clip(0) * (count / size)).astype(np.float32))
