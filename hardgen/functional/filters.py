"""Linear filters with a replicated border: OpenCV on the CPU where it is fast, matrices and Fourier transforms else."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from scipy.fft import next_fast_len
from torch import Tensor
from torch.nn import functional

from hardgen.functional import kernels
from hardgen.functional.kernels import Kernel
from hardgen.functional.parallel import by_image

Size = tuple[int, int]

LONG = 0.2
"""Taps per pixel of the image's side from which a matrix product is faster than OpenCV (measured: 40 at 224 px)."""

COARSE = 3.0
"""Standard deviation in pixels from which a Gaussian blur at half the size is close, and faster."""
BINOMIAL = np.array([0.25, 0.5, 0.25], dtype=np.float32)
HALVING = 1.5
"""Variance in pixels that halving (1/2 by the binomial filter, 1/4 by means of pairs) and doubling (3/4) bring."""
SMALL = 11
"""Side of a kernel up to which OpenCV's direct filter is faster than Fourier transforms (measured at 224 px)."""


def gaussian_blur(images: Tensor, sigma: float) -> Tensor:
    """Gaussian blur as in `scipy.ndimage.gaussian_filter(mode="nearest", truncate=4)`.

    Args:
        images: B x C x H x W float32.
        sigma: Standard deviation in pixels, above 0. On the CPU, from 3 on, the image is blurred at half its size or
            less, within 1/255 of the exact filter.

    Returns:
        The same shape, channels_last.
    """
    if images.device.type == "cpu" and sigma >= COARSE:
        return by_image(images, lambda x, _: gaussian_opencv(x, sigma))
    return separable(images, kernels.gaussian(sigma))


def gaussian_opencv(image: NDArray[Any], sigma: float) -> NDArray[Any]:
    """The Gaussian blur of one H x W x C image, by way of images of half the size where it is wide."""
    if sigma < COARSE:
        kernel = kernels.gaussian(sigma)
        return cv2.sepFilter2D(image, -1, kernel, kernel, borderType=cv2.BORDER_REPLICATE)
    # Four pixels of border more, so that the border of the small image is the large one's; and even sides.
    height, width = image.shape[:2]
    grown = cv2.copyMakeBorder(image, 4, 4 + height % 2, 4, 4 + width % 2, cv2.BORDER_REPLICATE)
    smooth = cv2.sepFilter2D(grown, -1, BINOMIAL, BINOMIAL, borderType=cv2.BORDER_REPLICATE)
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
        return box_opencv(images, width)
    return separable_matrix(images, kernels.box(width))


def box_opencv(images: Tensor, width: float) -> Tensor:
    """`box_blur` by OpenCV's running sums, for CPU tensors: a mix of the two nearest odd windows along each axis."""
    inner = 2 * int((max(width, 1.0) - 1) / 2) + 1
    share = (max(width, 1.0) - inner) / 2
    first = (1 - share) * inner / max(width, 1.0)

    def along(x: NDArray[Any], down: int) -> NDArray[Any]:
        small, large = (
            cv2.blur(x, (1, n) if down else (n, 1), borderType=cv2.BORDER_REPLICATE) if n > 1 else x
            for n in (inner, inner + 2 * (share > 0))
        )
        return cv2.addWeighted(small, first, large, 1 - first, 0.0) if share else small

    return by_image(images, lambda x, _: along(along(x, 0), 1))


def separable(images: Tensor, kernel: Kernel) -> Tensor:
    """Filters rows and columns with the same symmetric kernel.

    Args:
        images: B x C x H x W float32; the border is replicated as far as the kernel reaches.
        kernel: n float32, n odd.

    Returns:
        The same shape, channels_last.
    """
    if images.device.type == "cpu" and len(kernel) <= LONG * sum(images.shape[-2:]) / 2:
        return separable_opencv(images, kernel)
    return separable_matrix(images, kernel)


def separable_opencv(images: Tensor, kernel: Kernel) -> Tensor:
    """`separable` by OpenCV, for CPU tensors."""
    return by_image(images, lambda x, _: cv2.sepFilter2D(x, -1, kernel, kernel, borderType=cv2.BORDER_REPLICATE))


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


def convolve(images: Tensor, each: Sequence[Kernel]) -> Tensor:
    """Filters each image with its own kernel, or all with one.

    Args:
        images: B x C x H x W float32; the border is replicated as far as the kernel reaches.
        each: One n x n float32 kernel for each image, or a single one; n odd. The kernel is laid over the pixels as it
            is (correlation); for one that is symmetric about its centre that is convolution.

    Returns:
        The same shape, channels_last.
    """
    if images.device.type == "cpu" and max(map(len, each)) <= SMALL:
        return convolve_opencv(images, each)
    return convolve_fourier(images, each)


def convolve_opencv(images: Tensor, each: Sequence[Kernel]) -> Tensor:
    """`convolve` by OpenCV, for CPU tensors."""
    return by_image(images, lambda x, i: cv2.filter2D(x, -1, each[i % len(each)], borderType=cv2.BORDER_REPLICATE))


def convolve_fourier(images: Tensor, each: Sequence[Kernel]) -> Tensor:
    """`convolve` by Fourier transform of the padded images, for every device; on the CPU a few images at a time."""
    threads = torch.get_num_threads()
    step = len(images) if images.device.type != "cpu" else 1 if threads == 1 else 4 * threads
    out = torch.empty_like(images, memory_format=torch.channels_last)
    for i in range(0, len(images), step):
        part = images[i : i + step]
        kept = each if len(each) == 1 else each[i : i + step]
        out[i : i + step] = _convolve_some(part, kept)
    return out


def _convolve_some(images: Tensor, each: Sequence[Kernel]) -> Tensor:
    height, width = images.shape[-2:]
    side = max(map(len, each))
    size, half = (_fast(height + side - 1), _fast(width + side - 1)), side // 2
    weights = torch.from_numpy(np.stack([np.pad(kernel, half - len(kernel) // 2) for kernel in each]))
    # Rows first, while there are only the kernel's own.
    spectra = torch.fft.fft(torch.fft.rfft(weights.to(images.device), n=size[1]), n=size[0], dim=-2)
    spectra = spectra.conj_physical_()[:, None]
    planes = _replicated(images, half, size)
    filtered: Tensor = torch.fft.irfft2(torch.fft.rfft2(planes).mul_(spectra), s=size)
    return filtered[..., :height, :width]


def _replicated(images: Tensor, half: int, size: Size) -> Tensor:
    """Images with the border replicated by `half` above and to the left, and so far that they have the size."""
    height, width = images.shape[-2:]
    below, right = size[0] - height - half, size[1] - width - half
    if images.device.type != "cpu":
        return functional.pad(images, (half, right, half, below), mode="replicate")
    grown = []
    for image in images.permute(0, 2, 3, 1):
        pixels = np.ascontiguousarray(image.numpy())
        pixels = cv2.copyMakeBorder(pixels, half, below, half, right, cv2.BORDER_REPLICATE).reshape(*size, -1)
        grown.append(torch.from_numpy(pixels).permute(2, 0, 1))
    return grown[0].contiguous()[None] if len(grown) == 1 else torch.stack(grown)


def _fast(size: int) -> int:
    """The next size that is a quick one to transform: a multiple of 16 with small factors."""
    return 16 * int(next_fast_len(-(-size // 16), real=True))


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
