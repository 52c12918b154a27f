"""The median of a window around every pixel."""

from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from hardgen.functional.filters import ALIKE
from hardgen.functional.sources import Making, make

WIDE = 25
"""Window from which widths are rounded to odd ones: the medians of neighbouring windows hardly differ."""
EXACT = 5
"""Window up to which OpenCV takes medians of float32; above, of 8-bit values."""


def median_blur(images: Tensor, width: float) -> Tensor:
    """The median over a square window in each channel; between odd widths up to 25, a mix of the two nearest.

    Args:
        images: B x C x H x W float32 in [0, 1]; the border is replicated.
        width: Of the window in pixels; 1 and less change nothing. A window of more than 5 pixels sees the image in 8
            bits.

    Returns:
        The same shape, channels_last.
    """
    if images.device.type == "cpu":
        return make(images, median_blurring(width))
    small, share = _windows(width)
    first = median_torch(images, small)
    return torch.lerp(first, median_torch(images, small + 2), share) if share else first


def median_blurring(width: float) -> Making:
    """`median_blur` for each image by itself, on the CPU."""
    small, share = _windows(width)
    return Making(
        lambda image, _: _mixed(image, small, share),
        None if share else lambda codes, _: cv2.medianBlur(codes, small),
    )


def _windows(width: float) -> tuple[int, float]:
    """The smaller of the two nearest odd windows, and the share of the larger."""
    small = 2 * int((max(width, 1.0) - 1 + ALIKE) / 2) + 1
    share = max((max(width, 1.0) - small) / 2, 0.0)
    return (small + 2 * round(share), 0.0) if small >= WIDE or share <= ALIKE else (small, share)


def _mixed(image: NDArray[Any], small: int, share: float) -> NDArray[Any]:
    first = median_opencv(image, small)
    return cv2.addWeighted(first, 1 - share, median_opencv(image, small + 2), share, 0.0) if share else first


def median_opencv(image: NDArray[Any], window: int) -> NDArray[Any]:
    """The median over an odd window of one H x W x C image, by OpenCV."""
    if window == 1:
        return image
    if window <= EXACT:
        return cv2.medianBlur(image, window)
    coarse = np.rint(image * 255).astype(np.uint8)
    result: NDArray[Any] = cv2.medianBlur(coarse, window).astype(np.float32) / np.float32(255)
    return result


def median_torch(images: Tensor, window: int) -> Tensor:
    """The median over an odd window, for every device; arguments as in `median_blur`.

    Small windows are sorted. For larger ones the median of 8-bit values is the number of levels that at least half of
    the window reaches.
    """
    if window == 1:
        return images
    half, (batch, channels, height, width) = window // 2, images.shape
    padded = functional.pad(images, (half, half, half, half), mode="replicate")
    if window <= EXACT:
        windows = functional.unfold(padded, window).reshape(batch, channels, window * window, height, width)
        return windows.median(2).values.contiguous(memory_format=torch.channels_last)
    levels = padded.mul(255).round_()
    total = torch.zeros_like(images)
    for level in range(1, 256):
        counts = functional.pad((levels >= level).to(torch.int32), (1, 0, 1, 0)).cumsum(2).cumsum(3)
        rows = counts[:, :, window:] - counts[:, :, :-window]
        total += (rows[..., window:] - rows[..., :-window]) * 2 > window * window
    return total.div_(255).contiguous(memory_format=torch.channels_last)
