"""Patterns by formula: gratings, rings, plasma, Voronoi cells. Lengths are fractions of the image's short side."""

import math

import torch
from torch import Tensor

SITES = 64
"""Voronoi sites along each side of the table of draws; beyond, they repeat."""
JITTER = 0.65
"""How far a site strays within its cell: up to here the nearest site lies in one of the nine cells around."""


def coordinates(height: int, width: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Pixel centres in fractions of the short side from the upper left corner: x, 1 x width, and y, height x 1."""
    short = min(height, width)
    x = (torch.arange(width, device=device, dtype=torch.float32) + 0.5) / short
    y = (torch.arange(height, device=device, dtype=torch.float32) + 0.5) / short
    return x[None, :], y[:, None]


def grating(height: int, width: int, frequency: Tensor, degrees: Tensor, phase: Tensor) -> Tensor:
    """Sinusoids of amplitude 1.

    Args:
        height: In pixels.
        width: In pixels.
        frequency: B, in cycles per short side.
        degrees: B, direction of the wave counter-clockwise from level.
        phase: B, as a share of a turn.

    Returns:
        B x 1 x height x width.
    """
    x, y = coordinates(height, width, frequency.device)
    step, angle = (frequency * (2 * math.pi))[:, None, None], torch.deg2rad(degrees)[:, None, None]
    ways = x * (step * angle.cos()) - y * (step * angle.sin()) + phase[:, None, None] * (2 * math.pi)
    return ways.sin_()[:, None]


def rings(height: int, width: int, centre: Tensor, period: Tensor, lobes: Tensor, wobble: Tensor) -> Tensor:
    """How many rings lie between a point and every pixel, the rings bent into lobes.

    Args:
        height: In pixels.
        width: In pixels.
        centre: B x 2, x and y as shares of the width and of the height.
        period: B, from ring to ring, as a fraction of the short side.
        lobes: B whole numbers: how often the rings go out and in on a way round.
        wobble: B, how far they do, as a fraction of the short side.

    Returns:
        B x 1 x height x width, in rings.
    """
    x, y = coordinates(height, width, period.device)
    short = min(height, width)
    x = x - (centre[:, 0] * (width / short))[:, None, None]
    y = y - (centre[:, 1] * (height / short))[:, None, None]
    bent = torch.atan2(x, y).mul_(lobes[:, None, None]).sin_().mul_(wobble[:, None, None])
    return bent.add_(torch.hypot(x, y)).div_(period[:, None, None])[:, None]


def plasma(height: int, width: int, scale: Tensor, time: Tensor, rounds: Tensor, sharpness: Tensor) -> Tensor:
    """Sines of a plane that was bent, round by round, by ever finer sines: the plasma of demonstration programs.

    In each round the point (x, y) moves by (u - 0.3 v, v + 0.3 u) with u = cos(a y + time / b) / c and
    v = sin(a x + time / b) / c, where a, b and c start at 1 and grow by the factors 1.93, 1.15 and 2.25 - sharpness a
    round. Red, green and blue are then sin(x - time), sin((x + y + sin time) / 2) and sin(y + time), as in
    ImageNet-C-bar.

    Args:
        height: In pixels.
        width: In pixels.
        scale: B, the unit of length, as a fraction of the short side.
        time: B, in radians.
        rounds: B whole numbers, 0 to 8.
        sharpness: B, in [0, 1].

    Returns:
        B x 3 x height x width in [-1, 1].
    """
    out = torch.empty(len(scale), 3, height, width, device=scale.device)
    ways = coordinates(height, width, scale.device)
    numbers = zip(scale.tolist(), time.tolist(), rounds.tolist(), sharpness.tolist(), strict=True)
    for i, (step, t, n, sharp) in enumerate(numbers):
        x, y = (way.div(step).expand(height, width).clone() for way in ways)
        a, b, c = 1.0, 1.0, 1.0
        for _ in range(n):
            u = y.mul(a).add_(t / b).cos_().div_(c)
            v = x.mul(a).add_(t / b).sin_().div_(c)
            x.add_(u).sub_(v, alpha=0.3)
            y.add_(v).add_(u, alpha=0.3)
            a, b, c = a * 1.93, b * 1.15, c * (2.25 - sharp)
        torch.sin(x - t, out=out[i, 0])
        torch.sin((x + y).add_(math.sin(t)).mul_(0.5), out=out[i, 1])
        torch.sin(y + t, out=out[i, 2])
    return out


def voronoi(height: int, width: int, cell: Tensor, offsets: Tensor, levels: Tensor) -> tuple[Tensor, Tensor]:
    """Which of many scattered sites is nearest to every pixel: one site strays in each cell of a square grid.

    Args:
        height: In pixels.
        width: In pixels.
        cell: B, side of the grid's cells as a fraction of the short side.
        offsets: B x 2 x 64 x 64 in [0, 1): x and y of the sites in their cells.
        levels: B x 64 x 64, a number for each site.

    Returns:
        The distance to the nearest site, in cells, and that site's number: each B x 1 x height x width.
    """
    distance = torch.empty(len(cell), 1, height, width, device=cell.device)
    nearest = torch.empty_like(distance)
    x, y = coordinates(height, width, cell.device)
    sites = torch.cat(((offsets - 0.5) * JITTER + 0.5, levels[:, None]), 1)
    for i in range(len(cell)):
        across, down = (x / cell[i])[0], (y / cell[i])[:, 0]
        column, row = across.long(), down.long()
        best = torch.full((height, width), math.inf, device=cell.device)
        level = torch.zeros_like(best)
        for dx in (-1, 0, 1):
            # Columns first, while there is one row per site: whole rows are then copied, which is fast.
            strip = sites[i].index_select(2, (column + dx) % SITES)
            strip[0].add_(column + dx - across).square_()
            for dy in (-1, 0, 1):
                away, far_y, candidate = strip.index_select(1, (row + dy) % SITES)
                away.addcmul_(far_y.add_((row + dy - down)[:, None]), far_y)
                closer = away < best
                torch.where(closer, away, best, out=best)
                torch.where(closer, candidate, level, out=level)
        distance[i, 0], nearest[i, 0] = best.sqrt_(), level
    return distance, nearest
