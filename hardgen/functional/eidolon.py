"""Disarray: an image is cut into slices of scale, each is displaced by a random field, and they are added up."""

import functools
import itertools
import math

import numpy as np
import torch
from torch import Tensor

from hardgen.functional.kernels import gaussian
from hardgen.functional.sampling import resample
from hardgen.functional.scales import enlarged, smoothed

FINE, COARSE = (1 / 256, 1 / 128, 1 / 64), (1 / 32, 1 / 16, 1 / 8)
"""Standard deviations of the Gaussians between which the slices lie, of the short side."""

SLICES = len(FINE) + len(COARSE) + 1

CELLS = 2
"""Grid points of a noise field for each standard deviation of its smoothing."""

MARGIN = 4 * CELLS
"""Grid points drawn beyond each edge of the image, as far as the smoothing reaches."""


def slices(images: Tensor) -> list[Tensor]:
    """Differences of Gaussians, the coarsest first; their sum is the image.

    Args:
        images: B x C x H x W float32.

    Returns:
        `SLICES` tensors of the same shape.
    """
    levels = [images, *smoothed(images, FINE, COARSE)]
    return [levels[-1], *(fine - coarse for fine, coarse in itertools.pairwise(levels))]


def grid(height: int, width: int, grain: float) -> tuple[int, int]:
    """Rows and columns of noise that a field over an image takes.

    Args:
        height: In pixels.
        width: In pixels.
        grain: Standard deviation of the field's smoothing, of the short side.
    """
    cell = grain * min(height, width) / CELLS
    rows, columns = max(round(height / cell), 1), max(round(width / cell), 1)
    return rows + 2 * MARGIN, columns + 2 * MARGIN


def smooth(noise: Tensor) -> Tensor:
    """White noise on a `grid` to a smooth Gaussian field of unit variance.

    Args:
        noise: ... x h x w float32, standard normal.

    Returns:
        ... x (h - 2 MARGIN) x (w - 2 MARGIN) float32.
    """
    down, across = (_smoothing(n).to(noise.device) for n in noise.shape[-2:])
    return down @ noise @ across.T


@functools.lru_cache(maxsize=32)
def _smoothing(size: int) -> Tensor:
    """The matrix that smooths `size` grid points to those inside the margin, each of unit variance."""
    kernel = gaussian(float(CELLS)).astype(np.float64)
    kernel /= math.sqrt(float((kernel**2).sum()))
    matrix = np.zeros((size - 2 * MARGIN, size))
    for row in range(len(matrix)):
        matrix[row, row : row + len(kernel)] = kernel
    return torch.from_numpy(matrix).float()


def disarray(images: Tensor, shared: Tensor, own: Tensor, reach: float, coherence: float) -> Tensor:
    """Displaces every slice of scale by a field of which a part is shared by all slices.

    Args:
        images: B x C x H x W float32.
        shared: B x 2 x h x w float32, standard normal on a `grid`: x and y.
        own: B x SLICES x 2 x h x w float32, the same for each slice; not read where the coherence is 1.
        reach: Standard deviation of the displacement in x and in y, in pixels.
        coherence: Correlation of the slices' fields: 1 moves all alike, 0 each by itself.

    Returns:
        The same shape, channels_last; values may leave [0, 1].
    """
    out = torch.zeros_like(images, memory_format=torch.channels_last)
    # One image at a time on the CPU, which stays in its cache and keeps an image's pixels apart from its batch.
    step = 1 if images.device.type == "cpu" else len(images)
    for i in range(0, len(images), step):
        part = slice(i, i + step)
        common = smooth(shared[part]).mul_(reach * math.sqrt(coherence))
        if coherence == 1:
            out[part] = _displace(images[part], common)
            continue
        fields = smooth(own[part]).mul_(reach * math.sqrt(1 - coherence)).add_(common[:, None])
        for k, layer in enumerate(slices(images[part])):
            out[part] += _displace(layer, fields[:, k])
    return out


def _displace(images: Tensor, field: Tensor) -> Tensor:
    """Takes each pixel from where a coarse field (B x 2 x h x w, pixels) says."""
    height, width = images.shape[-2:]
    flow = enlarged(field.contiguous(), height, width)
    flow[:, 0] += torch.arange(width, dtype=torch.float32, device=images.device)
    flow[:, 1] += torch.arange(height, dtype=torch.float32, device=images.device)[:, None]
    return resample(images, flow.permute(0, 2, 3, 1))
