"""Point spread functions as kernels: how a point of light is spread over pixels.

Every kernel sums to 1, has an odd side and its centroid on its centre pixel, so that it moves nothing.
"""

import functools
import math

import numpy as np
from numpy.typing import NDArray

TRUNCATE = 4.0
"""Standard deviations after which a Gaussian is cut."""

Kernel = NDArray[np.float32]


@functools.lru_cache(maxsize=256)
def gaussian(sigma: float) -> Kernel:
    """A sampled Gaussian, cut at 4 standard deviations, as in `scipy.ndimage.gaussian_filter`.

    Args:
        sigma: Standard deviation in pixels, above 0. Below about a quarter of a pixel the samples are those of a
            single point: the image stays sharp.

    Returns:
        n float32, n odd; read-only.
    """
    radius = int(TRUNCATE * sigma + 0.5)
    return _finished(np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2))


@functools.lru_cache(maxsize=8)
def window(size: int, sigma: float) -> Kernel:
    """A sampled Gaussian of a given size.

    Args:
        size: Number of samples, odd.
        sigma: Standard deviation in pixels, above 0.

    Returns:
        size float32; read-only.
    """
    return _finished(np.exp(-0.5 * (np.arange(-(size // 2), size // 2 + 1) / sigma) ** 2))


@functools.lru_cache(maxsize=256)
def disk(radius: float) -> Kernel:
    """A uniform disk: the image of a point by a round aperture out of focus.

    Args:
        radius: In pixels, above 0; it need not be whole, and a disk smaller than a pixel still blurs.

    Returns:
        n x n float32, n odd; read-only.
    """
    points = _midpoints(radius, density=8.0)
    inside = (points[:, None] ** 2 + points[None, :] ** 2 <= radius**2).astype(np.float64)
    shares = _shares(points, math.ceil(radius))
    return _finished(shares @ inside @ shares.T)


@functools.lru_cache(maxsize=4096)
def line(length: float, angle: float) -> Kernel:
    """A uniform line segment: the image of a point that moves evenly while the shutter is open.

    Args:
        length: In pixels, above 0; it need not be whole, and a path shorter than a pixel still blurs.
        angle: In degrees, counter-clockwise from the direction of the rows.

    Returns:
        n x n float32, n odd and the same for every angle; read-only.
    """
    points = _midpoints(length / 2, density=4.0)
    radius, turn = math.ceil(length / 2), math.radians(angle)
    across, down = points * math.cos(turn), -points * math.sin(turn)
    return _finished(_shares(down, radius) @ _shares(across, radius).T)


@functools.lru_cache(maxsize=256)
def polygon(radius: float, blades: int, angle: float) -> Kernel:
    """A uniform regular polygon: the image of a point by an aperture of straight blades out of focus.

    Args:
        radius: In pixels, above 0: of the disk of the same area.
        blades: Number of sides, 3 or more.
        angle: In degrees, counter-clockwise: where the first corner points, from the direction of the rows.

    Returns:
        n x n float32, n odd; read-only.
    """
    corner = radius * math.sqrt(2 * math.pi / (blades * math.sin(2 * math.pi / blades)))
    points = _midpoints(corner, density=8.0)
    inside = np.ones((len(points), len(points)), dtype=bool)
    for k in range(blades):
        side = math.radians(angle) + math.pi * (2 * k + 1) / blades
        away = points[None, :] * math.cos(side) - points[:, None] * math.sin(side)
        inside &= away <= corner * math.cos(math.pi / blades)
    shares = _shares(points, math.ceil(corner))
    return _scaled(shares @ inside.astype(np.float64) @ shares.T)


def path(across: NDArray[np.float64], down: NDArray[np.float64]) -> Kernel:
    """A path through points, each lit for as long as the others: the image of a point by a camera that shakes.

    Args:
        across: n positions along the rows, in pixels; they are shifted so that their mean is the centre.
        down: n positions along the columns, likewise.

    Returns:
        n x n float32, n odd, its side fitted to the path.
    """
    across, down = across - across.mean(), down - down.mean()
    radius = math.ceil(max(np.abs(across).max(), np.abs(down).max(), 1e-6))
    return _scaled(_shares(down, radius) @ _shares(across, radius).T)


@functools.lru_cache(maxsize=256)
def box(width: float) -> Kernel:
    """An even window in one dimension.

    Args:
        width: In pixels, above 0; it need not be whole: the pixels at its ends count in part. Up to one pixel, the
            image stays sharp.

    Returns:
        n float32, n odd; read-only.
    """
    reach = max(math.ceil((width - 1) / 2), 0)
    return _finished(np.clip(width / 2 + 0.5 - np.abs(np.arange(-reach, reach + 1)), 0.0, 1.0))


def _midpoints(reach: float, density: float) -> NDArray[np.float64]:
    """The midpoints of equal steps over [-reach, reach]: at least 64, and `density` or more to the pixel."""
    n = max(64, math.ceil(2 * reach * density))
    return ((np.arange(n) + 0.5) / n * 2 - 1) * reach


def _shares(points: NDArray[np.float64], radius: int) -> NDArray[np.float64]:
    """How points on an axis are shared out among the pixels -radius..radius by linear interpolation, n x points."""
    pixels = np.arange(-radius, radius + 1)[:, None]
    return np.maximum(1.0 - np.abs(points[None, :] - pixels), 0.0)


def _finished(weights: NDArray[np.float64]) -> Kernel:
    """The weights made symmetric to the last bit, of sum 1, float32 and read-only."""
    return _scaled(weights + np.flip(weights))


def _scaled(weights: NDArray[np.float64]) -> Kernel:
    """The weights of sum 1, float32 and read-only."""
    kernel: Kernel = (weights / weights.sum()).astype(np.float32)
    kernel.flags.writeable = False
    return kernel
