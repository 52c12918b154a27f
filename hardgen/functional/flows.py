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
    """A linear map about the centre of the image, and a shift.

    Args:
        height: In pixels.
        width: In pixels.
        matrices: B x 2 x 2 float32: (x, y) about the centre in the moved image to (x, y) where it is taken from.
        shifts: B x 2 float32, added to where a pixel is taken from, in pixels; none if left out.

    Returns:
        B x height x width x 2 float32.
    """
    device = matrices.device
    middle = torch.tensor([(width - 1) / 2, (height - 1) / 2], device=device)
    x = torch.arange(width, device=device, dtype=torch.float32) - middle[0]
    y = torch.arange(height, device=device, dtype=torch.float32) - middle[1]
    columns = x[None, None, :, None] * matrices[:, None, None, :, 0]
    rows = y[None, :, None, None] * matrices[:, None, None, :, 1]
    flow = columns + rows
    return flow.add_(middle if shifts is None else (middle + shifts)[:, None, None])


def rotation(height: int, width: int, degrees: Tensor) -> Tensor:
    """Turns about the centre of the image.

    Args:
        height: In pixels.
        width: In pixels.
        degrees: B float32, counter-clockwise as seen.

    Returns:
        B x height x width x 2 float32.
    """
    angle = torch.deg2rad(degrees)
    cos, sin = angle.cos(), angle.sin()
    return affine(height, width, torch.stack((cos, -sin, sin, cos), -1).view(-1, 2, 2))


def perspective(height: int, width: int, corners: Tensor) -> Tensor:
    """The projective map that brings the corners of the image to given points.

    Args:
        height: In pixels.
        width: In pixels.
        corners: B x 4 x 2: where the centres of the corner pixels go, as (x, y) in pixels, in the order top left, top
            right, bottom right, bottom left; they must form a convex quadrilateral.

    Returns:
        B x height x width x 2 float32, cut where it points far off the frame (beyond the horizon too).
    """
    right, bottom = float(max(width - 1, 1)), float(max(height - 1, 1))
    frame = np.array([[0.0, 0.0], [right, 0.0], [right, bottom], [0.0, bottom]])
    maps = torch.from_numpy(
        np.stack([homography(c, frame) for c in corners.cpu().double().numpy()]).astype(np.float32)
    ).to(corners.device)
    x = torch.arange(width, device=corners.device, dtype=torch.float32)[None, None, :, None]
    y = torch.arange(height, device=corners.device, dtype=torch.float32)[None, :, None, None]
    a = maps[:, None, None]
    points = (x * a[..., 0] + y * a[..., 1]).add_(a[..., 2])
    depth = points[..., 2:]
    depth = torch.where(depth.abs() < 1e-6, torch.full_like(depth, 1e-6), depth)
    side = max(height, width)
    return (points[..., :2] / depth).clamp_(-FAR * side, (1 + FAR) * side)


def homography(sources: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """The 3 x 3 projective matrix that takes four points (4 x 2) to four others; its last entry is 1."""
    rows, sides = [], []
    for (x, y), (u, v) in zip(sources, targets, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        sides += [u, v]
    return np.append(np.linalg.solve(np.array(rows), np.array(sides)), 1.0).reshape(3, 3)
