"""Between 8-bit files and float images: a byte k is the float k / 255."""

from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.parallel import spread

GROUP = 1 << 16
"""Values that small images are gathered to."""

HIGH = 2056 / 2**19
"""The first 12 bits of 1/255: a byte times it is exact in float32, and only the sum with the rest is rounded."""
LOW = 1 / 255 - HIGH


def decode(codes: NDArray[np.uint8], out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """The floats k / 255 of bytes k, to the last bit; faster than a division or a table."""
    return np.asarray(cv2.addWeighted(codes, HIGH, codes, LOW, 0.0, dst=out, dtype=cv2.CV_32F), dtype=np.float32)


def from_bytes(images: Sequence[NDArray[np.uint8]]) -> Tensor:
    """Decoded images as a float batch.

    Args:
        images: H x W x 3 each, of one size.

    Returns:
        B x 3 x H x W float32 in [0, 1], channels_last.
    """
    out = torch.empty((len(images), *images[0].shape), dtype=torch.float32)
    spread(lambda i: decode(images[i], out[i].numpy()), len(images), out.numel())
    return out.permute(0, 3, 1, 2)


def to_grid(images: Tensor) -> Tensor:
    """The nearest images that an 8-bit file can hold.

    Args:
        images: B x C x H x W float32 in [0, 1].

    Returns:
        The same shape, channels_last.
    """
    if images.device.type != "cpu":
        return images.mul(255.0).round_().div_(255.0).contiguous(memory_format=torch.channels_last)
    return _by_bytes(images, lambda x: cv2.convertScaleAbs(x, alpha=255.0))


def truncate(images: Tensor) -> Tensor:
    """Cuts images off at the 8-bit level below, as a cast from float to bytes does.

    Args:
        images: B x C x H x W float32; values outside [0, 1] count as black or white.

    Returns:
        The same shape, channels_last, on the grid of 8-bit files. A value within 0.001 of the next level is taken for
        it: there float32 cannot tell.
    """
    if images.device.type != "cpu":
        return images.clamp(0.0, 1.0).mul_(255.0).add_(0.001).floor_().div_(255.0)
    return _by_bytes(images, lambda x: cv2.addWeighted(x, 255.0, x, 0.0, -0.499, dtype=cv2.CV_8U))


def to_bytes(image: NDArray[np.float32]) -> NDArray[np.uint8]:
    """An H x W x C image in [0, 1] rounded to bytes."""
    return np.asarray(cv2.convertScaleAbs(image, alpha=255.0), dtype=np.uint8).reshape(image.shape)


def _by_bytes(images: Tensor, how: Callable[[NDArray[np.float32]], NDArray[Any]]) -> Tensor:
    """Brings every image of a CPU batch to bytes and back to floats, by a function of single pixels."""
    out = torch.empty_like(images, memory_format=torch.channels_last)
    images = images.contiguous(memory_format=torch.channels_last)
    batch, channels, height, width = images.shape
    # Small images go several at a time, as one high picture.
    group = max(1, min(batch, GROUP // (channels * height * width)))

    def some(number: int) -> None:
        part = slice(number * group, (number + 1) * group)
        source, result = (x[part].permute(0, 2, 3, 1).reshape(-1, width, channels).numpy() for x in (images, out))
        levels = how(source)
        decode(levels, result.reshape(levels.shape))

    spread(some, -(-batch // group), images.numel())
    return out
