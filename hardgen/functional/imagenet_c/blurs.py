"""ImageNet-C's blurs: disk, trail and zoom."""

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

from hardgen.functional import kernels
from hardgen.functional.bytewise import Bytes, cut, flat
from hardgen.functional.convolutions import convolve
from hardgen.functional.filters import COARSE, gaussian_opencv
from hardgen.functional.kernels import Kernel
from hardgen.functional.parallel import by_image

Offsets = list[tuple[int, int, float]]
"""Rows down, columns right and weight of each copy of an image."""

SMALL = 48 * 48
"""Pixels of an image up to which no way by half the size pays."""
MOST_TAPS = 129
"""Size of a filter up to which OpenCV does not take Fourier transforms instead."""


@functools.lru_cache(maxsize=64)
def disk(radius: float, smooth: float) -> Kernel:
    """Pixels whose centre lies within the radius, smoothed a little; read-only.

    Args:
        radius: In pixels.
        smooth: Standard deviation of the smoothing in pixels, cut to 3 x 3 up to radius 8 and to 5 x 5 above.
    """
    reach = 8 if radius <= 8 else math.floor(radius)
    at = np.arange(-reach, reach + 1)
    inside = (at[:, None] ** 2 + at[None, :] ** 2 <= radius**2).astype(np.float32)
    weights = smoothing(radius, smooth)
    kernel: Kernel = np.asarray(cv2.sepFilter2D(inside / inside.sum(), -1, weights, weights), np.float32)
    filled = np.flatnonzero(kernel.max(0))
    kernel = kernel[filled[0] : filled[-1] + 1, filled[0] : filled[-1] + 1]
    kernel.flags.writeable = False
    return kernel


def smoothing(radius: float, smooth: float) -> Kernel:
    """The Gaussian that smooths a disk, along one axis."""
    weights: Kernel = np.asarray(cv2.getGaussianKernel(3 if radius <= 8 else 5, smooth), np.float32).ravel()
    return weights


def gaussian(pixels: Bytes, sigma: float) -> NDArray[np.uint8]:
    """The Gaussian blur of one image of bytes, cut off to bytes; within a level where it goes by half the size."""
    if sigma >= COARSE and len(pixels) * pixels.shape[1] > SMALL:
        return cut(flat(gaussian_opencv(pixels.astype(np.float32), sigma)), 1.0)
    kernel = kernels.gaussian(sigma)
    return cut(flat(cv2.sepFilter2D(pixels, cv2.CV_32F, kernel, kernel, borderType=cv2.BORDER_REPLICATE)), 1.0)


def defocus(images: Tensor, kernel: Kernel) -> Tensor:
    """Filters with a disk; the border is mirrored about the outermost pixels.

    Args:
        images: B x C x H x W float32.
        kernel: n x n, n odd, symmetric.
    """
    radius = len(kernel) // 2
    if images.device.type == "cpu" and radius <= 5:
        return by_image(images, lambda x, _: cv2.filter2D(x, -1, kernel, borderType=cv2.BORDER_REFLECT_101))
    height, width = images.shape[-2:]
    rows, columns = (mirrored(n, radius).to(images.device) for n in (height, width))
    wide = images[:, :, rows][:, :, :, columns].contiguous(memory_format=torch.channels_last)
    return convolve(wide, [kernel])[:, :, radius : radius + height, radius : radius + width]


def mirrored(size: int, reach: int) -> Tensor:
    """Places -reach to size + reach of a line, mirrored about its outermost pixels into it."""
    period = max(2 * (size - 1), 1)
    place = torch.arange(-reach, size + reach).remainder(period)
    return torch.minimum(place, period - place) if size > 1 else torch.zeros_like(place)


def trail(radius: int, sigma: float, degrees: float, centred: bool) -> Offsets:
    """The copies of an image that a motion blur sums: a falling Gaussian along a line, at whole pixels.

    Args:
        radius: The line reaches 2 radius pixels to one side, or radius pixels to both where centred.
        sigma: Standard deviation of the Gaussian in pixels.
        degrees: Direction, clockwise from the rows.
        centred: Whether the image stays where it is; the published blur drags it to one side.
    """
    steps, weights = _fading(radius, sigma, centred)
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return [(-math.ceil(s * sine - 0.5), -math.ceil(s * cosine - 0.5), w) for s, w in zip(steps, weights, strict=True)]


@functools.lru_cache(maxsize=64)
def _fading(radius: int, sigma: float, centred: bool) -> tuple[list[int], list[float]]:
    steps = np.arange(-radius, radius + 1) if centred else np.arange(2 * radius + 1)
    weights = np.exp(-(steps**2) / (2 * sigma**2))
    return steps.tolist(), (weights / weights.sum()).tolist()


def drag(images: Tensor, each: Sequence[Offsets]) -> Tensor:
    """Sums weighted copies of each image, the border replicated; copies that leave the frame altogether are left out.

    Args:
        images: B x C x H x W float32.
        each: The copies of each image.
    """
    height, width = images.shape[-2:]
    kept = [[o for o in offsets if abs(o[0]) < height and abs(o[1]) < width] for offsets in each]
    if images.device.type != "cpu":
        return torch.stack([_drag_torch(image, offsets) for image, offsets in zip(images, kept, strict=True)])
    return by_image(images, lambda x, i: drag_opencv(x, kept[i]))


def drag_opencv(image: NDArray[np.float32], offsets: Offsets) -> NDArray[np.float32]:
    """`drag` of one H x W x C image by OpenCV: by filters so small that it applies them tap by tap."""
    height, width = image.shape[:2]
    if not offsets:
        return np.zeros_like(image)
    down, across = [o[0] for o in offsets], [o[1] for o in offsets]
    above, beside = max(*down, 0), max(*across, 0)
    wide = cv2.copyMakeBorder(image, above, max(-min(down), 0), beside, max(-min(across), 0), cv2.BORDER_REPLICATE)
    total: NDArray[Any] | None = None
    for kernel, top, left in _pieces(offsets):
        rows, columns = height + kernel.shape[0] - 1, width + kernel.shape[1] - 1
        part = wide[above - top : above - top + rows, beside - left : beside - left + columns]
        made = cv2.filter2D(part, -1, kernel, anchor=(0, 0), borderType=cv2.BORDER_CONSTANT)[:height, :width]
        total = made if total is None else np.add(total, made, out=total)
    return np.ascontiguousarray(total).reshape(image.shape)


def _pieces(offsets: Offsets) -> list[tuple[Kernel, int, int]]:
    """Kernels that add up to a trail, which goes straight on, and by how much at most each moves down and right."""
    pieces, start = [], 0
    while start < len(offsets):
        (y, x, _), end = offsets[start], start + 1
        height = width = 1
        while end < len(offsets):
            high, wide = abs(offsets[end][0] - y) + 1, abs(offsets[end][1] - x) + 1
            if high * wide > MOST_TAPS:
                break
            height, width, end = high, wide, end + 1
        bottom, right = max(y, offsets[end - 1][0]), max(x, offsets[end - 1][1])
        taps = [0.0] * (height * width)
        for dy, dx, weight in offsets[start:end]:
            taps[(bottom - dy) * width + right - dx] += weight
        pieces.append((np.array(taps, np.float32).reshape(height, width), bottom, right))
        start = end
    return pieces


def _drag_torch(image: Tensor, offsets: Offsets) -> Tensor:
    height, width = image.shape[-2:]
    reach = max(max(abs(dy), abs(dx)) for dy, dx, _ in offsets)
    wide = functional.pad(image[None], (reach,) * 4, mode="replicate")[0]
    total = torch.zeros_like(image)
    for dy, dx, weight in offsets:
        total.add_(wide[:, reach - dy : reach - dy + height, reach - dx : reach - dx + width], alpha=weight)
    return total


def zoomed(image: NDArray[np.float32], zoom: float) -> NDArray[np.float32]:
    """The middle of an H x W (x C) image enlarged to the frame, cut from the upper left as in the reference."""
    height, width = image.shape[:2]
    matrix, size = _view(height, width, zoom)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    out = cv2.warpAffine(image, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    if (size[1], size[0]) != (height, width):
        whole_out = np.zeros_like(image)
        whole_out[: size[1], : size[0]] = out.reshape(size[1], size[0], *image.shape[2:])
        return whole_out
    return np.asarray(out, dtype=np.float32).reshape(image.shape)


@functools.lru_cache(maxsize=256)
def _view(height: int, width: int, zoom: float) -> tuple[NDArray[np.float64], tuple[int, int]]:
    """How places in an enlargement lie in the image, and the columns and rows that the enlargement fills."""
    matrix, size = np.zeros((2, 3)), [0, 0]
    for row, length in enumerate((width, height)):
        part = math.ceil(length / zoom)
        whole = round(part * zoom)
        size[row] = min(whole, length)
        matrix[row, row] = (part - 1) / (whole - 1) if whole > 1 else 0.0
        matrix[row, 2] = (length - part) // 2
    return matrix, (size[0], size[1])


def zoom_mean(images: Tensor, zooms: Sequence[float]) -> Tensor:
    """The mean of the image itself and its enlargements.

    Args:
        images: B x C x H x W float32; CUDA tensors go to the CPU for it and back.
        zooms: Each at least 1.
    """
    share = np.float32(1 / (len(zooms) + 1))
    return by_image(images.cpu(), lambda x, _: views(x, zooms) * share).to(images.device)


def views(image: NDArray[np.float32], zooms: Sequence[float]) -> NDArray[np.float32]:
    """The sum of an H x W x C image and of its enlargements."""
    total = image.copy()
    for zoom in zooms:
        total += image if zoom == 1 else zoomed(image, zoom)
    return total
