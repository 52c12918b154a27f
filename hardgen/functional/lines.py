"""Lines: where brightness steps, drawn dark on white."""

import math

import torch
from torch import Tensor
from torch.nn.functional import pad

from hardgen.functional.filters import gaussian_blur
from hardgen.functional.tone import luminance

FINEST = 0.7
"""Least standard deviation, in pixels, at which derivatives of a Gaussian are still those of a Gaussian."""


def outline(images: Tensor, sigma: float, contrast: float) -> Tensor:
    """How dark a line is drawn at each pixel: 1 on the ridge of an edge, 0 away from edges.

    The brightness is smoothed with a Gaussian. A step of height A has the slope A / (sigma sqrt(2 pi)) there, which
    gives A; its second derivative along the slope is 0 at the step and d / sigma^2 of the slope at a distance d, which
    gives d. The line is exp(-2 (d / sigma)^2) times (A / contrast)^2, at most 1.

    Args:
        images: B x C x H x W float32 in [0, 1].
        sigma: Scale of the edges and half the width of the lines, in pixels.
        contrast: Step in brightness, of full scale, that is drawn black.

    Returns:
        B x 1 x H x W float32 in [0, 1].
    """
    sigma = max(sigma, FINEST)
    out = torch.empty_like(images[:, :1])
    step = 1 if images.device.type == "cpu" else len(images)
    for i in range(0, len(images), step):
        part = slice(i, i + step)
        out[part] = _outline(gaussian_blur(luminance(images[part]).contiguous(), sigma), sigma, contrast)
    return out


def _outline(smooth: Tensor, sigma: float, contrast: float) -> Tensor:
    x = pad(smooth, (1, 1, 1, 1), mode="replicate")
    middle = x[..., 1:-1, 1:-1]
    left, right, up, down = x[..., 1:-1, :-2], x[..., 1:-1, 2:], x[..., :-2, 1:-1], x[..., 2:, 1:-1]
    dx, dy = (right - left).mul_(0.5), (down - up).mul_(0.5)
    dxx, dyy = (right + left).sub_(middle, alpha=2), (down + up).sub_(middle, alpha=2)
    dxy = (x[..., 2:, 2:] - x[..., 2:, :-2]).sub_(x[..., :-2, 2:]).add_(x[..., :-2, :-2]).mul_(0.25)
    xx, yy = dx.square(), dy.square()
    slope2 = xx + yy
    bend = xx.mul_(dxx).add_(dx.mul_(dy).mul_(dxy), alpha=2).add_(yy.mul_(dyy))
    away = bend.div_(slope2.pow(1.5).add_(1e-9)).square_().mul_(-2 * sigma**2)
    height2 = slope2.mul_(2 * math.pi * sigma**2 / contrast**2)
    return height2.mul_(away.exp_()).clamp_(max=1.0)


def pencil(images: Tensor, sigma: float, darkness: float) -> Tensor:
    """Shading by pencil: brightness over the mean brightness round about, at most 1, which darkens one side of edges.

    Args:
        images: B x C x H x W float32 in [0, 1].
        sigma: Standard deviation of the Gaussian that averages, in pixels.
        darkness: Power that the ratio is taken to.

    Returns:
        B x 1 x H x W float32 in [0, 1].
    """
    grey = luminance(images).contiguous()
    ratio = (grey + FLOOR).div_(gaussian_blur(grey, sigma).add_(FLOOR))
    return ratio.clamp_(FLOOR, 1.0).log_().mul_(darkness).exp_()


FLOOR = 0.04
"""Added to brightness before a ratio is taken, so that noise in black does not become shading."""
