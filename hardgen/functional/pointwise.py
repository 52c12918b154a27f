"""Functions of single values on the CPU: image by image within its cache, by OpenCV and NumPy, which take threads."""

from collections.abc import Callable
from typing import Any, TypeAlias

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.parallel import spread

Values: TypeAlias = NDArray[np.float32]
"""An image's values as H x (W C) float32, the channels of a pixel side by side."""

LEAST = np.finfo(np.float32).tiny
"""The least number of full precision."""


def on_cpu(images: Tensor) -> bool:
    """Whether NumPy and OpenCV can see the images."""
    return images.device.type == "cpu"


def on_values(images: Tensor, how: Callable[[Values, Values, int], object]) -> Tensor:
    """Makes new images by a function that writes each one's values where they are to stay.

    Args:
        images: B x C x H x W float32 on the CPU; no copy is made where they are channels_last.
        how: Called with an image's values, read only, with where to write the new ones, and with its place in the
            batch. It must not depend on the order of calls.

    Returns:
        B x C x H x W float32, channels_last.
    """
    sources = images.permute(0, 2, 3, 1)
    count, height, width, channels = sources.shape
    out = torch.empty(sources.shape, dtype=torch.float32)
    shape = (height, width * channels)

    def one(i: int) -> None:
        how(np.ascontiguousarray(sources[i].numpy()).reshape(shape), out[i].numpy().reshape(shape), i)

    spread(one, count, out.numel())
    return out.permute(0, 3, 1, 2)


def affine(values: Values, factor: float, offset: float, out: Values) -> None:
    """Writes factor x value + offset."""
    cv2.addWeighted(values, factor, values, 0.0, offset, dst=out)


def power(values: Values, exponent: float, out: Values) -> None:
    """Writes values, 0 or more, to the power of an exponent above 0, by logarithms: several times as fast as `pow`."""
    # OpenCV takes the logarithm of 0 forty times as slowly as that of other numbers; 0 comes back in the end.
    np.maximum(values, LEAST, out=out)
    cv2.log(out, dst=out)
    np.multiply(out, np.float32(exponent), out=out)
    cv2.exp(out, dst=out)
    cv2.threshold(out, 2 * float(LEAST) ** exponent, 0.0, cv2.THRESH_TOZERO, dst=out)


def interleave(planes: Tensor, channels: int) -> NDArray[Any]:
    """Planes, 1 or C x H x W of float32 or bool, as values lie: H x (W C), bool as bytes."""
    last = planes.permute(1, 2, 0)
    if len(planes) == channels and last.is_contiguous():
        values = last.numpy().reshape(len(last), -1)
        return values.view(np.uint8) if values.dtype == np.bool_ else values
    each = [np.ascontiguousarray(plane.numpy()) for plane in planes]
    each = [x.view(np.uint8) if x.dtype == np.bool_ else x for x in each]
    return np.asarray(cv2.merge(each * (channels // len(each)))).reshape(len(each[0]), -1)


def put_where(values: NDArray[Any] | float, where: NDArray[Any], out: Values) -> None:
    """Writes values, an array or one number, in some places only: bool or bytes of the same shape."""
    shown = values if isinstance(values, np.ndarray) else np.full_like(out, values)
    cv2.copyTo(shown, where.view(np.uint8), out)
