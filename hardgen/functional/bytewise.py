"""Functions of 8-bit images: a float batch goes through bytes and back, image by image within the CPU's cache."""

from collections.abc import Callable
from typing import Any, TypeAlias

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.levels import GROUP, LEVELS, to_bytes
from hardgen.functional.parallel import spread

Bytes: TypeAlias = NDArray[np.uint8]
"""Images one below the other, (G H) x W x C."""
OnBytes: TypeAlias = Callable[[Bytes, slice], NDArray[np.uint8]]
"""Given images and their places in the batch, makes new ones of as many bytes; it must not write into the images, nor
depend on the order of calls."""

CUT = -0.499
"""What is added before OpenCV rounds, so that it cuts off instead: where float32 cannot tell, the next byte counts."""

GREY = np.array([0.299, 0.587, 0.114])
"""What red, green and blue count in the brightness."""


def through_bytes(images: Tensor, how: OnBytes, alone: bool = False) -> tuple[Tensor, Tensor]:
    """Makes new images by a function of bytes, and measures how far they are from the old ones.

    Args:
        images: B x C x H x W float32 in [0, 1] on the CPU; rounded to 8 bits.
        how: The function.
        alone: Whether it takes one image at a time; else small images go several at a time, one below the other.

    Returns:
        B x C x H x W float32, channels_last, on the grid of 8-bit files; and the root mean square change of each image.
    """
    out = torch.empty_like(images, memory_format=torch.channels_last)
    batch, channels, height, width = images.shape
    sources = images.contiguous(memory_format=torch.channels_last).permute(0, 2, 3, 1).numpy()
    results, lines = out.permute(0, 2, 3, 1).numpy(), width * channels
    group = 1 if alone else max(1, min(batch, GROUP // (height * lines)))
    distances = np.empty(batch, np.float32)

    def some(number: int) -> None:
        part = slice(number * group, min((number + 1) * group, batch))
        old = to_bytes(sources[part].reshape(-1, lines))
        new = how(old.reshape(-1, width, channels), part).reshape(old.shape)
        cv2.LUT(new, LEVELS, dst=results[part].reshape(old.shape))
        if group == 1:
            distances[part] = cv2.norm(new, old)
        else:
            change = cv2.absdiff(new, old).reshape(-1, height * lines).astype(np.float32)
            distances[part] = np.sqrt(np.einsum("ij,ij->i", change, change))

    spread(some, -(-batch // group), images.numel())
    return out, torch.from_numpy(distances).div_(255.0 * (height * lines) ** 0.5)


def is_grey(pixels: Bytes) -> bool:
    """Whether the channels of all pixels are equal."""
    if pixels.shape[2] == 1:
        return True
    return _equal(pixels[::7, ::5]) and _equal(pixels)  # a few pixels tell a colour image


def _equal(pixels: Bytes) -> bool:
    red = pixels[..., 0]
    return bool((red == pixels[..., 1]).all() and (red == pixels[..., 2]).all())


def laid(field: Tensor) -> NDArray[np.float32]:
    """A field for the images of a batch, B x C x H x W, as their values lie: B x H x W x C."""
    return np.ascontiguousarray(field.permute(0, 2, 3, 1).cpu().numpy())


def flat(values: NDArray[Any], rows: int | None = None) -> NDArray[Any]:
    """Values as so many rows, as many as there are unless given; OpenCV is fastest where there are no channels."""
    return values.reshape(len(values) if rows is None else rows, -1)


def cut(values: NDArray[Any], factor: float = 255.0) -> NDArray[np.uint8]:
    """Rows of values times a factor, cut off at the byte below; what is within 0.001 of the next is taken for it."""
    return np.asarray(cv2.addWeighted(values, factor, values, 0.0, CUT, dtype=cv2.CV_8U))
