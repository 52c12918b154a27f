"""Tone: how bright pixels are, in display values and in light."""

import torch
from torch import Tensor

from hardgen.functional.layering import LUMA


def luminance(images: Tensor) -> Tensor:
    """Brightness of every pixel, B x 1 x H x W: 0.299 R + 0.587 G + 0.114 B of the display values (BT.601 luma)."""
    if images.shape[1] == 1:
        return images
    return (images[:, :1] * LUMA[0]).add_(images[:, 1:2], alpha=LUMA[1]).add_(images[:, 2:], alpha=LUMA[2])


def scale_contrast(images: Tensor, factor: float) -> Tensor:
    """Brings every value nearer to the image's mean: mean + factor (image - mean).

    Args:
        images: B x C x H x W float32.
        factor: 1 leaves the image, 0 makes it flat; the mean, one number over pixels and channels, is kept.
    """
    mean = images.mean((1, 2, 3), keepdim=True)
    return mean.mul(1.0 - factor).add(images, alpha=factor)


def to_light(images: Tensor) -> Tensor:
    """Display values in [0, 1] to linear light in [0, 1] by the sRGB curve (IEC 61966-2-1)."""
    light = torch.empty_like(images)
    # Image by image, which stays in the CPU's cache; the power as a logarithm, which is twice as fast as `pow`.
    for image, out in zip(images, light, strict=True):
        curve = image.add(0.055).mul_(1 / 1.055).log_().mul_(2.4).exp_()
        torch.where(image <= 0.04045, image / 12.92, curve, out=out)
    return light


def from_light(light: Tensor) -> Tensor:
    """Linear light, 0 or more, to display values by the sRGB curve (IEC 61966-2-1)."""
    images = torch.empty_like(light)
    for part, out in zip(light, images, strict=True):
        curve = part.log().mul_(1 / 2.4).exp_().mul_(1.055).sub_(0.055)
        torch.where(part <= 0.0031308, part * 12.92, curve, out=out)
    return images


def expose(images: Tensor, stops: Tensor) -> Tensor:
    """Changes the exposure: the light is multiplied by 2^stops and clipped at white.

    Args:
        images: B x C x H x W float32 in [0, 1].
        stops: B float32: above 0 brighter, below 0 darker.
    """
    gain = torch.exp2(stops).to(images.dtype)[:, None, None, None]
    return from_light(to_light(images).mul_(gain).clamp_(max=1.0))


def quantise(images: Tensor, levels: int) -> Tensor:
    """Rounds values in [0, 1] to the nearest of evenly spaced levels, 0 and 1 among them."""
    return images.mul(levels - 1).round_().mul_(1 / (levels - 1))


def power(images: Tensor, exponents: Tensor) -> Tensor:
    """Raises values in [0, 1] to one exponent for each image (B)."""
    out = torch.empty_like(images)
    for image, to, exponent in zip(images, out, exponents.tolist(), strict=True):
        # The power as a logarithm, twice as fast as `pow`; the logarithm of 0 comes back as 0.
        torch.log(image, out=to).mul_(exponent).exp_()
    return out


def equalise(images: Tensor) -> Tensor:
    """Spreads every channel's values evenly, by its histogram of 256 bins; a flat channel stays as it is."""
    bins = images.mul(255.0).add_(0.5).long().clamp_(0, 255).flatten(2)
    counts = torch.zeros(*bins.shape[:2], 256, device=images.device)
    counts.scatter_add_(2, bins, torch.ones((), device=images.device).expand_as(bins))
    shares = counts.cumsum(2) / bins.shape[2]
    lowest = shares.gather(2, bins.amin(2, keepdim=True))
    curve = (shares - lowest) / (1.0 - lowest).clamp(min=1e-6)
    even = curve.gather(2, bins).view(images.shape)
    return torch.where((lowest >= 1.0)[..., None], images, even)
