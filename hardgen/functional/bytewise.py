"""Functions of 8-bit images, image by image within the CPU's cache."""

from collections.abc import Callable
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.levels import GROUP
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


def change(codes: NDArray[np.uint8], how: OnBytes, alone: bool = False) -> NDArray[np.uint8]:
    """Makes new images by a function of bytes.

    Args:
        codes: B x H x W x C; read-only.
        how: The function.
        alone: Whether it takes one image at a time; else small images go several at a time, one below the other.
    """
    out = np.empty_like(codes)
    batch, _, width, channels = codes.shape
    group = 1 if alone else max(1, min(batch, GROUP // codes[0].size))

    def some(number: int) -> None:
        part = slice(number * group, min((number + 1) * group, batch))
        made = how(codes[part].reshape(-1, width, channels), part)
        np.copyto(out[part], made.reshape(out[part].shape))

    spread(some, -(-batch // group), codes.size)
    return out


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
