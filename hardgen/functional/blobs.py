"""Blobs: splashes and drops as orders of pixels, and what a drop shows of the scene behind it."""

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

GRID = 112
"""Cells along the longer side on which splashes are worked out."""


def splashes(
    height: int, width: int, places: NDArray[np.float32], radii: NDArray[np.float32], ragged: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Ranks of blobs that grow together, each in proportion to its radius.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        places: n x 2 float32, x and y in [0, 1) of each side.
        radii: n float32, relative to the short side.
        ragged: GRID x GRID float32 added to the rank: where it is high a splash is dented.

    Returns:
        height x width float32, about 0 in the middle of a blob and 1 at its radius.
    """
    side, short = max(height, width), min(height, width)
    rows, columns = max(round(GRID * height / side), 1), max(round(GRID * width / side), 1)
    y = ((np.arange(rows, dtype=np.float32) + 0.5) / rows)[None, :] - places[:, 1:]
    x = ((np.arange(columns, dtype=np.float32) + 0.5) / columns)[None, :] - places[:, :1]
    scale = (1 / radii / short)[:, None]
    y, x = np.square(y * scale * height), np.square(x * scale * width)
    nearest = np.full((rows, columns), np.inf, np.float32)
    for k in range(len(places)):
        np.minimum(nearest, y[k][:, None] + x[k][None, :], out=nearest)
    rank = np.sqrt(nearest) + ragged[:rows, :columns]
    return np.asarray(cv2.resize(rank, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def drops(
    height: int, width: int, places: NDArray[np.float32], radii: NDArray[np.float32], rest: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Ranks of round drops that appear one after the other.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        places: n x 2 float32: x and y of the centres in pixels.
        radii: n float32 in pixels; a drop is at least about a pixel.
        rest: height x width float32 in [0, 1): the order of what no drop covers, after all drops.

    Returns:
        height x width float32: the number of the first drop that covers a pixel; n plus `rest` where none does.
    """
    rank = rest + np.float32(len(places))
    centres, sizes = np.rint(places * 16).astype(np.int64).tolist(), np.rint(radii * 16).astype(np.int64).tolist()
    for k in range(len(centres) - 1, -1, -1):
        cv2.circle(rank, (centres[k][0], centres[k][1]), max(sizes[k], 8), float(k), cv2.FILLED, cv2.LINE_8, 4)
    return np.asarray(rank, dtype=np.float32)


def within(ranks: Tensor, places: Tensor, radii: Tensor) -> tuple[Tensor, Tensor]:
    """Where each pixel lies in its drop.

    Args:
        ranks: B x H x W, as `drops` gives them.
        places: B x n x 2: x and y of the centres in pixels.
        radii: B x n, in pixels.

    Returns:
        The centre of each pixel's drop, and the way from it in units of the drop's radius, at most 1 long: B x H x W x
        2 each. Where there is no drop the pixel itself and 0.
    """
    height, width = ranks.shape[1:]
    n = radii.shape[1]
    number = ranks.long().clamp_(max=n - 1).flatten(1)
    x, y = torch.arange(width, device=ranks.device), torch.arange(height, device=ranks.device)
    at = torch.stack(torch.meshgrid(x, y, indexing="xy"), -1).to(ranks.dtype)
    centre = torch.stack([places[..., k].gather(1, number) for k in (0, 1)], -1).view(-1, height, width, 2)
    size = radii.clamp(min=0.5).gather(1, number).view(-1, height, width, 1)
    way = (at - centre) / size
    way = way / way.square().sum(-1, keepdim=True).sqrt_().clamp_(min=1.0)
    free = (ranks >= n)[..., None]
    return torch.where(free, at, centre), way.masked_fill(free, 0.0)
