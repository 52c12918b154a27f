"""Bits of 8-bit values."""

import functools
import itertools

import numpy as np
import torch
from scipy import stats
from torch import Tensor

BITS = 8
ORDERS = 40320
"""Orders of the bits of a value: 8!."""


def flip_bits(images: Tensor, amount: Tensor, order: Tensor, probability: float) -> tuple[Tensor, Tensor]:
    """Flips bits of the 8-bit values, each with one probability and independently of all others.

    How many bits of a value flip follows the binomial distribution, and they are the first in an order of the value's
    own: so two numbers per value stand for eight, and a greater probability flips all that a smaller one flips.

    Args:
        images: B x C x H x W float32 in [0, 1]; values with a flipped bit are rounded to 8 bits before.
        amount: Uniform numbers in [0, 1) of the same shape, from which follows how many bits flip.
        order: Uniform numbers in [0, 1) of the same shape, from which follows in which order.
        probability: That a bit flips, in [0, 1].

    Returns:
        The same shape, channels_last; and the share of its bits that are flipped, for each image and channel, B x C.
    """
    limits = torch.from_numpy(stats.binom.cdf(np.arange(BITS), BITS, probability).astype(np.float32))
    out = torch.empty_like(images, memory_format=torch.channels_last)
    shares = []
    table, limits = _masks().to(images.device), limits.to(images.device)
    last = [part.permute(0, 2, 3, 1).contiguous() for part in (images, amount, order)]
    for made, image, many, which in zip(out, *last, strict=True):
        count = torch.bucketize(many, limits, right=True, out_int32=True)
        mask = table[(which * ORDERS).int().mul_(BITS + 1).add_(count)]
        flipped = image.mul(255.0).round_().to(torch.uint8).bitwise_xor_(mask).float().div_(255.0)
        made.copy_(torch.where(mask == 0, image, flipped).permute(2, 0, 1))
        shares.append(count.float().mean((0, 1)) / BITS)
    return out, torch.stack(shares)


@functools.lru_cache(maxsize=1)
def _masks() -> Tensor:
    """For every order of the bits, and 0 to 8 flipped ones, the byte that has these set; flat."""
    orders = np.array(list(itertools.permutations(range(BITS))), np.uint8)
    masks = np.zeros((ORDERS, BITS + 1), np.uint8)
    np.bitwise_or.accumulate(np.uint8(1) << orders, axis=1, out=masks[:, 1:])
    return torch.from_numpy(masks.reshape(-1))
