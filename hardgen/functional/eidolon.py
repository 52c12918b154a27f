"""Disarray: an image is cut into slices of scale, each is displaced by a random field, and they are added up."""

import functools
import itertools
import math
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional import flows
from hardgen.functional.fields import unit
from hardgen.functional.kernels import gaussian
from hardgen.functional.parallel import by_image
from hardgen.functional.sampling import resample
from hardgen.functional.scales import enlarged, smoothed

FINE, COARSE = (1 / 256, 1 / 128, 1 / 64), (1 / 32, 1 / 16, 1 / 8)
"""Standard deviations of the Gaussians between which the slices lie, of the short side."""

SLICES = len(FINE) + len(COARSE) + 1

CELLS = 2
"""Grid points of a noise field for each standard deviation of its smoothing."""

FAR = 0.15
"""Longest displacement, of the short side, from which on places outside the image are folded back one by one."""

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
        grain: Standard deviation of the field's smoothing, of `fields.unit`.
    """
    cell = grain * unit(height, width) / CELLS
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
    if images.device.type == "cpu":
        return disarray_opencv(images, shared, own, reach, coherence)
    return disarray_torch(images, shared, own, reach, coherence)


def disarray_torch(images: Tensor, shared: Tensor, own: Tensor, reach: float, coherence: float) -> Tensor:
    """`disarray` by torch, on any device."""
    common = smooth(shared).mul_(reach * math.sqrt(coherence))
    if coherence == 1:
        return _displace(images, common)
    fields = smooth(own).mul_(reach * math.sqrt(1 - coherence)).add_(common[:, None])
    return sum((_displace(layer, fields[:, k]) for k, layer in enumerate(slices(images))), torch.zeros_like(images))


def disarray_opencv(images: Tensor, shared: Tensor, own: Tensor, reach: float, coherence: float) -> Tensor:
    """`disarray` by OpenCV, for CPU tensors: an image stays in the cache, and its pixels apart from its batch."""

    def one(image: NDArray[np.float32], i: int) -> NDArray[Any]:
        common = smooth(shared[i]).mul_(reach * math.sqrt(coherence))
        if coherence == 1:
            return _moved(image, common)
        fields = smooth(own[i]).mul_(reach * math.sqrt(1 - coherence)).add_(common)
        levels = [x[0].permute(1, 2, 0).numpy() for x in smoothed(images[i : i + 1], FINE, COARSE)]
        total = _moved(levels[-1], fields[0])
        for (finer, level), field in zip(itertools.pairwise([image, *levels]), fields[1:], strict=True):
            # A level that has been taken off the finer one makes room for its own slice; the image is read-only.
            layer: NDArray[np.float32] = np.subtract(finer, level, out=None if finer is image else finer)
            cv2.add(total, _moved(layer, field), dst=total)
        return total

    return by_image(images, one)


def _moved(pixels: NDArray[np.float32], field: Tensor) -> NDArray[Any]:
    """Takes each pixel of H x W x C from where a coarse field (2 x h x w, pixels) says; the border is mirrored."""
    height, width = pixels.shape[:2]
    far, ways = float(field.abs().max()) > FAR * min(height, width), []
    for plane, last, start in ((field[0], width - 1, _ramp(width)), (field[1], height - 1, _ramp(height)[:, None])):
        way: Any = cv2.resize(plane.numpy(), (width, height), interpolation=cv2.INTER_LINEAR)
        way += start
        if far:
            # Folding back at the border is quicker than OpenCV's mirror where much lies outside.
            turns = way * np.float32(1 / max(2 * last, 1))
            np.rint(turns, out=turns)
            turns *= np.float32(max(2 * last, 1))
            way = cv2.absdiff(way, turns)
        ways.append(way)
    return cv2.remap(pixels, ways[0], ways[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)


@functools.lru_cache(maxsize=32)
def _ramp(size: int) -> NDArray[np.float32]:
    return np.arange(size, dtype=np.float32)


def _displace(images: Tensor, field: Tensor) -> Tensor:
    """Takes each pixel from where a coarse field (B x 2 x h x w, pixels) says."""
    height, width = images.shape[-2:]
    flow = enlarged(field.contiguous(), height, width).permute(0, 2, 3, 1)
    return resample(images, flow + flows.still(height, width, images.device))
