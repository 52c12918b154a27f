"""Filters of any shape with a replicated border: OpenCV on the CPU where it is fast, Fourier transforms else."""

import itertools
from collections.abc import Sequence

import cv2
import numpy as np
import torch
from scipy.fft import next_fast_len
from torch import Tensor
from torch.nn import functional

from hardgen.functional.filters import REPLICATE
from hardgen.functional.kernels import Kernel
from hardgen.functional.sources import Floats, Making, make

Size = tuple[int, int]

SMALL = 11
"""Side of a square kernel up to which OpenCV filters directly; above, it goes by Fourier transforms of its own."""
PIECE, MOST = 10, 250
"""Taps whose time a piece of such a size takes besides its own, and from which on Fourier transforms are faster
(measured at 224 px: 6 us a tap)."""


def convolve(images: Tensor, each: Sequence[Kernel]) -> Tensor:
    """Filters each image with its own kernel, or all with one.

    Args:
        images: B x C x H x W float32; the border is replicated as far as the kernel reaches.
        each: One n x n float32 kernel for each image, or a single one; n odd. The kernel is laid over the pixels as it
            is (correlation); for one that is symmetric about its centre that is convolution.

    Returns:
        The same shape, channels_last.
    """
    making = convolving(each) if images.device.type == "cpu" else None
    return convolve_fourier(images, each) if making is None else make(images, making)


def convolving(each: Sequence[Kernel]) -> Making | None:
    """`convolve` for each image by itself, on the CPU: by the pieces of a kernel that are not empty, where few are.

    OpenCV takes small kernels as they are, and of them only the taps that are not 0: a line costs little at any angle.
    """
    cut = [_pieces(kernel) for kernel in each]
    if max(sum(PIECE + np.count_nonzero(piece) for _, _, piece in pieces) for pieces in cut) > MOST:
        return None

    def filtered(image: Floats, i: int) -> Floats:
        height, width, half = *image.shape[:2], len(each[i % len(each)]) // 2
        grown = cv2.copyMakeBorder(image, half, half, half, half, REPLICATE)
        total = None
        for top, left, piece in cut[i % len(each)]:
            seen = grown[top : top + height + len(piece) - 1, left : left + width + piece.shape[1] - 1]
            part = cv2.filter2D(seen, -1, piece, anchor=(0, 0))[:height, :width]
            total = part if total is None else np.add(total, part, out=total)
        return np.asarray(total)

    return Making(filtered)


def _pieces(kernel: Kernel) -> list[tuple[int, int, Kernel]]:
    """The parts of a kernel that are not empty, with the row and the column that they begin at."""
    rows, columns = np.nonzero(kernel)
    tall, wide = (int(n.max() - n.min()) + 1 for n in (rows, columns))
    tall, wide = (tall, wide) if tall * wide <= SMALL**2 else (SMALL, SMALL)
    corners = itertools.product(range(rows.min(), rows.max() + 1, tall), range(columns.min(), columns.max() + 1, wide))
    cut = ((y, x, np.ascontiguousarray(kernel[y : y + tall, x : x + wide])) for y, x in corners)
    return [(y, x, piece) for y, x, piece in cut if piece.any()]


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
