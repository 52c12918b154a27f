"""Figure and ground by brightness alone."""

import torch
from torch import Tensor

from hardgen.functional.filters import gaussian_blur
from hardgen.functional.tone import luminance

LEVELS = 256

SMOOTHING = 0.01
"""Standard deviation of the smoothing before the split, of the short side."""


def figure(images: Tensor) -> Tensor:
    """A guess at the object's pixels: the side of Otsu's threshold that touches the image's frame less.

    Args:
        images: B x C x H x W float32 in [0, 1].

    Returns:
        B x 1 x H x W bool.
    """
    height, width = images.shape[-2:]
    light = gaussian_blur(luminance(images).contiguous(), max(SMOOTHING * min(height, width), 0.3)).clamp_(0, 1)
    frame = torch.zeros(height, width, dtype=torch.bool, device=images.device)
    frame[[0, -1]] = True
    frame[:, [0, -1]] = True
    out = torch.empty_like(light, dtype=torch.bool)
    for plane, result in zip(light[:, 0], out[:, 0], strict=True):
        bright = plane > otsu(plane)
        result.copy_(bright ^ (bright[frame].float().mean() > bright.float().mean()))
    return out


def otsu(plane: Tensor) -> Tensor:
    """The threshold that best splits values into two groups (Otsu 1979): the variance between the groups is greatest.

    Args:
        plane: H x W float32 in [0, 1].

    Returns:
        A threshold in [0, 1]; values above it are the bright group.
    """
    bins = plane.mul(LEVELS - 1).round_().long().flatten()
    counts = torch.bincount(bins, minlength=LEVELS).double()
    levels = torch.arange(LEVELS, dtype=torch.float64, device=plane.device)
    below, first = counts.cumsum(0), (counts * levels).cumsum(0)
    above = below[-1] - below
    between = (first[-1] * below - first * below[-1]).square() / (below * above).clamp(min=1)
    return (between.argmax() + 0.5) / (LEVELS - 1)
