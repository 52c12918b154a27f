"""Tone: how bright pixels are, in display values and in light."""

import cv2
import numpy as np
import torch
from torch import Tensor

from hardgen.functional.layering import LUMA
from hardgen.functional.parallel import spread
from hardgen.functional.pointwise import Values, affine, on_cpu, on_values, power, put_where


def luminance(images: Tensor) -> Tensor:
    """Brightness of every pixel, B x 1 x H x W: 0.299 R + 0.587 G + 0.114 B of the display values (BT.601 luma)."""
    if images.shape[1] == 1:
        return images
    return (images[:, :1] * LUMA[0]).add_(images[:, 1:2], alpha=LUMA[1]).add_(images[:, 2:], alpha=LUMA[2])


def brightness(images: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of the brightness of each image, B float32 each."""
    if not on_cpu(images):
        deviation, mean = torch.std_mean(luminance(images).flatten(1), 1, correction=0)
        return mean, deviation
    sources, found = images.permute(0, 2, 3, 1), torch.empty(2, len(images))

    def one(i: int) -> None:
        image = np.ascontiguousarray(sources[i].numpy())
        mean, deviation = cv2.meanStdDev(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY) if image.shape[2] == 3 else image)
        found[0, i], found[1, i] = float(mean[0, 0]), float(deviation[0, 0])

    spread(one, len(images), images.numel())
    return found[0], found[1]


def scale_contrast(images: Tensor, factor: float) -> Tensor:
    """Brings every value nearer to the image's mean: mean + factor (image - mean).

    Args:
        images: B x C x H x W float32.
        factor: 1 leaves the image, 0 makes it flat; the mean, one number over pixels and channels, is kept.
    """
    if on_cpu(images):
        return on_values(images, lambda x, out, i: affine(x, factor, cv2.mean(x)[0] * (1.0 - factor), out))
    mean = images.mean((1, 2, 3), keepdim=True)
    return mean.mul(1.0 - factor).add(images, alpha=factor)


def to_light(images: Tensor) -> Tensor:
    """Display values in [0, 1] to linear light in [0, 1] by the sRGB curve (IEC 61966-2-1)."""
    if on_cpu(images):
        return on_values(images, lambda x, out, i: _to_light(x, out))
    return torch.where(images <= 0.04045, images / 12.92, images.add(0.055).mul_(1 / 1.055).pow_(2.4))


def from_light(light: Tensor) -> Tensor:
    """Linear light, 0 or more, to display values by the sRGB curve (IEC 61966-2-1)."""
    if on_cpu(light):
        return on_values(light, lambda x, out, i: _from_light(x, out))
    return torch.where(light <= 0.0031308, light * 12.92, light.pow(1 / 2.4).mul_(1.055).sub_(0.055))


def _to_light(images: Values, out: Values) -> None:
    affine(images, 1 / 1.055, 0.055 / 1.055, out)
    power(out, 2.4, out)
    put_where(images * np.float32(1 / 12.92), images <= 0.04045, out)


def _from_light(light: Values, out: Values) -> None:
    power(light, 1 / 2.4, out)
    affine(out, 1.055, -0.055, out)
    put_where(light * np.float32(12.92), light <= 0.0031308, out)


def expose(images: Tensor, stops: Tensor) -> Tensor:
    """Changes the exposure: the light is multiplied by 2^stops and clipped at white.

    Args:
        images: B x C x H x W float32 in [0, 1].
        stops: B float32: above 0 brighter, below 0 darker.
    """
    if not on_cpu(images):
        gain = torch.exp2(stops).to(images.dtype)[:, None, None, None]
        return from_light(to_light(images).mul_(gain).clamp_(max=1.0))
    gains = np.exp2(stops.numpy()).astype(np.float32)

    def one(image: Values, out: Values, i: int) -> None:
        _to_light(image, out)
        np.multiply(out, gains[i], out=out)
        _from_light(np.minimum(out, np.float32(1.0)), out)

    return on_values(images, one)


def fold(images: Tensor, threshold: float) -> Tensor:
    """Turns values above a threshold over: they go down again as steeply as they rose."""
    if not on_cpu(images):
        return torch.minimum(images, 2.0 * threshold - images)

    def one(image: Values, out: Values, i: int) -> None:
        affine(image, -1.0, 2.0 * threshold, out)
        cv2.min(image, out, dst=out)

    return on_values(images, one)


def lift(images: Tensor, factor: float, offset: float) -> Tensor:
    """Makes factor x value + offset of every value."""
    if on_cpu(images):
        return on_values(images, lambda x, out, i: affine(x, factor, offset, out))
    return images.mul(factor).add_(offset)


def quantise(images: Tensor, levels: int) -> Tensor:
    """Rounds values in [0, 1] to the nearest of 2 or more evenly spaced levels, 0 and 1 among them."""
    if not on_cpu(images) or levels > 256:
        return images.mul(levels - 1).round_().mul_(1 / (levels - 1))
    table = np.arange(256, dtype=np.float32) / np.float32(levels - 1)

    def one(image: Values, out: Values, i: int) -> None:
        cv2.LUT(cv2.convertScaleAbs(image, alpha=levels - 1), table, dst=out)

    return on_values(images, one)


def bend(images: Tensor, exponents: Tensor) -> Tensor:
    """Raises values in [0, 1] to one exponent for each image (B), above 0."""
    if not on_cpu(images):
        return images.pow(exponents.to(images.dtype)[:, None, None, None])
    each = exponents.tolist()
    return on_values(images, lambda x, out, i: power(x, each[i], out))


def equalise(images: Tensor, blend: float) -> Tensor:
    """Goes a share of the way to values that are spread evenly in every channel; a flat channel stays as it is.

    A value's target is the share of its channel's values, in 256 bins, that are no greater; the lowest bin's is 0.
    """
    if not on_cpu(images):
        return _equalise_torch(images, blend)
    channels = images.shape[1]

    def one(image: Values, out: Values, i: int) -> None:
        pixels = image.reshape(len(image), -1, channels)
        bins = cv2.convertScaleAbs(pixels, alpha=255.0).reshape(pixels.shape)
        counts = np.stack([cv2.calcHist([bins], [c], None, [256], [0, 256]).ravel() for c in range(channels)], -1)
        shares = counts.cumsum(0, dtype=np.float64) / (image.size / channels)
        lowest = shares[(counts > 0).argmax(0), range(channels)]
        table = ((shares - lowest) / np.maximum(1.0 - lowest, 1e-6)).astype(np.float32)
        even = np.asarray(cv2.LUT(bins, table.reshape(1, 256, channels))).reshape(pixels.shape)
        for flat in np.flatnonzero(lowest >= 1.0):
            even[..., flat] = pixels[..., flat]
        cv2.addWeighted(image, 1.0 - blend, even.reshape(image.shape), blend, 0.0, dst=out)

    return on_values(images, one)


def _equalise_torch(images: Tensor, blend: float) -> Tensor:
    """`equalise` on any device."""
    bins = images.mul(255.0).round_().long().clamp_(0, 255).flatten(2)
    counts = torch.zeros(*bins.shape[:2], 256, device=images.device)
    counts.scatter_add_(2, bins, torch.ones((), device=images.device).expand_as(bins))
    shares = counts.cumsum(2) / bins.shape[2]
    lowest = shares.gather(2, bins.amin(2, keepdim=True))
    curve = (shares - lowest) / (1.0 - lowest).clamp(min=1e-6)
    even = curve.gather(2, bins).view(images.shape)
    return images.lerp(torch.where((lowest >= 1.0)[..., None], images, even), blend)
