"""Flattening: regions that take one colour, or nearly."""

import functools
from collections.abc import Iterator

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from torch import Tensor
from torch.nn.functional import avg_pool2d, pad

from hardgen.functional.fields import unit
from hardgen.functional.parallel import by_image
from hardgen.functional.tone import luminance

NOISE = 1e-4
"""Variance of brightness that counts as none."""

FINEST = 128
"""Finest cells of a mosaic to the short side."""


def kuwahara(images: Tensor, size: float) -> Tensor:
    """Kuwahara's filter: each pixel takes the mean of that square beside it which varies least in brightness.

    The four squares have the pixel as their corner. Their means are weighed by their variance to the power -4 (after
    Papari et al. 2007), which makes the choice smooth. Of a size between two whole numbers the squares' moments are
    between theirs.

    Args:
        images: B x C x H x W float32.
        size: Side of a square in pixels, at least 1, which leaves the image.

    Returns:
        The same shape, channels_last.
    """
    out = torch.empty_like(images, memory_format=torch.channels_last)
    step = 1 if images.device.type == "cpu" else len(images)
    for i in range(0, len(images), step):
        part = images[i : i + step].contiguous()
        light = luminance(part)
        total, sums = torch.zeros_like(light), torch.zeros_like(part)
        for moments in _corners(torch.cat((part, light, light.square()), 1), size):
            spread = moments[:, -1:].sub(moments[:, -2:-1].square()).clamp_(min=0).add_(NOISE)
            weights = spread.square_().square_().reciprocal_()
            total += weights
            sums.addcmul_(moments[:, :-2], weights)
        out[i : i + step] = sums.div_(total)
    return out


def _corners(planes: Tensor, size: float) -> Iterator[Tensor]:
    """Means over the four squares of a size that have each pixel as their corner."""
    height, width = planes.shape[-2:]
    small = int(size)
    padded = pad(planes, (small,) * 4, mode="replicate")
    inner, outer = box_means(padded, small), box_means(padded, small + 1)
    for top in (True, False):
        for left in (True, False):
            y, x = (1 if first else small for first in (top, left))
            near = inner[..., y : y + height, x : x + width]
            y, x = (0 if first else small for first in (top, left))
            yield torch.lerp(near, outer[..., y : y + height, x : x + width], size - small)


def box_means(images: Tensor, size: int) -> Tensor:
    """The mean over every size x size square that lies within the image, (H - size + 1) x (W - size + 1) of them."""
    if images.device.type == "cpu":
        return box_means_opencv(images, size)
    return avg_pool2d(avg_pool2d(images, (size, 1), 1), (1, size), 1)


def box_means_opencv(images: Tensor, size: int) -> Tensor:
    """`box_means` by OpenCV, for CPU tensors."""
    height, width = images.shape[-2] - size + 1, images.shape[-1] - size + 1
    out = torch.empty(*images.shape[:2], height, width)
    for planes, results in zip(images, out, strict=True):
        for plane, result in zip(planes, results, strict=True):
            mean = cv2.blur(np.ascontiguousarray(plane.numpy()), (size, size), anchor=(0, 0))
            result.copy_(torch.from_numpy(mean[:height, :width]))
    return out


def mosaic(images: Tensor, cell: float) -> Tensor:
    """Gives each cell of a partition its mean colour.

    Partitions are nested: a coarser one joins cells of a finer one, so that the image never comes nearer to itself as
    the cells grow. The finest have 1 / `FINEST` of `fields.unit`; below that the image blends into them.

    Args:
        images: B x C x H x W float32.
        cell: Side of a square of a cell's mean area, of `fields.unit`, above 0.

    Returns:
        The same shape, channels_last.
    """
    height, width = images.shape[-2:]
    count = max(round(height * width / (max(cell, 1 / FINEST) * unit(height, width)) ** 2), 1)
    cells = _cells(height, width, count)
    if images.device.type == "cpu":
        tiled = by_image(images, lambda image, _: flat(image, cells))
    else:
        tiled = _flat_torch(images, torch.from_numpy(cells).to(images.device))
    return tiled if cell * FINEST >= 1 else torch.lerp(images, tiled, cell * FINEST)


def flat(image: NDArray[np.float32], cells: NDArray[np.int32]) -> NDArray[np.float32]:
    """An image, H x W x C, with each pixel at the mean of its cell, which is given for H * W pixels."""
    counts = np.maximum(np.bincount(cells), 1)
    planes = [np.bincount(cells, weights=image[..., c].ravel()) / counts for c in range(image.shape[2])]
    means: NDArray[np.float32] = np.stack(planes, -1).astype(np.float32)
    return means.take(cells, 0).reshape(image.shape)


def _flat_torch(images: Tensor, cells: Tensor) -> Tensor:
    batch, channels, height, width = images.shape
    values = images.reshape(batch, channels, -1).double()
    counts = torch.bincount(cells).clamp_(min=1)
    index = cells.long().expand(batch, channels, -1)
    sums = torch.zeros(batch, channels, len(counts), dtype=torch.float64, device=images.device)
    means = sums.scatter_add_(2, index, values) / counts
    flat = means.gather(2, index).float().reshape(batch, channels, height, width)
    return flat.contiguous(memory_format=torch.channels_last)


@functools.lru_cache(maxsize=16)
def _cells(height: int, width: int, count: int) -> NDArray[np.int32]:
    """The cell of each pixel, H * W, where the first `count` seeds have one each."""
    nearest, parents = _tree(height, width)
    owner = np.arange(len(parents))
    for seed in range(count, len(parents)):
        owner[seed] = owner[parents[seed]]
    return owner.astype(np.int32)[nearest]


@functools.lru_cache(maxsize=4)
def _tree(height: int, width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The seed nearest to each pixel, and for each seed the one nearest to it among those before it.

    Seeds are a jittered grid, in an order in which every first n of them are spread over the whole image.
    """
    rows, columns = (max(round(FINEST * n / unit(height, width)), 1) for n in (height, width))
    y, x = (part.ravel() for part in np.mgrid[0:rows, 0:columns])
    order = np.argsort(_spread_order(y, x), kind="stable")
    jitter_y, jitter_x = _hash(y, x + 7919), _hash(x + 104729, y)
    seeds = np.stack(((y + jitter_y) / rows * height, (x + jitter_x) / columns * width), 1)[order]
    at = np.mgrid[0:height, 0:width].reshape(2, -1).T + 0.5
    nearest = cKDTree(seeds).query(at)[1].astype(np.int64)
    parents = np.zeros(len(seeds), dtype=np.int64)
    begin = 1
    while begin < len(seeds):
        end = min(2 * begin, len(seeds))
        parents[begin:end] = cKDTree(seeds[:begin]).query(seeds[begin:end])[1]
        begin = end
    return nearest, parents


def _spread_order(y: NDArray[np.int64], x: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ranks of grid points, below 4096 a side, so that every first n are spread: quarters, their quarters, and so on.

    Which quarter of a square comes first looks random from square to square, or else all coarse seeds would lie in the
    same corner of theirs.
    """
    rank = np.zeros_like(y)
    for bit in range(12):
        turn = (_hash((y >> bit + 1) * 12 + bit, x >> bit + 1) * 4).astype(np.int64)
        quarter = ((y >> bit & 1) << 1 | x >> bit & 1) ^ turn
        rank |= quarter << 2 * (11 - bit)
    return rank


def _hash(y: NDArray[np.int64], x: NDArray[np.int64]) -> NDArray[np.float64]:
    """Numbers in [0, 1) that look random, by place."""
    down, across = (part.astype(np.uint64) for part in (y, x))
    mixed = down * np.uint64(0x9E3779B97F4A7C15) ^ across * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed ^ mixed >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers: NDArray[np.float64] = (mixed >> np.uint64(40)).astype(np.float64) / float(1 << 24)
    return numbers
