"""Noise: a field that is handed in, scaled and laid on images."""

import numpy as np
import torch
from torch import Tensor

from hardgen.functional.pointwise import Values, interleave, on_cpu, on_values, put_where


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


def replace_values(images: Tensor, where: Tensor, values: Tensor) -> Tensor:
    """Puts other values in some places.

    Args:
        images: B x C x H x W float32.
        where: Bool, of a shape that broadcasts to the same.
        values: float32 or bool, likewise.
    """
    if on_cpu(images):
        return replace_values_opencv(images, where, values)
    return torch.where(where, values.to(images.dtype), images)


def replace_values_opencv(images: Tensor, where: Tensor, values: Tensor) -> Tensor:
    """`replace_values` on the CPU: scattered places cost a choice of torch's many times as much."""
    channels = images.shape[1]

    def one(image: Values, out: Values, i: int) -> None:
        np.copyto(out, image)
        put_where(interleave(values[i], channels).astype(np.float32), interleave(where[i], channels), out)

    return on_values(images, one)


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
