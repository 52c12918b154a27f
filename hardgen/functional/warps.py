"""Means over many views of an image: zoomed or turned about its centre by little more each time."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from hardgen.functional.parallel import by_image

Matrix = NDArray[np.float64]
"""2 x 3: where each output pixel (x, y, 1) is taken from, in pixels from the centre of the image."""

SMALL = 128
"""Short side in pixels up to which views are bicubic: bilinear ones blur by a notable share of so small an image."""
VIEWS = 21
"""Views of a mean at least, unless they come to lie closer than a quarter of a pixel of motion."""

LONG, WIDE = 48, 1.25
"""Way of a turn in pixels from which on its views lie further apart than a pixel, and how far at most."""


def zoom_mean(images: Tensor, low: float, high: float) -> Tensor:
    """The mean over all zooms between two, about the centre of the image.

    Zooms are taken at every pixel of motion at the middle of the edges, or closer for a short range, and views between
    them are interpolated: within 1/255 of the limit of ever closer zooms for 99.9% of a photograph's values.

    Args:
        images: B x C x H x W float32; bilinear, or bicubic if small; the border is replicated.
        low: Least zoom, in (0.5, 1].
        high: Greatest zoom, above `low`, at least 1.

    Returns:
        The same shape, channels_last.
    """
    short = min(images.shape[-2:])
    # A crop that is j pixels narrower on each side of the short side, or wider, is a zoom of short / (short - 2 j).
    first, last = (short * (1 - 1 / zoom) / 2 for zoom in (low, high))
    step = _step(last - first)
    crops = np.arange(math.floor(first / step), math.ceil(last / step) + 1) * step
    crops = crops[2 * crops < short]
    weights = hat_weights(short / (short - 2 * crops), low, high)
    if images.device.type == "cpu" and images.shape[-2] == images.shape[-1] > SMALL and step == 1:
        return crop_mean_opencv(images, [int(j) for j in crops], weights)
    return warp_mean(images, [_diagonal((short - 2 * j) / short) for j in crops], weights)


def turn_mean(images: Tensor, degrees: float) -> Tensor:
    """The mean over all turns about the centre within an arc that is half clockwise, half counter-clockwise.

    Turns are taken at every pixel of motion at the middle of the edges, closer for a short arc and a little wider for a
    long one, and views between them are interpolated: within 1/255 of the limit of ever closer turns for 99.9% of a
    photograph's values.

    Args:
        images: B x C x H x W float32; bilinear, or bicubic if small; the border is replicated.
        degrees: The whole arc, above 0.

    Returns:
        The same shape, channels_last.
    """
    reach = math.radians(degrees) / 2
    half = min(images.shape[-2:]) / 2
    way = 2 * reach * half
    step = min(max(_step(way), way / LONG), WIDE) / half
    count = math.ceil(reach / step)
    angles = np.arange(-count, count + 1) * step
    return warp_mean(images, [_turn(angle) for angle in angles], hat_weights(angles, -reach, reach))


def hat_weights(nodes: NDArray[Any], low: float, high: float) -> NDArray[Any]:
    """Weights of rising nodes in the mean over [low, high] of what is interpolated linearly between them."""
    if len(nodes) == 1:
        return np.ones(1)
    weights = np.zeros(len(nodes))
    a, b = np.maximum(nodes[:-1], low), np.minimum(nodes[1:], high)
    length, width = np.maximum(b - a, 0.0), np.diff(nodes)
    share = ((a + b) / 2 - nodes[:-1]) / width
    weights[:-1] += length * (1 - share)
    weights[1:] += length * share
    weights /= weights.sum()
    return weights


def crop_mean_opencv(images: Tensor, crops: Sequence[int], weights: NDArray[np.float64]) -> Tensor:
    """Weighted mean of square images that lost so many pixels on every side (or gained some), scaled to full size."""
    pad = max(-min(crops), 0)

    def how(image: NDArray[np.float32], _: int) -> NDArray[np.float32]:
        size = image.shape[:2]
        padded = cv2.copyMakeBorder(image, pad, pad, pad, pad, cv2.BORDER_REPLICATE) if pad else image
        total, view = np.zeros(size + image.shape[2:], np.float32), np.empty_like(image)
        for crop, weight in zip(crops, weights, strict=True):
            if weight:
                window = slice(pad + crop, size[0] + pad - crop)
                cv2.resize(padded[window, window], size, dst=view, interpolation=cv2.INTER_LINEAR)
                cv2.scaleAdd(view, float(weight), total, dst=total)
        return total

    return by_image(images, how)


def warp_mean(images: Tensor, matrices: Sequence[Matrix], weights: NDArray[np.float64]) -> Tensor:
    """Weighted mean of views of every image.

    Args:
        images: B x C x H x W float32; bilinear, or bicubic if small; the border is replicated.
        matrices: For each view where its pixels are taken from.
        weights: One for each view; views of weight 0 are left out.

    Returns:
        The same shape, channels_last.
    """
    return (warp_mean_opencv if images.device.type == "cpu" else warp_mean_torch)(images, matrices, weights)


def warp_mean_opencv(images: Tensor, matrices: Sequence[Matrix], weights: NDArray[np.float64]) -> Tensor:
    """`warp_mean` by OpenCV, for CPU tensors."""
    height, width = images.shape[-2:]
    how_fine = cv2.INTER_CUBIC if min(height, width) <= SMALL else cv2.INTER_LINEAR
    flags, middle = how_fine | cv2.WARP_INVERSE_MAP, np.array([(width - 1) / 2, (height - 1) / 2])
    shifted = [np.column_stack((m[:, :2], m[:, 2] + middle - m[:, :2] @ middle)) for m in matrices]

    def how(image: NDArray[np.float32], _: int) -> NDArray[np.float32]:
        total, view = np.zeros_like(image), np.empty_like(image)
        for matrix, weight in zip(shifted, weights, strict=True):
            if weight:
                cv2.warpAffine(image, matrix, (width, height), view, flags, cv2.BORDER_REPLICATE)
                cv2.scaleAdd(view, float(weight), total, dst=total)
        return total

    return by_image(images, how)


def warp_mean_torch(images: Tensor, matrices: Sequence[Matrix], weights: NDArray[np.float64]) -> Tensor:
    """`warp_mean` by torch, for every device."""
    height, width = images.shape[-2:]
    scale = torch.tensor([width / 2, height / 2], device=images.device)
    x = torch.arange(width, device=images.device) - (width - 1) / 2
    y = torch.arange(height, device=images.device) - (height - 1) / 2
    places = torch.stack((x[None, :].expand(height, -1), y[:, None].expand(-1, width)), -1)
    total = torch.zeros_like(images)
    for matrix, weight in zip(matrices, weights, strict=True):
        if weight:
            turned = torch.tensor(matrix, dtype=torch.float32, device=images.device)
            grid = (places @ turned[:, :2].T + turned[:, 2]) / scale
            view = functional.grid_sample(
                images,
                grid[None].expand(len(images), -1, -1, -1),
                mode="bicubic" if min(height, width) <= SMALL else "bilinear",
                padding_mode="border",
                align_corners=False,
            )
            total.add_(view, alpha=float(weight))
    return total.contiguous(memory_format=torch.channels_last)


def _step(way: float) -> float:
    """Pixels of motion from view to view for a whole way of so many."""
    return min(max(way / VIEWS, 0.25), 1.0)


@functools.lru_cache(maxsize=256)
def _diagonal(scale: float) -> Matrix:
    return np.array([[scale, 0.0, 0.0], [0.0, scale, 0.0]])


@functools.lru_cache(maxsize=1024)
def _turn(angle: float) -> Matrix:
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0]])
