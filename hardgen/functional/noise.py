"""Noise: a field that is handed in, scaled and laid on images."""

import functools
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.pointwise import interleave, one_by_one
from hardgen.functional.sources import Making, make


def add_noise(images: Tensor, field: Tensor, sigma: float) -> Tensor:
    """Adds a noise field: image + sigma x field.

    Args:
        images: B x C x H x W float32.
        field: Noise of unit standard deviation, of a shape that broadcasts to the same.
        sigma: Standard deviation of what is added, in full scale.
    """
    return images.add(field, alpha=sigma)


def multiply_noise(images: Tensor, field: Tensor, sigma: float) -> Tensor:
    """Noise in proportion to the value: image + sigma x image x field; arguments as in `add_noise`."""
    return torch.addcmul(images, images, field, value=sigma)


def add_grain(images: Tensor, field: Tensor, sigma: float) -> Tensor:
    """Adds noise that is strongest at mid grey: image + 2 sigma root(image (1 - image)) x field.

    Args:
        images: B x C x H x W float32 in [0, 1].
        field: Noise of unit standard deviation, of a shape that broadcasts to the same.
        sigma: Standard deviation at mid grey; black and white get none.
    """
    out = torch.empty_like(images)
    for image, grain, result in zip(images, field, out, strict=True):  # image by image stays in the CPU's cache
        torch.addcmul(image, image, image, value=-1.0, out=result)
        result.sqrt_().mul_(grain).mul_(2 * sigma).add_(image)
    return out


def salt_and_pepper(images: Tensor, struck: Tensor, white: Tensor) -> Tensor:
    """Turns values white or black.

    Args:
        images: B x C x H x W float32.
        struck: B x 1 or C x H x W bool: which.
        white: The same shape: of these, which turn white.
    """
    if one_by_one(images):
        return make(images, striking(struck, white))
    return torch.where(struck, white.to(images.dtype), images)


def striking(struck: Tensor, white: Tensor) -> Making:
    """`salt_and_pepper` for each image by itself, on the CPU: scattered places cost a choice of torch's much more."""
    layers, height = struck.shape[1:3]
    light, dark = (struck & white).numpy(), (struck & ~white).numpy()

    @functools.cache
    def plain(shape: tuple[int, ...], white: bool, levels: bool) -> NDArray[Any]:
        top = np.uint8(255) if levels else np.float32(1)
        return np.full(shape, top * white)

    def struck_one(image: NDArray[Any], i: int) -> NDArray[Any]:
        made = image.copy()
        values = made if layers == 1 else made.reshape(height, -1)
        for places, is_white in ((light[i], True), (dark[i], False)):
            mask = interleave(torch.from_numpy(places), layers)
            cv2.copyTo(plain(values.shape, is_white, image.dtype == np.uint8), mask, values)
        return made

    return Making(struck_one, struck_one)


def lay_over(images: Tensor, layer: Tensor, opacity: float) -> Tensor:
    """Mixes images with a layer: (1 - opacity) image + opacity x layer.

    Args:
        images: B x C x H x W float32.
        layer: Of a shape that broadcasts to the same.
        opacity: In [0, 1].
    """
    return torch.lerp(images, layer.expand_as(images), opacity)


def strike(images: Tensor, draws: Tensor, share: float) -> Tensor:
    """Turns the values black whose draws are lowest, and those white whose draws are highest.

    Args:
        images: B x C x H x W float32.
        draws: B x C or 1 x H x W float32 uniform in [0, 1).
        share: Of the values that turn black, and of those that turn white.
    """
    return torch.where(draws >= 1 - share, 1.0, torch.where(draws < share, 0.0, images))
