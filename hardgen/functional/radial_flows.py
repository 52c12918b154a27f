"""Flows round the centre of the image: how far out, and at which turn, each pixel is taken from.

Each takes the size of the image and one number per image (B float32), and gives B x height x width x 2.
"""

import functools
import math

import torch
from torch import Tensor


@functools.lru_cache(maxsize=16)
def _polar(height: int, width: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Way in x and in y and distance from the centre, each height x width, in pixels; kept, so read-only."""
    x = torch.arange(width, device=device, dtype=torch.float32) - (width - 1) / 2
    y = torch.arange(height, device=device, dtype=torch.float32) - (height - 1) / 2
    yy, xx = torch.meshgrid(y, x, indexing="ij")
    return xx, yy, torch.hypot(xx, yy)


def _from(x: Tensor, y: Tensor) -> Tensor:
    height, width = x.shape[-2:]
    middle = torch.tensor([(width - 1) / 2, (height - 1) / 2], device=x.device)
    return torch.stack((x, y), -1).add_(middle)


def _reach(height: int, width: int) -> float:
    """From the centre to the corner pixels' centres."""
    return max(math.hypot(height - 1, width - 1) / 2, 0.5)


def swirl(height: int, width: int, degrees: Tensor, radius: float) -> Tensor:
    """Turns the more the nearer the centre: by `degrees` (1 - r / radius)^2 inside the radius (in pixels)."""
    x, y, r = _polar(height, width, degrees.device)
    return _turned(x, y, (1 - r / radius).clamp(min=0).square(), torch.deg2rad(degrees))


def _turned(x: Tensor, y: Tensor, profile: Tensor, radians: Tensor) -> Tensor:
    angle = profile * radians[:, None, None]
    cos, sin = angle.cos(), angle.sin()
    return _from(x * cos - y * sin, x * sin + y * cos)


def pinch(height: int, width: int, amount: float, degrees: Tensor, radius: float) -> Tensor:
    """Draws everything inside the radius towards the centre, and turns it.

    A pixel at distance d (in radii) is taken from d sin(pi d / 2)^-amount and turned by `degrees` (1 - d)^2.
    """
    x, y, r = _polar(height, width, degrees.device)
    d = (r / radius).clamp(1e-4, 1.0)
    factor = torch.sin(d * (math.pi / 2)).pow_(-amount)
    return _turned(x * factor, y * factor, (1 - d).square(), torch.deg2rad(degrees))


def lens(height: int, width: int, coefficients: Tensor) -> Tensor:
    """Radial distortion of a lens: r (1 + k r^2) for k > 0 (barrel), r / (1 - k r^2) for k < 0 (pincushion).

    r is the distance from the centre in half diagonals; both rise with r for every k > -1.
    """
    x, y, r = _polar(height, width, coefficients.device)
    squared = (r / _reach(height, width)).square()
    flow = torch.empty(len(coefficients), height, width, 2, device=coefficients.device)
    for out, k in zip(flow, coefficients.tolist(), strict=True):
        factor = squared.mul(abs(k)).add_(1.0)
        if k < 0:
            factor.reciprocal_()
        out[..., 0], out[..., 1] = (x * factor).add_((width - 1) / 2), (y * factor).add_((height - 1) / 2)
    return flow


def fisheye(height: int, width: int, degrees: float, device: torch.device) -> Tensor:
    """An equidistant fisheye's picture of the flat image that fills its diagonal field of view of so many degrees.

    A pixel at distance r (in half diagonals) is taken from tan(r t) / tan(t), t half the field of view: 1 x height x
    width x 2.
    """
    x, y, r = _polar(height, width, device)
    half = math.radians(degrees) / 2
    d = (r / _reach(height, width)).clamp(min=1e-6)
    factor = torch.tan(d * half) / (d * math.tan(half))
    return _from(x * factor, y * factor)[None]
