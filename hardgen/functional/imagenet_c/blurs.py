"""ImageNet-C's blurs: disk, trail, zoom, and pixels taken from their neighbours."""

import functools
import math
from collections.abc import Sequence

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from hardgen.functional.convolutions import convolve
from hardgen.functional.kernels import Kernel
from hardgen.functional.parallel import by_image

Offsets = list[tuple[int, int, float]]
"""Rows down, columns right and weight of each copy of an image."""


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
    side = 3 if radius <= 8 else 5
    kernel: Kernel = cv2.GaussianBlur(inside / inside.sum(), (side, side), smooth).astype(np.float32)
    filled = np.flatnonzero(kernel.max(0))
    kernel = kernel[filled[0] : filled[-1] + 1, filled[0] : filled[-1] + 1]
    kernel.flags.writeable = False
    return kernel


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
    steps = np.arange(-radius, radius + 1) if centred else np.arange(2 * radius + 1)
    weights = np.exp(-(steps**2) / (2 * sigma**2))
    angle = math.radians(degrees)
    return [
        (-math.ceil(s * math.sin(angle) - 0.5), -math.ceil(s * math.cos(angle) - 0.5), float(w))
        for s, w in zip(steps.tolist(), weights / weights.sum(), strict=True)
    ]


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
    """`drag` of one H x W x C image by OpenCV."""
    height, width = image.shape[:2]
    reach = max(max(abs(dy), abs(dx)) for dy, dx, _ in offsets)
    wide = cv2.copyMakeBorder(image, reach, reach, reach, reach, cv2.BORDER_REPLICATE).reshape(
        height + 2 * reach, width + 2 * reach, -1
    )
    total = np.zeros_like(image)
    for dy, dx, weight in offsets:
        copy = wide[reach - dy : reach - dy + height, reach - dx : reach - dx + width]
        cv2.scaleAdd(copy, weight, total, dst=total)
    return total


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
    matrix, size = np.zeros((2, 3)), [0, 0]
    for row, length in enumerate((width, height)):
        part = math.ceil(length / zoom)
        whole = round(part * zoom)
        size[row] = min(whole, length)
        matrix[row, row] = (part - 1) / (whole - 1) if whole > 1 else 0.0
        matrix[row, 2] = (length - part) // 2
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    out = cv2.warpAffine(image, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    if (size[1], size[0]) != (height, width):
        whole_out = np.zeros_like(image)
        whole_out[: size[1], : size[0]] = out.reshape(size[1], size[0], *image.shape[2:])
        return whole_out
    return np.asarray(out, dtype=np.float32).reshape(image.shape)


def zoom_mean(images: Tensor, zooms: Sequence[float]) -> Tensor:
    """The mean of the image itself and its enlargements.

    Args:
        images: B x C x H x W float32; CUDA tensors go to the CPU for it and back.
        zooms: Each at least 1.
    """

    def blur(x: NDArray[np.float32], _: int) -> NDArray[np.float32]:
        total = x.copy()
        for zoom in zooms:
            cv2.add(total, x if zoom == 1 else zoomed(x, zoom), dst=total)
        return total / np.float32(len(zooms) + 1)

    return by_image(images.cpu(), blur).to(images.device)


def taken_from(draws: Tensor, reach: int, rounds: int) -> Tensor:
    """Where each pixel is taken from after rounds of copying from a random neighbour, pixel by pixel.

    Pixels are visited from the lower right to the upper left; each becomes what its neighbour is at that moment, so
    that a neighbour which was visited before hands on what it has taken. (The reference means to swap the two; in NumPy
    its line only copies.) The chains are followed by doubling instead of pixel by pixel.

    Args:
        draws: B x at least `rounds` x H x W float32 uniform in [0, 1): which neighbour, in each round.
        reach: Neighbours lie -reach to reach - 1 pixels off, in both directions. Pixels within `reach` of the upper and
            left border, and less than `reach` of the others, stay.
        rounds: How often all pixels are visited.

    Returns:
        B x H W int64: indices of pixels.
    """
    batch, _, height, width = draws.shape
    device = draws.device
    place = torch.arange(height * width, device=device)
    row, column = place // width, place % width
    visited = (row > reach) & (row <= height - reach) & (column > reach) & (column <= width - reach)
    source = place.expand(batch, -1)
    for number in range(rounds):
        choice = (draws[:, number].reshape(batch, -1) * (2 * reach) ** 2).long()
        step = (choice // (2 * reach) - reach) * width + choice % (2 * reach) - reach
        came = torch.where(visited, place + step, place)
        onward = visited & (came > place) & visited[came]
        while bool(onward.any()):
            came, onward = (
                torch.where(onward, came.gather(1, came), came),
                onward & onward.gather(1, came),
            )
        source = source.gather(1, came)
    return source
