"""Filters of rows and columns with a replicated border: OpenCV on the CPU where it is fast, matrices else."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional import kernels
from hardgen.functional.kernels import Kernel
from hardgen.functional.parallel import by_image
from hardgen.functional.sources import Floats, Making, make

LONG = 0.2
"""Taps per pixel of the image's side from which a matrix product is faster than OpenCV (measured: 40 at 224 px)."""

COARSE = 3.0
"""Standard deviation in pixels from which a Gaussian blur at half the size is close, and faster."""
BINOMIAL = np.array([0.25, 0.5, 0.25], dtype=np.float32)
HALVING = 1.5
"""Variance in pixels that halving (1/2 by the binomial filter, 1/4 by means of pairs) and doubling (3/4) bring."""
ALIKE = 1e-6
"""Pixels by which widths may differ and count as the same."""
REPLICATE = cv2.BORDER_REPLICATE


def gaussian_blur(images: Tensor, sigma: float) -> Tensor:
    """Gaussian blur as in `scipy.ndimage.gaussian_filter(mode="nearest", truncate=4)`.

    Args:
        images: B x C x H x W float32.
        sigma: Standard deviation in pixels, above 0. On the CPU, from 3 on, the image is blurred at half its size or
            less, within 1/255 of the exact filter.

    Returns:
        The same shape, channels_last.
    """
    kernel = kernels.gaussian(sigma)
    if images.device.type == "cpu" and (sigma >= COARSE or _short(kernel, images.shape)):
        return make(images, gaussian_blurring(sigma))
    return separable_matrix(images, kernel)


def gaussian_blurring(sigma: float) -> Making:
    """`gaussian_blur` for each image by itself, on the CPU."""
    return Making(lambda image, _: gaussian_opencv(image, sigma))


def gaussian_opencv(image: NDArray[Any], sigma: float) -> NDArray[Any]:
    """The Gaussian blur of one H x W x C image, by way of images of half the size where it is wide."""
    if sigma < COARSE:
        kernel = kernels.gaussian(sigma)
        return cv2.sepFilter2D(image, -1, kernel, kernel, borderType=REPLICATE)
    # Four pixels of border more, so that the border of the small image is the large one's; and even sides.
    height, width = image.shape[:2]
    grown = cv2.copyMakeBorder(image, 4, 4 + height % 2, 4, 4 + width % 2, cv2.BORDER_REPLICATE)
    smooth = cv2.sepFilter2D(grown, -1, BINOMIAL, BINOMIAL, borderType=REPLICATE)
    small = cv2.resize(smooth, (grown.shape[1] // 2, grown.shape[0] // 2), interpolation=cv2.INTER_LINEAR)
    blurred = gaussian_opencv(small, (sigma**2 - HALVING) ** 0.5 / 2)
    full = cv2.resize(blurred, (grown.shape[1], grown.shape[0]), interpolation=cv2.INTER_LINEAR)
    return full[4 : 4 + height, 4 : 4 + width]


def box_blur(images: Tensor, width: float) -> Tensor:
    """Mean over a square window, whose outermost pixels count in part where its width is not odd.

    Args:
        images: B x C x H x W float32; the border is replicated.
        width: In pixels, above 0; up to 1, nothing changes.

    Returns:
        The same shape, channels_last.
    """
    if images.device.type == "cpu":
        return make(images, box_blurring(width))
    return separable_matrix(images, kernels.box(width))


def box_blurring(width: float) -> Making:
    """`box_blur` for each image by itself, on the CPU: a mix of the two nearest odd windows along each axis."""
    inner = 2 * int((max(width, 1.0) - 1 + ALIKE) / 2) + 1
    share = (max(width, 1.0) - inner) / 2
    if share <= ALIKE:
        return Making(
            lambda image, _: cv2.blur(image, (inner, inner), borderType=REPLICATE),
            lambda codes, _: cv2.blur(codes, (inner, inner), borderType=REPLICATE),
        )
    first = (1 - share) * inner / width

    def along(x: Floats, shape: tuple[int, int], larger: tuple[int, int]) -> NDArray[Any]:
        both = (cv2.blur(x, window, borderType=REPLICATE) for window in (shape, larger))
        return cv2.addWeighted(next(both), first, next(both), 1 - first, 0.0)

    return Making(lambda image, _: along(along(image, (1, inner), (1, inner + 2)), (inner, 1), (inner + 2, 1)))


def separable(images: Tensor, kernel: Kernel) -> Tensor:
    """Filters rows and columns with the same symmetric kernel.

    Args:
        images: B x C x H x W float32; the border is replicated as far as the kernel reaches.
        kernel: n float32, n odd.

    Returns:
        The same shape, channels_last.
    """
    if images.device.type == "cpu" and _short(kernel, images.shape):
        return separable_opencv(images, kernel)
    return separable_matrix(images, kernel)


def _short(kernel: Kernel, shape: Sequence[int]) -> bool:
    """Whether OpenCV is faster than a matrix product."""
    return len(kernel) <= LONG * sum(shape[-2:]) / 2


def separable_opencv(images: Tensor, kernel: Kernel) -> Tensor:
    """`separable` by OpenCV, for CPU tensors."""
    return by_image(images, lambda x, _: cv2.sepFilter2D(x, -1, kernel, kernel, borderType=REPLICATE))


def separable_matrix(images: Tensor, kernel: Kernel) -> Tensor:
    """`separable` as two matrix products, for every device; its cost does not depend on the kernel."""
    batch, channels, height, width = images.shape
    down = _matrix(kernel, height).to(images.device)
    across = down if height == width else _matrix(kernel, width).to(images.device)
    out = torch.empty_like(images, memory_format=torch.channels_last)
    # One image at a time on the CPU: its pixels then do not depend on the batch by so much as a rounding.
    step = 1 if images.device.type == "cpu" else batch
    for i in range(0, batch, step):
        part = images[i : i + step]
        rows = down @ part.permute(0, 2, 3, 1).reshape(len(part), height, width * channels)
        columns = rows.reshape(len(part), height, width, channels).transpose(1, 2)
        both = across @ columns.reshape(len(part), width, height * channels)
        out[i : i + step] = both.reshape(len(part), width, height, channels).permute(0, 3, 2, 1)
    return out


def _matrix(kernel: Kernel, size: int) -> Tensor:
    """The size x size matrix that filters a column of pixels; taps beyond an end fall on the end's pixel."""
    radius = len(kernel) // 2
    reach = min(radius, size - 1)
    inner = kernel[radius - reach : radius + reach + 1]
    at = np.arange(size)[:, None] + np.arange(-reach, reach + 1)[None, :]
    matrix = np.zeros((size, size), dtype=np.float64)
    rows = np.broadcast_to(np.arange(size)[:, None], at.shape)
    np.add.at(matrix, (rows, at.clip(0, size - 1)), np.broadcast_to(inner, at.shape))
    beyond = float(kernel[: radius - reach].sum(dtype=np.float64))
    matrix[:, 0] += beyond
    matrix[:, -1] += beyond
    return torch.from_numpy(matrix.astype(np.float32))
