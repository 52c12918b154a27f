"""Blobs: splashes as orders of pixels, and what a drop of water shows of the scene behind it."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.functional.scatter import Canvas

GRID = 128
"""Cells along the longer side on which splashes are worked out."""

SWELLING = 0.08
"""Rank at which a splash has its radius, after its first."""

REACH = 1.7
"""Radii up to which a splash may swell."""

LAST = 4.0
"""Rank from which on what no splash reaches is covered."""

Plane = NDArray[np.float32]


def splashes(
    height: int, width: int, places: Plane, radii: Plane, dents: Plane, rest: Plane
) -> tuple[Plane, Plane, Plane]:
    """Ranks and relief of splashes that come one after the other, each nearly at its size, and then swell together.

    Splash k of n reaches a pixel at u radii from its middle at the rank k / n + SWELLING u^6.

    Args:
        height: Of the image, in pixels.
        width: Of the image, in pixels.
        places: n x 2 float32, x and y in [0, 1) of each side.
        radii: n float32, relative to the short side.
        dents: GRID x GRID float32 above 0 that u^2 is multiplied by: where it is high an outline is dented.
        rest: GRID x GRID float32 about 0: the order of what no splash reaches.

    Returns:
        Three planes of height x width float32: the rank; the way from the middle of a pixel's splash to the right and
        down, added up, in radii; and the square of the whole way. Both are 0 where no splash reaches.
    """
    side, short, n = max(height, width), min(height, width), len(places)
    rows, columns = max(round(GRID * height / side), 1), max(round(GRID * width / side), 1)
    down, along = (np.arange(k, dtype=np.float32) + np.float32(0.5) for k in (rows, columns))
    y = _ways(down * np.float32(height / rows / short), places[:, 1] * np.float32(height / short), radii)
    x = _ways(along * np.float32(width / columns / short), places[:, 0] * np.float32(width / short), radii)
    rank = (rest[:rows, :columns] * np.float32(0.1) + np.float32(LAST)).astype(np.float32)
    whose = np.full((rows, columns), n, np.int64)
    near_y, near_x = _within(y), _within(x)
    y2, x2 = y * y * np.float32(SWELLING ** (1 / 3)), x * x * np.float32(SWELLING ** (1 / 3))
    for k, (top, bottom, left, right) in enumerate(zip(*near_y, *near_x, strict=True)):
        part = (slice(top, bottom), slice(left, right))
        far = y2[k, top:bottom, None] + x2[k, left:right]
        far *= dents[part]
        own = far * far
        own *= far
        own += np.float32(k / n)
        first = own < rank[part]
        np.copyto(rank[part], own, where=first)
        np.copyto(whose[part], k, where=first)
    dy, dx = y[whose, np.arange(rows)[:, None]], x[whose, np.arange(columns)[None, :]]
    return (
        _enlarged(rank, height, width),
        _enlarged(dx + dy, height, width),
        _enlarged(dx * dx + dy * dy, height, width),
    )


def _ways(at: Plane, middles: Plane, radii: Plane) -> Plane:
    """The way from each splash's middle to each line of cells, in radii: (n + 1) x lines, 0 in the last row."""
    ways = np.zeros((len(middles) + 1, len(at)), np.float32)
    np.divide(at - middles[:, None], radii[:, None], out=ways[:-1])
    return ways


def _within(ways: Plane) -> tuple[list[int], list[int]]:
    """The first line of cells within reach of each splash, and the one after the last."""
    reached = np.abs(ways[:-1]) < REACH
    first, count = reached.argmax(1), reached.sum(1)
    return first.tolist(), (first + count).tolist()


def _enlarged(plane: Plane, height: int, width: int) -> Plane:
    return np.asarray(cv2.resize(plane, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def lens(canvas: Canvas, fine: int, places: Plane, radii: Plane, view: float, flow: Plane, looks: Plane) -> None:
    """Writes what drops show: the scene small and upside down, dark at the rim, with a glint at the upper left.

    Args:
        canvas: (H fine) x (W fine), numbers of the drops that lie on top; their count where there is none.
        fine: Fine pixels along a pixel.
        places: n x 2, x and y of the centres in pixels.
        radii: n, in pixels.
        view: How far a drop sees to either side of its centre, in pixels.
        flow: H x W x 2, written to: where each pixel looks; itself where there is no drop.
        looks: 2 x H x W, written to: what the light from there is multiplied by, and what is added.
    """
    number = canvas[::fine, ::fine]
    for k in range(1, fine * fine):
        number = np.minimum(number, canvas[k // fine :: fine, k % fine :: fine])
    height, width = number.shape
    table: Any = np.zeros((len(radii) + 1, 3), np.float32)
    table[:-1, :2], table[:-1, 2] = places, 1 / np.maximum(radii, np.float32(0.5))
    x, y, scale = (np.take(table[:, k], number, mode="clip") for k in range(3))
    columns, rows = np.arange(width, dtype=np.float32)[None, :], np.arange(height, dtype=np.float32)[:, None]
    across, down = (columns - x) * scale, (rows - y) * scale
    out = np.sqrt(across * across + down * down)  # cv2.magnitude rounds otherwise where memory begins elsewhere
    if float(out.max()) > 1:
        longest = np.maximum(out, np.float32(1))
        across /= longest
        down /= longest
        out /= longest
    flow[..., 0] = x - across * np.float32(view)
    flow[..., 1] = y - down * np.float32(view)
    free = (number == len(radii)).view(np.uint8)
    if free.any():
        own = np.stack(np.broadcast_arrays(columns, rows), -1)
        cv2.copyTo(own, free, flow)
    out *= out
    glint = looks[1]
    # exp(-30 |way + (0.4, 0.4)|^2) of the glint's own place on the drop
    np.add(across, down, out=glint)
    glint *= np.float32(0.8)
    glint += out
    glint += np.float32(0.32)
    glint *= np.float32(-30)
    np.maximum(glint, np.float32(-40), out=glint)  # what float32 cannot hold normally is slow
    cv2.exp(glint, dst=glint)
    glint *= np.float32(0.8)
    shade = out * out
    shade *= out
    shade *= np.float32(-0.75)
    shade += np.float32(1.1)
    np.multiply(shade, 1 - glint, out=looks[0])
