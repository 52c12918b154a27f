"""Images in memory, in the forms that datasets give, to H x W x 3 uint8."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from hardgen.data.read_image import from_16_bit, grey_to_rgb, to_rgb
from hardgen.errors import HardgenError

_ROUNDING = 1e-4
"""How far a float may lie outside [0, 1] and still be taken for rounding."""


def to_uint8(image: Any, where: str) -> NDArray[np.uint8]:
    """Brings an image to 8 bits without guessing its range.

    Args:
        image: A Pillow image; an array H x W, H x W x C or C x H x W; or a tensor C x H x W, H x W or H x W x C. C is
            1, 3 or (8-bit, transparent, laid on white) 4. Where both the first and the last side could be channels, an
            array has them last and a tensor first. uint8 is taken as it is, uint16 scaled from 0..65535, and floats
            from 0..1, all rounded to the nearest.
        where: What the error calls the image.

    Returns:
        H x W x 3 uint8, not shared with `image`.

    Raises:
        HardgenError: for another type or shape, or floats that are not finite or not in [0, 1].
    """
    if isinstance(image, Image.Image):
        try:
            return to_rgb(image)
        except ValueError as error:
            raise HardgenError(f"{where}: {error}") from error
    if isinstance(image, Tensor):
        tensor = image.detach().cpu()
        tensor = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
        pixels, first = tensor.numpy(), True
    elif isinstance(image, np.ndarray):
        pixels, first = image, False
    else:
        raise HardgenError(
            f"{where}: an image must be a Pillow image, an array or a tensor; got {type(image).__name__}"
        )
    bits = _eight_bits(_channels_last(pixels, first, where), where)
    if bits.shape[2] == 1:
        return grey_to_rgb(bits[:, :, 0])
    if bits.shape[2] == 4:
        return to_rgb(Image.fromarray(bits, "RGBA"))
    return np.array(bits)


def _channels_last(pixels: NDArray[Any], first: bool, where: str) -> NDArray[Any]:
    if pixels.ndim == 2:
        return pixels[:, :, None]
    if pixels.ndim == 3 and pixels.size:
        at_start, at_end = pixels.shape[0] in (1, 3, 4), pixels.shape[2] in (1, 3, 4)
        if at_start and (first or not at_end):
            return np.ascontiguousarray(pixels.transpose(1, 2, 0))
        if at_end:
            return np.ascontiguousarray(pixels)
    raise HardgenError(f"{where}: an image must be H x W with 1, 3 or 4 channels; got shape {pixels.shape}")


def _eight_bits(pixels: NDArray[Any], where: str) -> NDArray[np.uint8]:
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.shape[2] == 4:
        raise HardgenError(f"{where}: 4 channels (transparent) must be uint8; got {pixels.dtype}")
    if pixels.dtype == np.uint16:
        return from_16_bit(pixels)
    if not np.issubdtype(pixels.dtype, np.floating):
        raise HardgenError(f"{where}: pixels must be uint8, uint16 or float in [0, 1]; got {pixels.dtype}")
    low, high = float(pixels.min()), float(pixels.max())
    if not (low >= -_ROUNDING and high <= 1 + _ROUNDING):  # so written, NaN is refused too
        hint = "; leave out the normalisation" if low < 0 else "; divide by 255" if high <= 255 else ""
        raise HardgenError(f"{where}: float pixels must lie in [0, 1]; got {low:.4g} to {high:.4g}{hint}")
    return np.rint(pixels.clip(0, 1) * np.float64(255)).astype(np.uint8)
