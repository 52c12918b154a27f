"""Flows of waves and splines: fixed shapes, of which a knob sets the size."""

import functools
import math

import torch
from torch import Tensor

from hardgen.functional.flows import still


def sideways(height: int, width: int, shifts_x: Tensor | None, shifts_y: Tensor | None) -> Tensor:
    """Rows shifted along x (B x height) and columns along y (B x width), in pixels; either may be left out."""
    shift = shifts_x if shifts_x is not None else shifts_y
    assert shift is not None
    flow = still(height, width, shift.device)[None].expand(len(shift), -1, -1, -1).clone()
    if shifts_x is not None:
        flow[..., 0] += shifts_x[:, :, None]
    if shifts_y is not None:
        flow[..., 1] += shifts_y[:, None, :]
    return flow


def sine(side: int, wavelength: float, phases: Tensor) -> Tensor:
    """B x side: sin(2 pi (i / wavelength + phase)) for pixel i of a side; wavelength in pixels, phases in turns."""
    i = torch.arange(side, device=phases.device, dtype=torch.float32)
    return torch.sin(2 * math.pi * (i[None] / wavelength + phases[:, None]))


@functools.lru_cache(maxsize=8)
def spline_basis(height: int, width: int, grid: int, device: torch.device) -> Tensor:
    """How much each of grid x grid control points moves each pixel in a thin plate spline.

    The points lie evenly over the image, corners included. The spline (Bookstein 1989, IEEE PAMI 11) goes through every
    control point with the least bending: U(r) = r^2 log r^2 plus an affine part. Kept, so read-only.

    Returns:
        height * width x grid^2 float32.
    """
    short = min(height, width)
    line_x = torch.linspace(0, width / short, grid, dtype=torch.float64)
    line_y = torch.linspace(0, height / short, grid, dtype=torch.float64)
    points = torch.stack(torch.meshgrid(line_x, line_y, indexing="xy"), -1).reshape(-1, 2)
    pixels = (still(height, width).double().reshape(-1, 2) + 0.5) / short
    n = len(points)
    system = torch.zeros(n + 3, n + 3, dtype=torch.float64)
    system[:n, :n] = _bending(points, points)
    system[:n, n] = system[n, :n] = 1.0
    system[:n, n + 1 :] = points
    system[n + 1 :, :n] = points.T
    terms = torch.cat((_bending(pixels, points), torch.ones(len(pixels), 1, dtype=torch.float64), pixels), 1)
    basis: Tensor = terms @ torch.linalg.inv(system)[:, :n]
    return basis.float().to(device)


def _bending(a: Tensor, b: Tensor) -> Tensor:
    squared = (a[:, None] - b[None]).square().sum(-1)
    return torch.where(squared > 0, squared * squared.clamp(min=1e-300).log(), 0.0)


def spline(height: int, width: int, moves: Tensor) -> Tensor:
    """The field of a thin plate spline whose control points are taken from elsewhere.

    Args:
        height: In pixels.
        width: In pixels.
        moves: B x grid x grid x 2: (x, y) of each control point's way, in any unit.

    Returns:
        B x height x width x 2, in that unit.
    """
    basis = spline_basis(height, width, moves.shape[1], moves.device)
    return torch.stack([(basis @ m.reshape(-1, 2)).view(height, width, 2) for m in moves])
