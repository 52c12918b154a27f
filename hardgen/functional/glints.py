"""Light in lines and rays: stars of light and the net of light under waves."""

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def star(x: NDArray[np.float32], y: NDArray[np.float32], rays: NDArray[np.float32]) -> NDArray[np.float32]:
    """The inverse square light of a star whose rays differ in length.

    Args:
        x: From the centre to the right, broadcast with y.
        y: From the centre downward.
        rays: n float32, lengths of rays at even angles, in the units of x and y.

    Returns:
        float32 of the broadcast shape: (1 - (u - 1/2)^2) (L / d)^2, where L runs from ray to ray and u is the place
        between two.
    """
    n = len(rays)
    x, y = (np.ascontiguousarray(part) for part in np.broadcast_arrays(x, y))
    turn = cv2.phase(x, y) * np.float32(n / (2 * np.pi))
    low = turn.astype(np.int32)
    turn -= low
    ends = np.append(rays, rays[:2])
    length = ends[low]
    length += turn * np.diff(np.append(ends, rays[2 % n]))[low]
    turn -= np.float32(0.5)
    light = (1 - turn * turn) * (length * length) / (x * x + y * y + np.float32(1e-6))
    return np.asarray(light, dtype=np.float32)


def stars(height: int, width: int, places: NDArray[np.float32], rays: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Light of several stars laid over each other, each within four times its rays' mean length.

    Args:
        height: In pixels.
        width: In pixels.
        places: n x 2, x and y of the centres in pixels.
        rays: For each star the lengths of its rays, in pixels.

    Returns:
        height x width float32 in [0, 1]: 1 - the product of what each star leaves dark.
    """
    dark = np.ones((height, width), np.float32)
    for (cx, cy), lengths in zip(places.tolist(), rays, strict=True):
        reach = 4.0 * max(float(lengths.mean()), 0.3)
        left, right = max(int(cx - reach), 0), min(int(cx + reach) + 2, width)
        top, bottom = max(int(cy - reach), 0), min(int(cy + reach) + 2, height)
        x = np.arange(left, right, dtype=np.float32)[None, :] - np.float32(cx)
        y = np.arange(top, bottom, dtype=np.float32)[:, None] - np.float32(cy)
        edge = np.clip(1.2 - 1.2 * np.sqrt(x * x + y * y) / reach, 0, 1)
        dark[top:bottom, left:right] *= 1 - np.minimum(star(x, y, lengths), 1) * edge
    return np.asarray(1 - dark, dtype=np.float32)


def caustic(height: int, width: int, numbers: Tensor, scale: float, waves: int = 14) -> Tensor:
    """The net of light that waves throw on the bottom of a pool: where the surface's curvature gathers the light.

    Args:
        height: In pixels.
        width: In pixels.
        numbers: B x 2 x waves x 3 uniform numbers: two nets, each with direction, length and phase of its waves.
        scale: Size of a mesh, of the short side.
        waves: Waves on the surface for each net.

    Returns:
        B x 1 x height x width float32 in [0, 1].
    """
    device, side = numbers.device, min(height, width)
    y = torch.arange(height, device=device, dtype=torch.float32)[:, None] / side
    x = torch.arange(width, device=device, dtype=torch.float32)[None, :] / side
    rows = []
    for image in numbers:
        nets = []
        for net in image:
            angle, size, phase = net.t()
            turn, pitch = angle * (2 * torch.pi), (3.1 / scale) * (0.5 + 1.2 * size)
            rise, run = turn.sin() * pitch, turn.cos() * pitch
            ax, ay = run[:, None] * x + phase[:, None] * (2 * torch.pi), rise[:, None] * y.t()
            # sin(a + b) of separable angles: two small matrix products in place of one sine for every pixel and wave.
            surface = ay.cos().t() @ ax.sin() + ay.sin().t() @ ax.cos()
            nets.append(1 - (surface / (waves / 2) ** 0.5).abs().clamp_(max=1.0))
        rows.append(torch.maximum(nets[0], nets[1]).pow(10))
    return torch.stack(rows)[:, None]
