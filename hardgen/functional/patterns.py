"""Occluders that repeat or scatter, as orders of pixels (see `occlusion`): crossed bars, dots, checks, lone pixels."""

import functools

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.occlusion import bars

TILE = 64
"""Side of the blue-noise tile, in pixels."""

SPREAD = 1.5
"""Standard deviation, in pixels, of the bump by which blue noise tells crowded places from empty ones."""

TABLE = 64
"""Scores of checks repeat after so many checks in either direction."""


def cross_bars(height: int, width: int, period: float, angle: Tensor, phases: Tensor) -> Tensor:
    """Ranks of two families of bars at right angles: a pixel's distance from the nearest centre line of either.

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        period: From bar to bar, as a fraction of the window's short side.
        angle: Direction of one family in degrees, counter-clockwise from level; one number.
        phases: Where either family lies, in [0, 1) of a period; two numbers.

    Returns:
        height x width float32, in [0, 0.5] of a period.
    """
    one = bars(height, width, period, angle, phases[0])
    return torch.minimum(one, bars(height, width, period, angle + 90.0, phases[1]))


def lattice(height: int, width: int, period: float, angle: Tensor, phases: Tensor) -> tuple[Tensor, Tensor]:
    """Coordinates of a window's pixels along two axes at right angles, in periods: two of height x width float32."""
    turn, step = torch.deg2rad(angle), period * min(height, width)
    x = (torch.arange(width, device=angle.device, dtype=torch.float32) + 0.5) / step
    y = (torch.arange(height, device=angle.device, dtype=torch.float32) + 0.5) / step
    along = (x * turn.cos())[None, :] - (y * turn.sin() - phases[0])[:, None]
    across = (x * turn.sin())[None, :] + (y * turn.cos() + phases[1])[:, None]
    return along, across


def dots(height: int, width: int, period: float, angle: Tensor, phases: Tensor, square: bool) -> Tensor:
    """Ranks of dots that grow about the points of a staggered lattice: at every corner and every middle of its squares.

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        period: Side of the lattice's squares, as a fraction of the window's short side.
        angle: Direction of the lattice in degrees; one number.
        phases: Where it lies, in [0, 1) of a period; two numbers.
        square: Squares along the lattice's axes instead of discs.

    Returns:
        height x width float32: squared distance from the nearest point in periods, for squares the greater component.
    """
    u, v = lattice(height, width, period, angle, phases)
    u, v = u.sub_(u.floor()).sub_(0.5).abs_(), v.sub_(v.floor()).sub_(0.5).abs_()
    if square:
        return torch.minimum(torch.maximum(u, v), torch.maximum(0.5 - u, 0.5 - v))
    # |p|^2 and |(1/2, 1/2) - |p||^2 = |p|^2 + 1/2 - u - v.
    return u.square().add_(v.square()).add_((0.5 - u - v).clamp_(max=0.0))


def checkerboard(height: int, width: int, cell: float, angle: Tensor, phases: Tensor, scores: Tensor) -> Tensor:
    """Ranks of a turned checkerboard: the dark checks one after the other, then the light ones.

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        cell: Side of a check, as a fraction of the window's short side.
        angle: Direction of the board in degrees; one number.
        phases: Where it lies, in [0, 1) of a check; two numbers.
        scores: TABLE x TABLE in [0, 1): within a colour, the check of lowest score goes first.

    Returns:
        height x width float32 in [0, 2).
    """
    u, v = (a.floor_().to(torch.int32) for a in lattice(height, width, cell, angle, phases))
    dark = ((torch.arange(TABLE)[:, None] + torch.arange(TABLE)) % 2).to(scores)
    table = (scores * 0.999 + dark).flatten()
    return table[((u & (TABLE - 1)) * TABLE).add_(v & (TABLE - 1)).long()]


def tiled(height: int, width: int, tile: NDArray[np.float32], corner: Tensor) -> Tensor:
    """A tile repeated over a window from a corner, in [0, 1) of its sides: height x width float32."""
    rows, columns = (int(c * n) for c, n in zip(corner.tolist(), tile.shape, strict=True))
    y, x = (np.arange(height) + rows) % tile.shape[0], (np.arange(width) + columns) % tile.shape[1]
    return torch.from_numpy(tile[y][:, x]).to(corner.device)


@functools.lru_cache(maxsize=1)
def blue_noise() -> NDArray[np.float32]:
    """An order of the pixels of a tile in which those of lowest rank always lie far apart: TILE x TILE float32, 0 to 1.

    The idea of void and cluster (Ulichney 1993, "The void-and-cluster method for dither array generation"), filling
    the largest void each time: the next pixel is where the sum of Gaussian bumps about the pixels so far, wrapped at
    the tile's edges, is least. It starts from a faint field of incommensurate waves, so that it is the same everywhere.
    """
    y, x = np.meshgrid(np.arange(TILE), np.arange(TILE), indexing="ij")
    far = np.minimum(np.arange(TILE), TILE - np.arange(TILE)) ** 2 / (2 * SPREAD**2)
    bump = np.exp(-(far[:, None] + far))
    wide = np.tile(bump, (2, 2))
    crowd = 1e-3 * np.modf(np.abs(np.sin(12.9898 * x + 78.233 * y) * 43758.5453))[0]
    turn = np.zeros((TILE, TILE), dtype=np.float32)
    for k in range(TILE * TILE):
        row, column = divmod(int(crowd.argmin()), TILE)
        turn[row, column] = k / TILE**2
        crowd += wide[TILE - row : 2 * TILE - row, TILE - column : 2 * TILE - column]
        crowd[row, column] = np.inf
    return turn
