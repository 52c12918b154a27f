"""Between 8-bit files and float images: a byte k is the float k / 255."""

from collections.abc import Sequence

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.parallel import spread

LEVELS = np.arange(256, dtype=np.float32) / np.float32(255)


def from_bytes(images: Sequence[NDArray[np.uint8]]) -> Tensor:
    """Decoded images as a float batch.

    Args:
        images: H x W x 3 each, of one size.

    Returns:
        B x 3 x H x W float32 in [0, 1], channels_last.
    """
    out = torch.empty((len(images), *images[0].shape), dtype=torch.float32)
    spread(lambda i: cv2.LUT(images[i], LEVELS, dst=out[i].numpy()), len(images), out.numel())
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
    out = torch.empty_like(images, memory_format=torch.channels_last)
    sources, results = images.permute(0, 2, 3, 1), out.permute(0, 2, 3, 1)

    def one(i: int) -> None:
        levels = cv2.convertScaleAbs(np.ascontiguousarray(sources[i].numpy()), alpha=255.0)
        cv2.LUT(levels, LEVELS, dst=results[i].numpy().reshape(levels.shape))

    spread(one, len(images), images.numel())
    return out
