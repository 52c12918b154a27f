"""Patchwork: squares of an image filled from near by, and bands filled with another image's texture."""

import torch
from torch import Tensor
from torch.nn.functional import interpolate

from hardgen.functional.sampling import resample
from hardgen.functional.scales import local_mean, smoothed
from hardgen.functional.tone import luminance

FINE, COARSE = (1 / 128, 1 / 64), (1 / 32,)
"""Standard deviations between which the bands of detail lie, of the short side."""

AROUND = 1.5
"""Standard deviation over which a band's contrast is local, of the band's coarser limit."""

FAINT = 2e-3
"""Local contrast of a band that counts as none."""


def patches(height: int, width: int, side: float) -> tuple[int, int]:
    """Rows and columns of patches with a side of about `side` of the short side."""
    short = min(height, width)
    return max(round(height / (side * short)), 1), max(round(width / (side * short)), 1)


def shift_patches(images: Tensor, ways: Tensor) -> Tensor:
    """Fills every patch of a grid with what lies elsewhere.

    Args:
        images: B x C x H x W float32.
        ways: B x 2 x rows x columns: how far away, in x and y, in pixels; beyond the border the image is mirrored.

    Returns:
        The same shape, channels_last.
    """
    height, width = images.shape[-2:]
    out = torch.empty_like(images, memory_format=torch.channels_last)
    x = torch.arange(width, dtype=torch.float32, device=images.device)
    y = torch.arange(height, dtype=torch.float32, device=images.device)[:, None]
    step = 1 if images.device.type == "cpu" else len(images)
    for i in range(0, len(images), step):
        flow = interpolate(ways[i : i + step], (height, width), mode="nearest")
        flow[:, 0] += x
        flow[:, 1] += y
        out[i : i + step] = resample(images[i : i + step], flow.permute(0, 2, 3, 1))
    return out


def retexture(images: Tensor, donors: Tensor) -> Tensor:
    """Fills each image's bands of detail with its donor's pattern, at the image's own local contrast.

    Of every band the donor's is divided by its own local root mean square brightness and multiplied by the image's.
    What is coarser than the bands stays the image's.

    Args:
        images: B x C x H x W float32.
        donors: B x C x H x W float32.

    Returns:
        The same shape, channels_last; values may leave [0, 1].
    """
    out = torch.empty_like(images, memory_format=torch.channels_last)
    step = 1 if images.device.type == "cpu" else len(images)
    for i in range(0, len(images), step):
        own, other = (_levels(x[i : i + step]) for x in (images, donors))
        result = own[-1].clone(memory_format=torch.channels_last)
        for k, scale in enumerate((*FINE, *COARSE)):
            mine, theirs = own[k] - own[k + 1], other[k] - other[k + 1]
            gain = _contrast(mine, scale).add_(FAINT).div_(_contrast(theirs, scale).add_(FAINT))
            result.addcmul_(theirs, gain)
        out[i : i + step] = result
    return out


def _levels(images: Tensor) -> list[Tensor]:
    """The image and what is left of it below each band."""
    images = images.contiguous(memory_format=torch.channels_last)
    return [images, *smoothed(images, FINE, COARSE)]


def _contrast(band: Tensor, scale: float) -> Tensor:
    """Local root mean square of a band's brightness, B x 1 x H x W."""
    return local_mean(luminance(band).square().contiguous(), AROUND * scale).clamp_(min=0).sqrt_()
