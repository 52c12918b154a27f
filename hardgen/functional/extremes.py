"""The darkest or the brightest value of a window around every pixel."""

import math
from collections.abc import Sequence

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import max_pool2d

from hardgen.functional.parallel import by_image


def spread_extremes(images: Tensor, radius: float, bright: Sequence[bool]) -> Tensor:
    """Erosion or dilation of every channel: the least or the greatest value of a square window.

    Between two whole radii the result is between theirs. A larger radius never gives a darker dilation or a brighter
    erosion. Beyond the border there is nothing.

    Args:
        images: B x C x H x W float32.
        radius: In pixels, at least 0: a window of radius 1 has 3 x 3 pixels.
        bright: For each image whether its bright parts spread (dilation), or its dark ones (erosion).

    Returns:
        The same shape, channels_last.
    """
    if images.device.type == "cpu":
        return extremes_opencv(images, radius, bright)
    return extremes_torch(images, radius, bright)


def extremes_opencv(images: Tensor, radius: float, bright: Sequence[bool]) -> Tensor:
    """`spread_extremes` for CPU tensors."""
    small = math.floor(radius)

    def one(image: NDArray[np.float32], i: int) -> NDArray[np.float32]:
        how = cv2.dilate if bright[i] else cv2.erode
        first = how(image, np.ones((2 * small + 1,) * 2, np.uint8))
        if radius > small:
            second = how(first, np.ones((3, 3), np.uint8))
            first = cv2.addWeighted(first, 1 - (radius - small), second, radius - small, 0.0)
        return np.asarray(first)

    return by_image(images, one)


def extremes_torch(images: Tensor, radius: float, bright: Sequence[bool]) -> Tensor:
    """`spread_extremes` by torch, on any device."""
    sign = torch.tensor([1.0 if up else -1.0 for up in bright], device=images.device)[:, None, None, None]
    small = math.floor(radius)
    first = _greatest(images * sign, small)
    out = torch.lerp(first, _greatest(first, 1), radius - small) * sign
    return out.contiguous(memory_format=torch.channels_last)


def _greatest(images: Tensor, radius: int) -> Tensor:
    side = 2 * radius + 1
    return max_pool2d(max_pool2d(images, (side, 1), 1, (radius, 0)), (1, side), 1, (0, radius))
