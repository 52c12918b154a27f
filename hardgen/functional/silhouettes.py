"""Natural occluders as orders of pixels (see `occlusion`): smooth blobs, closed outlines, heaps of leaves."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import interpolate

ANGLES = 4096
"""Directions in which an outline's radius is tabled."""

LEAF_POINTS = 9
"""Points along either side of a leaf's outline."""

LEAF_WIDTH = 0.45
"""Breadth of a leaf, of its length."""


def smooth_field(height: int, width: int, size: float, coarse: Tensor) -> Tensor:
    """A smooth random field: numbers on a lattice of the given spacing, cubic in between.

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        size: Spacing of the lattice, as a fraction of the window's short side.
        coarse: n x n numbers, of which as many are used as the window needs, again from the start if they run out.

    Returns:
        height x width float32.
    """
    n, step = len(coarse), size * min(height, width)
    rows, columns = (max(round(side / step), 1) + 1 for side in (height, width))
    y, x = torch.arange(rows, device=coarse.device) % n, torch.arange(columns, device=coarse.device) % n
    lattice = coarse[y][:, x]
    if coarse.device.type == "cpu":
        return torch.from_numpy(cv2.resize(lattice.numpy(), (width, height), interpolation=cv2.INTER_CUBIC))
    return interpolate(lattice[None, None], (height, width), mode="bicubic", align_corners=False)[0, 0]


def outlines(height: int, width: int, middles: Tensor, waves: Tensor) -> Tensor:
    """Ranks of closed shapes with smooth, wavy outlines that grow about their middles.

    A shape's radius in the direction t is exp(sum over k = 1..n of a_k cos(k t) + b_k sin(k t)), so that it is star-
    shaped and never empty; a pixel's rank is its distance from the middle over the radius there, the least
    of all shapes.

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        middles: For each shape x and y in [0, 1] of the window: m x 2 float32.
        waves: For each shape a_1..a_n, b_1..b_n: m x 2 x n float32.

    Returns:
        height x width float32, in shares of the window's short side.
    """
    device, short = middles.device, min(height, width)
    turn = torch.arange(ANGLES + 1, device=device) * (2 * math.pi / ANGLES) - math.pi
    k = torch.arange(1, waves.shape[2] + 1, device=device)[:, None] * turn
    basis = torch.cat((k.cos(), k.sin()))
    shrink = (-(waves.flatten(1)[:, :, None] * basis).sum(1)).exp()
    x, y = (torch.arange(n, device=device, dtype=torch.float32) + 0.5 for n in (width, height))
    rank: Tensor | None = None
    for middle, table in zip(middles, shrink, strict=True):
        dx, dy = ((x - middle[0] * width) / short)[None, :], ((y - middle[1] * height) / short)[:, None]
        where = torch.atan2(dy, dx).add_(math.pi).mul_(ANGLES / (2 * math.pi)).add_(0.5).to(torch.int32)
        reach = (dx.square() + dy.square()).sqrt_().mul_(table[where.clamp_(0, ANGLES)])
        rank = reach if rank is None else torch.minimum(rank, reach)
    assert rank is not None, "there is a shape"
    return rank


@dataclass(frozen=True, eq=False)
class Leaves:
    """A heap of leaves over a window.

    Attributes:
        rank: height x width float32: the turn of the first leaf over a pixel, plus how far along it the pixel lies.
        light: height x width float32 in [0, 1]: how brightly the leaf reflects there.
    """

    rank: Tensor
    light: Tensor


def leaves(height: int, width: int, length: float, draws: NDArray[np.float32]) -> Leaves:
    """Pointed leaves that fall under one another: the first lies on top, so that one more never hides another.

    A leaf is as broad as LEAF_WIDTH of its length, widest before the middle, bent to one side, and grows from its
    stem. Light falls off across it on either side of the midrib, which is bright, and differs from leaf to leaf.

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        length: Of a leaf, as a fraction of the square root of the window's area.
        draws: For each leaf x, y, direction, size, brightness, bend, in [0, 1): n x 6.

    Returns:
        The leaves; pixels under no leaf have rank n and light 1/2.
    """
    count, scale = len(draws), math.sqrt(height * width)
    # A margin on all sides, so that the rim is covered as the middle is.
    margin = length * scale / 4
    middle = np.stack((draws[:, 0] * (width + 2 * margin) - margin, draws[:, 1] * (height + 2 * margin) - margin), 1)
    turn = draws[:, 2] * 2 * np.pi
    size = (length * scale * (0.7 + 0.6 * draws[:, 3])).astype(np.float32)
    axis = np.stack((np.cos(turn), np.sin(turn)), 1).astype(np.float32)
    stem = (middle - axis * (size[:, None] / 2)).astype(np.float32)
    t = np.concatenate((np.linspace(0, 1, LEAF_POINTS), np.linspace(1, 0, LEAF_POINTS)[1:-1])).astype(np.float32)
    side = np.concatenate((np.ones(LEAF_POINTS), -np.ones(LEAF_POINTS - 2))).astype(np.float32)
    half = side * np.sin(np.pi * t**0.8) * (LEAF_WIDTH / 2)
    bend = (draws[:, 5:] - 0.5) * 0.4 * (t * (1 - t))[None]
    along, across = t[None] * size[:, None], (half[None] + bend) * size[:, None]
    points = np.stack(
        (
            stem[:, :1] + along * axis[:, :1] - across * axis[:, 1:],
            stem[:, 1:] + along * axis[:, 1:] + across * axis[:, :1],
        ),
        2,
    )
    fixed = np.round((points - 0.5) * 16).astype(np.int32)
    turns = np.full((height, width), count, np.int32)
    for k in range(count - 1, -1, -1):
        cv2.fillConvexPoly(turns, fixed[k], k, shift=4)
    # Along and across a leaf in its lengths: u = a x + b y + c, v = a y - b x + d.
    a, b = axis[:, 0] / size, axis[:, 1] / size
    table = np.stack((a, b, -(stem[:, 0] * a + stem[:, 1] * b), stem[:, 0] * b - stem[:, 1] * a, *draws[:, 4:].T))
    table = np.concatenate((table, np.array([[0], [0], [0], [0], [0.5], [0.5]])), 1).astype(np.float32)
    where = turns.astype(np.intp)
    a, b, c, d, tone, lean = (np.take(row, where, mode="clip") for row in table)
    x, y = np.arange(width, dtype=np.float32) + 0.5, np.arange(height, dtype=np.float32)[:, None] + 0.5
    u = np.clip(a * x + b * y + c, 0, 0.999)
    v = a * y - b * x + d - (lean - 0.5) * (0.4 * u * (1 - u))
    far = np.abs(v)
    light = 0.31 + 0.3 * tone - 0.5 * far
    light += 0.16 * (v > 0).astype(np.float32) + 0.12 * (far < 0.012).astype(np.float32)
    light[turns == count] = 0.5
    return Leaves(torch.from_numpy(u + turns.astype(np.float32)), torch.from_numpy(np.clip(light, 0, 1, out=light)))
