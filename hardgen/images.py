"""Images as people hold them, to and from the one form that hardgen computes in."""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.errors import HardgenError
from hardgen.known import plain

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def to_float(images: Tensor | NDArray[Any]) -> Tensor:
    """Images as B x C x H x W float32 in [0, 1], channels_last, in new memory and without gradients.

    Args:
        images: A tensor, C x H x W or B x C x H x W, or an array, H x W, H x W x C or B x H x W x C; C = 1 or 3.

    Raises:
        HardgenError: for another shape or type, or float values outside [0, 1].
    """
    if not isinstance(images, (Tensor, np.ndarray)):
        raise HardgenError(f"images must be a tensor or an array; got {type(images).__name__}")
    if isinstance(images, Tensor):
        if not plain(images):
            raise HardgenError("images must be a plain tensor that holds its values; got one of another kind")
        tensor = images[None] if images.ndim == 3 else images
        allowed = "a tensor must be C x H x W or B x C x H x W"
    else:
        array = images[..., None] if images.ndim == 2 else images
        array = array[None] if array.ndim == 3 else array
        tensor = _from_array(array).permute(0, 3, 1, 2) if array.ndim == 4 else torch.empty(0)
        allowed = "an array must be H x W, H x W x C or B x H x W x C"
    if tensor.ndim != 4 or tensor.shape[1] not in (1, 3) or 0 in tensor.shape:
        raise HardgenError(f"images: {allowed}, with 1 or 3 channels; got shape {tuple(images.shape)}")
    if tensor.dtype == torch.uint8:
        return tensor.to(torch.float32, memory_format=torch.channels_last) / 255
    if tensor.dtype not in FLOATS:
        raise HardgenError(f"images must be uint8, or float in [0, 1]; got {images.dtype}: scale them first")
    low, high = tensor.min().item(), tensor.max().item()
    if not (low >= 0 and high <= 1):
        hint = ": divide by 255?" if low >= 0 and 1 < high <= 255 else ""
        got = "values that are no numbers (NaN)" if math.isnan(low) else f"values from {low:g} to {high:g}{hint}"
        raise HardgenError(f"float images must lie in [0, 1]; got {got}")
    return tensor.detach().to(torch.float32, memory_format=torch.channels_last, copy=True)


def like(images: Tensor, given: Tensor | NDArray[Any]) -> Tensor | NDArray[Any]:
    """Images in [0, 1] in the form, type and shape of `given`; to 8 bits by rounding."""
    whole = given.dtype in (torch.uint8, np.uint8)
    out = (images * 255).round().to(torch.uint8) if whole else images
    if isinstance(given, Tensor):
        return out.to(given.dtype).reshape(given.shape)
    return out.permute(0, 2, 3, 1).cpu().numpy().astype(given.dtype).reshape(given.shape)


def _from_array(array: NDArray[Any]) -> Tensor:
    if array.dtype.kind not in "fu" or array.dtype.itemsize > 8 or not array.dtype.isnative:
        raise HardgenError(f"images must be uint8, or float in [0, 1]; got {array.dtype}: scale them first")
    return torch.from_numpy(np.require(array, requirements=["C", "W"]))
