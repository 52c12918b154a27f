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


BLOTCHES = 48
"""Blotches of light on an image."""

BLOTCH_GRID = 96
"""Cells along the longer side on which blotches are worked out."""


def blotches(height: int, width: int, numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Ranks of oval blotches that come one after the other and grow.

    At rank t, blotch k of n has the area of a disc of radius r (t - k / n)^(1/2), with r from 0.06 to 0.2 of the short
    side, mostly small.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        numbers: BLOTCHES x 5 uniform in [0, 1): place, size, how long and in which direction.

    Returns:
        height x width float32.
    """
    side, short = max(height, width), min(height, width)
    rows, columns = max(round(BLOTCH_GRID * height / side), 1), max(round(BLOTCH_GRID * width / side), 1)
    y = (np.arange(rows, dtype=np.float32) + np.float32(0.5)) / rows * np.float32(height / short)
    x = (np.arange(columns, dtype=np.float32) + np.float32(0.5)) / columns * np.float32(width / short)
    dy = y - numbers[:, 1:2] * np.float32(height / short)
    dx = x - numbers[:, :1] * np.float32(width / short)
    radius = np.float32(0.06) / (1 - np.float32(0.7) * numbers[:, 2])
    longer, turn = 1 + 1.2 * numbers[:, 3], np.pi * numbers[:, 4]
    # |rotated (dx, dy) / (radius longer^+-1/2)|^2 = a dx^2 + b dx dy + c dy^2
    first, second = 1 / (radius**2 * longer), longer / radius**2
    cos, sin = np.cos(turn), np.sin(turn)
    a, c = first * cos**2 + second * sin**2, first * sin**2 + second * cos**2
    b = 2 * (first - second) * cos * sin
    starts = (np.arange(len(numbers)) / len(numbers)).astype(np.float32)
    down, across, mixed = c[:, None] * dy * dy + starts[:, None], a[:, None] * dx * dx, b[:, None] * dy
    rank = np.full((rows, columns), np.inf, np.float32)
    for k in range(len(numbers)):
        own = mixed[k, :, None] * dx[k]
        own += across[k]
        own += down[k, :, None]
        np.minimum(rank, own, out=rank)
    return np.asarray(cv2.resize(rank, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)
