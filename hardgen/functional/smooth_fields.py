"""Smooth fields from few numbers: random displacements and blurred surrounds, the same at every size of the image."""

import functools
import math

import torch
from torch import Tensor

PER_LENGTH = 1.5
"""Nodes per correlation length: enough for a sum of Gaussians at the nodes to be even."""


def nodes(side: int, short: int, length: float) -> int:
    """How many nodes a side of an image takes, for a correlation length in fractions of the short side."""
    return math.ceil(PER_LENGTH * min(side / short, 16.0) / length) + 5


@functools.lru_cache(maxsize=64)
def weights(side: int, short: int, length: float, device: torch.device) -> Tensor:
    """Gaussian weights of the nodes for every pixel of a side, side x nodes; each row's squares add up to 1.

    Two nodes lie outside at either end. Kept, so read-only.
    """
    count = nodes(side, short, length)
    at = (torch.arange(side, dtype=torch.float64) + 0.5) / side * (count - 5) + 2
    distance = at[:, None] - torch.arange(count, dtype=torch.float64)
    table = torch.exp(-((distance / PER_LENGTH) ** 2))
    table[table < 1e-9] = 0.0  # what float32 cannot hold normally is very slow to multiply
    return (table / table.square().sum(1, keepdim=True).sqrt()).float().to(device)


def smooth(draw: Tensor, height: int, width: int, length: float) -> Tensor:
    """Gaussian random fields of unit variance everywhere, with a Gaussian correlation.

    Args:
        draw: B x C x nodes(height) x nodes(width), standard normal.
        height: In pixels.
        width: In pixels.
        length: Correlation length in fractions of the short side: the correlation at distance d is
            exp(-d^2 / (2 length^2)), about.

    Returns:
        B x height x width x C float32.
    """
    short = min(height, width)
    rows, columns = (weights(side, short, length, draw.device) for side in (height, width))
    out = torch.empty(len(draw), height, width, draw.shape[1], device=draw.device)
    for image, fields in zip(out, draw, strict=True):
        for c, field in enumerate(fields):
            image[..., c] = rows @ field @ columns.T
    return out


def unit_rms(fields: Tensor) -> Tensor:
    """Displacement fields (B x H x W x 2) scaled in place so that the root mean square way of each image is 1."""
    for field in fields:
        size = float(torch.linalg.vector_norm(field)) / math.sqrt(field.shape[0] * field.shape[1])
        field /= max(size, 1e-6)
    return fields


@functools.lru_cache(maxsize=16)
def _averages(side: int, count: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """From pixels to blurred nodes (count x side) and back (side x count); rows add up to 1."""
    at = (torch.arange(side, dtype=torch.float64) + 0.5) / side * count
    table = torch.exp(-((at[:, None] - torch.arange(count) - 0.5) ** 2) / 2)
    table[table < 1e-9] = 0.0
    down, up = table.T / table.sum(0)[:, None], table / table.sum(1, keepdim=True)
    return down.float().to(device), up.float().to(device)


def blurred(images: Tensor) -> Tensor:
    """Images so blurred (about a sixth of the short side) that only where they are light and dark is left.

    B x C x H x W in and out, channels_last.
    """
    out = torch.empty_like(images, memory_format=torch.channels_last)
    for result, image in zip(out.permute(0, 2, 3, 1), images.permute(0, 2, 3, 1), strict=True):
        result.copy_(blurred_to(image, *image.shape[:2]))
    return out


def blurred_to(image: Tensor, height: int, width: int) -> Tensor:
    """`blurred` of one image, H x W x C, sampled at another size, height x width x C."""
    sides = image.shape[:2]
    count_y, count_x = (math.ceil(8 * min(side / min(sides), 16.0)) for side in sides)
    down_y, down_x = _averages(sides[0], count_y, image.device)[0], _averages(sides[1], count_x, image.device)[0]
    up_y, up_x = _averages(height, count_y, image.device)[1], _averages(width, count_x, image.device)[1]
    few = (down_y @ image.flatten(1)).view(count_y, sides[1], -1)
    return (up_y @ (up_x @ (down_x @ few)).flatten(1)).view(height, width, -1)
