"""Fewer pixels and back: block means, enlargement by several rules."""

import functools
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from hardgen.functional.sources import Bytes, Floats, Making, make

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
    return make(images, coarsening(height, width, back))


def coarsening(height: int, width: int, back: str, share: float = 1.0) -> Making:
    """`coarsen` for each image by itself, on the CPU.

    Args:
        height: In pixels, at most H.
        width: In pixels, at most W.
        back: `nearest`, `bilinear` or `bicubic`.
        share: How far to go from the image to the coarse one, in [0, 1].
    """

    def shrunk(image: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA))

    def grown(small: NDArray[Any], image: NDArray[Any]) -> NDArray[Any]:
        large = cv2.resize(small, (image.shape[1], image.shape[0]), interpolation=_OPENCV[back])
        return np.asarray(large).reshape(image.shape)

    def floats(image: Floats, _: int) -> Floats:
        coarse = grown(shrunk(image), image)
        return coarse if share == 1.0 else image + (coarse - image) * np.float32(share)

    def levels(codes: Bytes, _: int) -> Bytes:
        if back == NEAREST:
            return grown(shrunk(codes), codes)
        large = grown(shrunk(codes.astype(np.float32)), codes)
        return np.asarray(cv2.addWeighted(large, 1.0, large, 0.0, 0.0, dtype=cv2.CV_8U))

    return Making(floats, levels if share == 1.0 else None)


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
