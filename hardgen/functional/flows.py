"""Flows: where each pixel of a moved image is taken from.

A flow is B x H x W x 2 float32: x and y in pixels of the image as it was; whole numbers are pixel centres.
"""

import functools

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

FAR = 4.0
"""Sides of the image beyond the frame at which a flow is cut: further off there is nothing but border."""


@functools.lru_cache(maxsize=16)
def still(height: int, width: int, device: torch.device | str = "cpu") -> Tensor:
    """The flow that moves nothing, height x width x 2; kept, so read-only."""
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return torch.stack((x, y), -1).float().to(device)


def affine(height: int, width: int, matrices: Tensor, shifts: Tensor | None = None) -> Tensor:
    """The flow of `linear`, B x height x width x 2 float32."""
    return planar(height, width, linear(matrices, shifts))


def rotation(height: int, width: int, degrees: Tensor) -> Tensor:
    """The flow of `turned`, B x height x width x 2 float32."""
    return planar(height, width, turned(degrees))


def perspective(height: int, width: int, corners: Tensor) -> Tensor:
    """The flow of `aslant`, B x height x width x 2 float32."""
    return planar(height, width, aslant(height, width, corners))


def planar(height: int, width: int, maps: Tensor) -> Tensor:
    """The flow of projective maps about the centre, cut where it points far off the frame.

    Args:
        height: In pixels.
        width: In pixels.
        maps: B x 3 x 3 float32.

    Returns:
        B x height x width x 2 float32.
    """
    y, x = (torch.arange(n, device=maps.device, dtype=torch.float32) - (n - 1) / 2 for n in (height, width))
    return sources(x[None, :], y[:, None], maps, height, width)


def sources(x: Tensor, y: Tensor, maps: Tensor, height: int, width: int) -> Tensor:
    """Where places are taken from under projective maps, in pixels from the upper left; cut far off the frame.

    Args:
        x: From the centre, broadcast with y to n x m.
        y: From the centre.
        maps: B x 3 x 3 float32.
        height: Of the image.
        width: Of the image.

    Returns:
        B x n x m x 2 float32.
    """
    middle = torch.tensor([(width - 1) / 2, (height - 1) / 2], device=maps.device)
    rows = maps[:, None, None]
    if bool((maps[:, 2] == maps.new_tensor([0.0, 0.0, 1.0])).all()):
        return (x[None, ..., None] * rows[..., :2, 0] + y[None, ..., None] * rows[..., :2, 1]).add_(
            middle + rows[..., :2, 2]
        )
    points = (x[None, ..., None] * rows[..., 0] + y[None, ..., None] * rows[..., 1]).add_(rows[..., 2])
    depth = points[..., 2:]
    depth = torch.where(depth.abs() < 1e-6, torch.full_like(depth, 1e-6), depth)
    side = max(height, width)
    return (points[..., :2] / depth).add_(middle).clamp_(-FAR * side, (1 + FAR) * side)


def linear(matrices: Tensor, shifts: Tensor | None = None) -> Tensor:
    """Maps of lines to lines that keep them parallel.

    Args:
        matrices: B x 2 x 2 float32: (x, y) about the centre in the moved image to (x, y) where it is taken from.
        shifts: B x 2 float32, added to where a pixel is taken from, in pixels; none if left out.

    Returns:
        B x 3 x 3 float32: the same, about the centre.
    """
    maps = torch.zeros(len(matrices), 3, 3, device=matrices.device)
    maps[:, :2, :2] = matrices
    maps[:, 2, 2] = 1.0
    if shifts is not None:
        maps[:, :2, 2] = shifts
    return maps


def turned(degrees: Tensor) -> Tensor:
    """Turns about the centre of the image, B x 3 x 3, by so many degrees counter-clockwise as seen (B float32)."""
    angle = torch.deg2rad(degrees)
    cos, sin = angle.cos(), angle.sin()
    return linear(torch.stack((cos, -sin, sin, cos), -1).view(-1, 2, 2))


def aslant(height: int, width: int, corners: Tensor) -> Tensor:
    """The projective map that brings the corners of the image to given points.

    Args:
        height: In pixels.
        width: In pixels.
        corners: B x 4 x 2: where the centres of the corner pixels go, as (x, y) in pixels, in the order top left, top
            right, bottom right, bottom left; they must form a convex quadrilateral.

    Returns:
        B x 3 x 3 float32: from the moved image to where it is taken from, about the centre.
    """
    right, bottom = float(max(width - 1, 1)), float(max(height - 1, 1))
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    frame = np.array([[0.0, 0.0], [right, 0.0], [right, bottom], [0.0, bottom]]) - middle
    maps = homography(corners.cpu().double().numpy() - middle, frame)
    return torch.from_numpy(maps.astype(np.float32)).to(corners.device)


def homography(sources: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """The 3 x 3 projective matrices that take four points (... x 4 x 2) to four others; their last entry is 1."""
    sources, targets = np.broadcast_arrays(sources, targets)
    system = np.zeros((*sources.shape[:-2], 4, 2, 8))
    for axis in (0, 1):
        system[..., axis, 3 * axis : 3 * axis + 2] = sources
        system[..., axis, 3 * axis + 2] = 1.0
        system[..., axis, 6:] = -targets[..., axis, None] * sources
    shape = sources.shape[:-2]
    solved = np.linalg.solve(system.reshape(*shape, 8, 8), targets.reshape(*shape, 8, 1))[..., 0]
    return np.concatenate((solved, np.ones((*shape, 1))), -1).reshape(*shape, 3, 3)
