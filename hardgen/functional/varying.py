"""Gaussian blur whose width varies over the image."""

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor

from hardgen.functional.filters import gaussian_blur

LEVELS = 5
"""Blurred images that others are mixed of; the standard deviation grows by root 2 from each to the next."""


def sigmas(greatest: float) -> Sequence[float]:
    """The standard deviations of the levels, from 0 to the greatest."""
    return [0.0, *(greatest * 2.0 ** (-(LEVELS - 1 - i) / 2) for i in range(LEVELS))]


def varying_blur(images: Tensor, share: Tensor, greatest: float) -> Tensor:
    """Blurs by a Gaussian of another standard deviation at every pixel.

    Each pixel is a mix of the two levels (see `sigmas`) around it that has the variance asked for.

    Args:
        images: B x C x H x W float32.
        share: 1 x 1 x H x W or B x 1 x H x W in [0, 1]: of the greatest standard deviation.
        greatest: Standard deviation in pixels, above 0.

    Returns:
        The same shape, channels_last.
    """
    steps = sigmas(greatest)
    wanted = share.square() * greatest**2
    out = images
    for low, high in itertools.pairwise(steps):
        part = (wanted - low**2).div_(high**2 - low**2).clamp_(0.0, 1.0)
        blurred = gaussian_blur(images, high)
        # Where `part` is 0 a lower level stays; where it is 1 this one takes its place.
        out = torch.lerp(out, blurred, part)
    return out.contiguous(memory_format=torch.channels_last)
