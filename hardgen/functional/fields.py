"""Random fields at a scale of the image, not of its pixels: coarse draws spread over any number of pixels.

Lengths are fractions of the short side. What has to be drawn depends on the shape of the image, never on its
resolution, so that the same draws give the same field at 32 and at 1024 pixels. Fields are sums of products of a matrix
for the rows and one for the columns: the same on every device, without a loop over pixels.
"""

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

SPLINE_ENDS = 3
"""How many nodes more than cells a cubic spline needs."""
MOST_ASPECT = 16
"""Long side to short side up to which an image is no strip."""
FINEST = 0.5
"""Least distance of a spline's nodes in pixels."""


def unit(height: int, width: int) -> float:
    """What lengths of fields are fractions of, in pixels: the short side, but of strips a sixteenth of the long one.

    Without that a strip one pixel wide takes thousands of times the draws that a square takes.
    """
    return max(min(height, width), max(height, width) / MOST_ASPECT)


def cells(size: int, short: float, cell: float) -> int:
    """How many cells of a length, in fractions of the short side, cover so many pixels."""
    return max(math.ceil(size / short / cell - 1e-9), 1)


def spline_shape(height: int, width: int, cell: float) -> tuple[int, int]:
    """The shape of the draws that `spline` spreads over an image."""
    short = unit(height, width)
    cell = max(cell, FINEST / short)
    return cells(height, short, cell) + SPLINE_ENDS, cells(width, short, cell) + SPLINE_ENDS


def spline(nodes: Tensor, height: int, width: int, cell: float) -> Tensor:
    """Smooth noise with blotches of a given size: nodes under cubic B-splines.

    Args:
        nodes: B x C x h x w independent numbers of unit variance, in the shape of `spline_shape`.
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        cell: From node to node, as a fraction of the short side; at least half a pixel, which is as good as nothing.

    Returns:
        B x C x height x width of unit variance at every pixel, blobs about two cells wide.
    """
    short = unit(height, width)
    cell = max(cell, FINEST / short)
    down = _spline_matrix(height, short, cell).to(nodes.device)
    across = _spline_matrix(width, short, cell).to(nodes.device)
    return _by_image(nodes, lambda part: down @ part @ across.T)


def lattice_shape(height: int, width: int, cell: float) -> tuple[int, int]:
    """The shape of the gradients of `perlin` over an image."""
    short = unit(height, width)
    return cells(height, short, cell) + 1, cells(width, short, cell) + 1


def perlin(turns: Tensor, height: int, width: int, cell: float) -> Tensor:
    """Gradient noise (K. Perlin, "Improving noise", SIGGRAPH 2002) with one unit gradient at each lattice point.

    Args:
        turns: B x C x h x w, directions of the gradients as shares of a turn, in the shape of `lattice_shape`.
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        cell: From lattice point to lattice point, as a fraction of the short side.

    Returns:
        B x C x height x width in [-root 1/2, root 1/2].
    """
    short = unit(height, width)
    fade_y, slope_y = (m.to(turns.device) for m in _lattice_matrices(height, short, cell))
    fade_x, slope_x = (m.to(turns.device) for m in _lattice_matrices(width, short, cell))

    def one(part: Tensor) -> Tensor:
        angle = part * (2 * math.pi)
        return (fade_y @ angle.cos()) @ slope_x.T + (slope_y @ angle.sin()) @ fade_x.T

    return _by_image(turns, one)


def octaves(turns: Sequence[Tensor], height: int, width: int, cell: float, folded: bool) -> Tensor:
    """Gradient noise summed over octaves, each of half the cell and half the strength of the one before.

    Args:
        turns: For each octave what `perlin` takes; the cell halves from each to the next.
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        cell: Of the first octave, as a fraction of the short side.
        folded: Sum the absolute values ("turbulence") rather than the values.
    """
    total = perlin(turns[0], height, width, cell)
    total = total.abs() if folded else total
    for i, part in enumerate(turns[1:], 1):
        layer = perlin(part, height, width, cell / 2**i)
        total.add_(layer.abs() if folded else layer, alpha=0.5**i)
    return total


def spectral(coefficients: Tensor, exponent: float, height: int, width: int) -> Tensor:
    """Noise whose power falls with the frequency f as 1 / f^exponent.

    The frequencies are whole cycles over a square on the long side, those that the pixels can show; each keeps its
    coefficient at every resolution.

    Args:
        coefficients: B x C x 2 x (2 k + 1) x (k + 1) standard normal numbers: real and imaginary parts by vertical
            frequency -k..k and horizontal frequency 0..k.
        exponent: 0 white, 1 pink, 2 brown, -1 blue, -2 violet.
        height: Of the image, in pixels.
        width: Of the image, in pixels.

    Returns:
        B x C x height x width of mean 0 and root mean square 1 over the pixels of each channel; 0 where an image is too
        small to show any frequency.
    """
    side, most = max(height, width), coefficients.shape[-1] - 1
    k = min(most, (side - 1) // 2)
    strength = _strength(k, exponent).to(coefficients.device)
    kept = coefficients[:, :, :, most - k : most + k + 1, : k + 1]

    def one(part: Tensor) -> Tensor:
        spectrum = torch.zeros(len(part), side, side // 2 + 1, dtype=torch.complex64, device=part.device)
        values = torch.complex(part[:, 0] * strength, part[:, 1] * strength)
        spectrum[:, : k + 1, : k + 1] = values[:, k:]
        if k:
            spectrum[:, -k:, : k + 1] = values[:, :k]
        field = torch.fft.irfft2(spectrum, s=(side, side))[:, :height, :width]
        field = field - field.mean((1, 2), keepdim=True)
        scaled: Tensor = field / field.square().mean((1, 2), keepdim=True).sqrt_().clamp_(min=1e-12)
        return scaled

    return _by_image(kept, one)


def lines(values: Tensor, size: int, short: float, width: float) -> Tensor:
    """Spreads one number per line over so many pixels: B x n to B x size; n is `cells(size, short, width)`."""
    return values[:, _lines(values.shape[1], size, short, width, values.device)]


def blocks(values: Tensor, height: int, width: int, cell: float) -> Tensor:
    """Spreads one number per square block over the pixels; blocks smaller than a pixel are passed over.

    Args:
        values: B x C x h x w with h, w = `cells(height, short, cell)`, `cells(width, short, cell)`.
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        cell: Side of a block as a fraction of the short side.

    Returns:
        B x C x height x width.
    """
    if tuple(values.shape[-2:]) == (height, width):
        return values
    short = unit(height, width)
    rows = _lines(values.shape[2], height, short, cell, values.device)
    columns = _lines(values.shape[3], width, short, cell, values.device)
    # Columns first, while there is one row per block: whole rows are then copied, which is fast.
    return values.index_select(3, columns).index_select(2, rows)


def _lines(count: int, size: int, short: float, cell: float, device: torch.device) -> Tensor:
    """In which line of cells each pixel's centre lies."""
    at = (torch.arange(size, device=device) + 0.5) / (short * cell)
    return at.long().clamp_(max=count - 1)


def _by_image(draws: Tensor, how: Callable[[Tensor], Tensor]) -> Tensor:
    """Runs image by image, so that no image depends on its batch by so much as a rounding."""
    return torch.stack([how(part) for part in draws])


@functools.lru_cache(maxsize=64)
def _spline_matrix(size: int, short: float, cell: float) -> Tensor:
    """Weights of the nodes at every pixel, size x nodes, of unit length."""
    at = (np.arange(size) + 0.5) / short / cell
    away = np.abs(at[:, None] + 1 - np.arange(cells(size, short, cell) + SPLINE_ENDS)[None, :])
    near = 2 / 3 - away**2 + away**3 / 2
    far = np.maximum(2 - away, 0) ** 3 / 6
    weights = np.where(away < 1, near, far)
    return _tensor(weights / np.sqrt((weights**2).sum(1, keepdims=True)))


@functools.lru_cache(maxsize=64)
def _lattice_matrices(size: int, short: float, cell: float) -> tuple[Tensor, Tensor]:
    """Weights of the lattice points at every pixel, and the same times the way from the point: size x points each."""
    at = (np.arange(size) + 0.5) / short / cell
    way = at[:, None] - np.arange(cells(size, short, cell) + 1)[None, :]
    away = np.minimum(np.abs(way), 1.0)
    fade = 1 - away**3 * (away * (away * 6 - 15) + 10)
    return _tensor(fade), _tensor(fade * way)


@functools.lru_cache(maxsize=64)
def _strength(k: int, exponent: float) -> Tensor:
    """f^(-exponent / 2) by vertical frequency -k..k and horizontal frequency 0..k; 0 at no frequency."""
    frequency = np.hypot(np.arange(-k, k + 1)[:, None], np.arange(k + 1)[None, :])
    frequency[k, 0] = 1.0
    strength = frequency ** (-exponent / 2)
    strength[k, 0] = 0.0
    return _tensor(strength)


def _tensor(values: NDArray[np.float64]) -> Tensor:
    return torch.from_numpy(values.astype(np.float32))
