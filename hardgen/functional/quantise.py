"""Few levels in a pattern of dots, and few colours."""

import heapq

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.parallel import by_image
from hardgen.functional.pointwise import Values, on_values, one_by_one

BINS = 32
"""Bins per channel in which colours are counted before a palette is chosen."""


def dither(images: Tensor, levels: int, thresholds: Tensor) -> Tensor:
    """Brings every value to the level above or below it, above where the way from below exceeds a threshold.

    Args:
        images: B x C x H x W float32 in [0, 1].
        levels: Evenly spaced from black to white, 2 to 256.
        thresholds: In (0, 1), 1 x H x W for all images or B x H x W.
    """
    if not one_by_one(images):
        return dither_torch(images, levels, thresholds)
    channels, count = images.shape[1], len(thresholds)
    table = np.arange(256, dtype=np.float32) / np.float32(levels - 1)
    lifts = [np.repeat(np.float32(1.0) - plane, channels, axis=1) for plane in thresholds.numpy()]

    def one(image: Values, out: Values, i: int) -> None:
        # Half a level lower, rounding does what cutting off would do.
        near = cv2.addWeighted(image, levels - 1, lifts[i % count], 1.0, -0.5, dtype=cv2.CV_8U)
        cv2.LUT(np.minimum(near, np.uint8(levels - 1)), table, dst=out)

    return on_values(images, one)


def dither_torch(images: Tensor, levels: int, thresholds: Tensor) -> Tensor:
    """`dither` on any device."""
    lifted = images.mul(levels - 1).add_(1.0 - thresholds[:, None])
    return lifted.floor_().clamp_(max=levels - 1).mul_(1 / (levels - 1))


def bayer_thresholds(order: int) -> Tensor:
    """The middles of the steps of a Bayer matrix (B. E. Bayer, 1973), 2^order x 2^order in (0, 1)."""
    ranks = np.zeros((1, 1), dtype=np.int64)
    for _ in range(order):
        ranks = np.block([[4 * ranks, 4 * ranks + 2], [4 * ranks + 3, 4 * ranks + 1]])
    return torch.from_numpy(((ranks + 0.5) / ranks.size).astype(np.float32))


def reduce_colours(images: Tensor, count: int) -> Tensor:
    """Gives every pixel the nearest part of a palette that is split, one colour at a time, where the error is greatest.

    All pixels start as one set. The set with the greatest sum of squared distances to its mean is cut in two at its
    mean, along the channel in which it is widest, until there are as many sets as colours; each then takes its mean.
    Every cut makes the error smaller, so that fewer colours are never nearer to the image. Images on another device
    than the CPU are copied to the CPU and back.

    Args:
        images: B x C x H x W float32 in [0, 1].
        count: Colours, at least 1; images with fewer bins of colour keep fewer.

    Returns:
        The same shape, channels_last.
    """
    return by_image(images.cpu(), lambda image, _: _reduce(image, count)).to(images.device)


def _reduce(image: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    channels = image.shape[-1]
    pixels = image.reshape(-1, channels)
    bins = np.minimum(pixels * np.float32(BINS), np.float32(BINS - 1)).astype(np.intp)
    places = bins @ BINS ** np.arange(channels)[::-1] if channels > 1 else bins[:, 0]
    size = BINS**channels
    every = np.bincount(places, minlength=size)
    used = every.nonzero()[0]
    weights = every[used].astype(np.float64)
    totals = np.stack([np.bincount(places, channel, size)[used] for channel in pixels.T], 1)
    palette = np.zeros((size, channels), dtype=np.float32)
    for members in _split(totals / weights[:, None], weights, count):
        palette[used[members]] = totals[members].sum(0) / weights[members].sum()
    reduced: NDArray[np.float32] = palette[places]
    return reduced


def _split(colours: NDArray[np.float64], weights: NDArray[np.float64], count: int) -> list[NDArray[np.int64]]:
    """Cuts weighted colours into so many sets: the rows of each."""
    heap = [_entry(colours, weights, np.arange(len(colours)))]
    while len(heap) < count and heap[0][0] < 0:
        _, _, members, axis, middle = heapq.heappop(heap)
        upper = colours[members, axis] > middle
        for part in (members[upper], members[~upper]):
            heapq.heappush(heap, _entry(colours, weights, part))
    return [entry[2] for entry in heap]


def _entry(
    colours: NDArray[np.float64], weights: NDArray[np.float64], members: NDArray[np.int64]
) -> tuple[float, int, NDArray[np.int64], int, float]:
    """A set with its negative error, a number that breaks ties, and where it would be cut."""
    if len(members) == 1:
        return 0.0, int(members[0]), members, 0, 0.0
    mine, weight = colours[members], weights[members]
    mean = weight @ mine / weight.sum()
    error = weight @ np.square(mine - mean)
    axis = int(error.argmax())
    return -float(error.sum()), int(members[0]), members, axis, float(mean[axis])
