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
        return by_image(images, lambda x, _: _coarse_gaussian(x, sigma))
    return separable(images, kernels.gaussian(sigma))


def _coarse_gaussian(image: NDArray[Any], sigma: float) -> NDArray[Any]:
    """The Gaussian blur of one H x W x C image, by way of images of half the size where it is wide."""
    if sigma < COARSE:
        kernel = kernels.gaussian(sigma)
        return cv2.sepFilter2D(image, -1, kernel, kernel, borderType=cv2.BORDER_REPLICATE)
    # Four pixels of border more, so that the border of the small image is the large one's; and even sides.
    height, width = image.shape[:2]
    grown = cv2.copyMakeBorder(image, 4, 4 + height % 2, 4, 4 + width % 2, cv2.BORDER_REPLICATE)
    smooth = cv2.sepFilter2D(grown, -1, BINOMIAL, BINOMIAL, borderType=cv2.BORDER_REPLICATE)
    small = cv2.resize(smooth, (grown.shape[1] // 2, grown.shape[0] // 2), interpolation=cv2.INTER_LINEAR)
    blurred = _coarse_gaussian(small, (sigma**2 - HALVING) ** 0.5 / 2)
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
    """`convolve` by Fourier transform of the padded image, for every device; on the CPU image by image."""
    height, width = images.shape[-2:]
    if images.device.type == "cpu":
        # torch's own threads share the transforms of one image; with a thread for each image they would fight.
        out = torch.empty_like(images, memory_format=torch.channels_last)
        spectrum = _spectrum(each[0], _padded(height, width, len(each[0])))
        for i, image in enumerate(images.permute(0, 2, 3, 1)):
            kernel = each[i % len(each)]
            if i and len(each) > 1:
                spectrum = _spectrum(kernel, _padded(height, width, len(kernel)))
            out[i] = _convolve_one(np.ascontiguousarray(image.numpy()), spectrum, len(kernel))
        return out
    side = max(map(len, each))
    size, half = _padded(height, width, side), side // 2
    grown = [np.pad(kernel, half - len(kernel) // 2) for kernel in each]
    spectra = torch.stack([_spectrum(kernel, size, images.device) for kernel in grown])[:, None]
    frame = (half, size[1] - width - half, half, size[0] - height - half)
    padded = functional.pad(images, frame, mode="replicate")
    filtered: Tensor = torch.fft.irfft2(torch.fft.rfft2(padded) * spectra, s=size)[..., :height, :width]
    return filtered.contiguous(memory_format=torch.channels_last)


def _padded(height: int, width: int, side: int) -> Size:
    return _fast(height + side - 1), _fast(width + side - 1)


def _fast(size: int) -> int:
    """The next size that is a quick one to transform: a multiple of 16 with small factors."""
    return 16 * int(next_fast_len(-(-size // 16), real=True))


def _spectrum(kernel: Kernel, size: Size, device: torch.device | str = "cpu") -> Tensor:
    spectrum: Tensor = torch.fft.rfft2(torch.tensor(kernel, device=device), s=size).conj_physical()
    return spectrum


def _convolve_one(image: NDArray[np.float32], spectrum: Tensor, side: int) -> Tensor:
    """One H x W x C image, filtered by way of its spectrum, as C x H x W."""
    height, width = image.shape[:2]
    size, half = _padded(height, width, side), side // 2
    below, right = size[0] - height - half, size[1] - width - half
    padded = cv2.copyMakeBorder(image, half, below, half, right, cv2.BORDER_REPLICATE).reshape(*size, -1)
    planes = torch.from_numpy(padded).permute(2, 0, 1).contiguous()
    out: Tensor = torch.fft.irfft2(torch.fft.rfft2(planes).mul_(spectrum), s=size)
    return out[:, :height, :width]


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
