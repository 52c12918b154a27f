"""Coatings: a layer that covers an exact share of an image, in an order of its own, with soft inner edges."""

import torch
from torch import Tensor
from torch.nn import functional

from hardgen.functional.occlusion import cover


def covered_by_rank(ranks: Tensor, fraction: float) -> Tensor:
    """The pixels of lowest rank in each image, B x 1 x H x W bool; a larger fraction covers all of a smaller one.

    Args:
        ranks: B x H x W float32.
        fraction: Of each image's pixels; their number is rounded.
    """
    return torch.stack([cover(rank, fraction) for rank in ranks])[:, None]


def coat(images: Tensor, layer: Tensor, covered: Tensor, edge: float = 0.0) -> Tensor:
    """Lays a coating on images where they are covered; nothing else changes.

    Args:
        images: B x C x H x W float32.
        layer: What the coating shows wherever it may lie: broadcasts to the images.
        covered: B x 1 x H x W bool.
        edge: Width over which the coating fades in from its outline inward, of the short side; 0 for a hard edge. The
            coating of a larger cover is nowhere fainter than that of a smaller one.

    Returns:
        B x C x H x W float32.
    """
    reach = edge * min(images.shape[-2:]) / 2
    if reach == 0:
        return torch.where(covered, layer, images)
    opacity = covered.float()
    fewer, more = (_mean_around(opacity, n) for n in (int(reach), int(reach) + 1))
    near = fewer.lerp(more, reach - int(reach))  # a rim narrower than a pixel is a fainter one
    opacity = near.mul_(1.6).sub_(0.6).clamp_(0.2, 1.0).mul_(opacity)
    return torch.lerp(images, layer.expand_as(images), opacity)


def _mean_around(opacity: Tensor, reach: int) -> Tensor:
    """The mean over a square of 2 reach + 1 pixels, of those inside the frame."""
    if reach == 0:
        return opacity.clone()
    return functional.avg_pool2d(opacity, 2 * reach + 1, 1, reach, count_include_pad=False)
