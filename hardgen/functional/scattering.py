"""Pixels that change places with others near them."""

import torch
from torch import Tensor

from hardgen.functional.sampling import resample


def scatter(images: Tensor, shares: Tensor, reach: float) -> Tensor:
    """Takes every pixel from a place nearby.

    Args:
        images: B x C x H x W float32.
        shares: B x 2 x H x W in [0, 1): how far down and across, from -reach to reach.
        reach: In pixels; ways are rounded to whole pixels and end at the frame.

    Returns:
        The same shape, channels_last.
    """
    batch, channels, height, width = images.shape
    source = images.permute(0, 2, 3, 1).reshape(batch, height * width, channels)
    out = torch.empty_like(images, memory_format=torch.channels_last)
    rows = torch.arange(height, device=images.device, dtype=torch.float32)[:, None] - (reach - 0.5)
    columns = torch.arange(width, device=images.device, dtype=torch.float32)[None, :] - (reach - 0.5)
    for pixels, share, result in zip(source, shares, out, strict=True):
        down = torch.add(rows, share[0], alpha=2 * reach).floor_().clamp_(0, height - 1)
        across = torch.add(columns, share[1], alpha=2 * reach).floor_().clamp_(0, width - 1)
        at = down.mul_(width).add_(across).to(torch.int32 if height * width < 1 << 24 else torch.int64)
        result.copy_(pixels.index_select(0, at.flatten()).reshape(height, width, channels).permute(2, 0, 1))
    return out


def wander(images: Tensor, shares: Tensor, reach: float) -> Tensor:
    """Takes every pixel from a place nearby, between pixels too.

    Args:
        images: B x C x H x W float32; bilinear, the border is mirrored.
        shares: B x 2 x H x W in [0, 1]: how far down and across, from -reach to reach.
        reach: In pixels.

    Returns:
        The same shape, channels_last.
    """
    height, width = images.shape[-2:]
    rows = torch.arange(height, device=images.device, dtype=torch.float32)[:, None] - reach
    columns = torch.arange(width, device=images.device, dtype=torch.float32)[None, :] - reach
    flow = torch.empty(len(images), height, width, 2, device=images.device)
    torch.add(columns, shares[:, 1], alpha=2 * reach, out=flow[..., 0])
    torch.add(rows, shares[:, 0], alpha=2 * reach, out=flow[..., 1])
    return resample(images, flow)
