"""Images as sums of cosines (DCT-II): a filter that is sharp in frequency, with borders mirrored."""

import functools

import torch
from torch import Tensor

STEP = 0.5
"""Cycles per short side between neighbouring cosines: the sharpest edge that a filter has."""


def sharp_low_pass(images: Tensor, cutoff: float, share: float = 1.0) -> Tensor:
    """Takes away every frequency above a cutoff, whatever its direction, as a circle in frequency with a sharp edge.

    What lies beyond the borders is the mirrored image. Cosines are orthogonal, so that a lower cutoff never brings an
    image nearer to what it was.

    Args:
        images: B x C x H x W float32.
        cutoff: In cycles per short side; the gain falls from 1 to 0 over the half cycle below it.
        share: How much of the frequencies above it is taken away.

    Returns:
        The same shape, channels_last; values overshoot beside edges.
    """
    height, width = images.shape[-2:]
    short = min(height, width)
    down, across = (cosines(n).to(images.device) for n in (height, width))
    rows, columns = (torch.arange(n, device=images.device).mul(STEP * short / n) for n in (height, width))
    # Only the cosines that are left are worth computing.
    high, wide = int((rows < cutoff).sum()), int((columns < cutoff).sum())
    apart = (rows[:high, None].square() + columns[None, :wide].square()).sqrt_()
    gain = ((cutoff - apart) / STEP).clamp_(0.0, 1.0)
    gain[0, 0] = 1.0
    out = torch.empty_like(images, memory_format=torch.channels_last)
    step = 1 if images.device.type == "cpu" else len(images)  # image by image, batch mates change no rounding
    for i in range(0, len(images), step):
        part = images[i : i + step].contiguous()
        kept = (down[:high] @ part @ across[:wide].T).mul_(gain)
        low = down[:high].T @ kept @ across[:wide]
        out[i : i + step] = low if share == 1.0 else torch.lerp(part, low, share)
    return out


@functools.lru_cache(maxsize=16)
def cosines(size: int) -> Tensor:
    """The orthonormal DCT-II as a matrix, size x size float32: row k has k half waves."""
    place = torch.arange(size, dtype=torch.float64) + 0.5
    matrix = (torch.outer(torch.arange(size, dtype=torch.float64), place) * (torch.pi / size)).cos_()
    matrix[0] *= 0.5**0.5
    matrix *= (2 / size) ** 0.5
    return matrix.float()
