"""Blobs: splashes as an order of pixels, and what a drop of water shows of the scene behind it."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.functional.scatter import Canvas

SWELLING = 0.08
"""Rank at which a splash has its radius, after its first."""

REACH = 2.6
"""Radii up to which a splash may swell."""

LAST = 4.0
"""Rank at which what no splash reaches is covered."""

Plane = NDArray[np.float32]


def splashes(side: int, period: int, places: Plane, radii: Plane, dents: Plane) -> tuple[Plane, Plane, Plane]:
    """Ranks and relief of splashes that come one after the other, each nearly at its size, and then swell together.

    Splash k of n reaches a pixel at u radii from its middle at the rank k / n + SWELLING u^6.

    Args:
        side: Pixels of a unit.
        period: Units after which the field repeats, which spans as many.
        places: n x 2 float32, x and y in [0, period).
        radii: n float32.
        dents: For each pixel, above 0, what u^2 is multiplied by: where it is high an outline is dented.

    Returns:
        Three planes of float32: the rank, `LAST` where no splash reaches; the way from the middle of a pixel's splash
        to the right and down, added up, in radii; and the square of the whole way. Both are 0 where no splash reaches.
    """
    size, n = period * side, len(places)
    rank, slope, square = np.full((size, size), LAST, np.float32), *np.zeros((2, size, size), np.float32)
    for k, ((x, y), radius) in enumerate(zip(places.tolist(), radii.tolist(), strict=True)):
        columns, rows = (
            np.arange(int((at - REACH * radius) * side), int((at + REACH * radius) * side) + 1) for at in (x, y)
        )
        across, down = (((at + 0.5) / side - m) / radius for at, m in ((columns[None, :], x), (rows[:, None], y)))
        part = np.ix_(rows % size, columns % size)
        far = across * across + down * down
        own = k / n + SWELLING * (far * dents[part]) ** 3
        first = own < rank[part]
        for plane, values in ((rank, own), (slope, across + down), (square, far)):
            plane[part] = np.where(first, values, plane[part])
    return rank, slope, square


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
    # OpenCV's magnitude depends in the last bit on where in memory its arguments lie.
    out = np.sqrt(across * across + down * down)
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
