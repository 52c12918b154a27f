"""Marks drawn by formula with OpenCV: faces, logos, lines, screens. Plain arrays; no pictures are bundled."""

import functools

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
SHIFT = 6
"""Bits after the point in OpenCV's coordinates."""

FINE = 4
"""Marks are drawn so many times larger, then scaled down."""

FACES = 6
LOGOS = 6


def _fixed(points: NDArray[np.floating]) -> NDArray[np.int32]:
    return np.round(np.asarray(points) * (1 << SHIFT)).astype(np.int32)


@functools.lru_cache(maxsize=512)
def face(kind: int, size: int) -> tuple[Picture, Picture]:
    """A round yellow face: smiling, sad, astonished, winking, laughing or straight-mouthed.

    Args:
        kind: 0 to FACES - 1.
        size: Diameter in pixels, at least 1.

    Returns:
        Colour, size x size x 3, and alpha, size x size, float32 in [0, 1]; shared: read them only.
    """
    side = FINE * max(size, 16)
    colour = np.empty((side, side, 3), np.float32)
    colour[:] = (1.0, 0.8, 0.15)
    alpha = np.zeros((side, side), np.float32)
    dark, one = (0.25, 0.13, 0.05), 1 << SHIFT

    def at(x: float, y: float) -> tuple[int, int]:
        return int(x * side * one), int(y * side * one)

    def circle(x: float, y: float, r: float) -> None:
        cv2.circle(colour, at(x, y), int(r * side * one), dark, -1, shift=SHIFT)

    cv2.circle(alpha, at(0.5, 0.5), int(0.49 * side * one), 1.0, -1, shift=SHIFT)
    cv2.circle(colour, at(0.5, 0.5), int(0.47 * side * one), (0.85, 0.5, 0.05), max(side // 24, 1), shift=SHIFT)
    line = max(side // 18, 1)
    for x in (0.34, 0.66):
        if kind == 3 and x > 0.5:
            cv2.line(colour, at(x - 0.08, 0.38), at(x + 0.08, 0.38), dark, line, shift=SHIFT)
        else:
            circle(x, 0.38, 0.065)
    axes = (int(0.22 * side * one), int(0.18 * side * one))
    if kind == 2:
        circle(0.5, 0.7, 0.12)
    elif kind == 5:
        cv2.line(colour, at(0.3, 0.68), at(0.7, 0.68), dark, line, shift=SHIFT)
    elif kind == 1:
        cv2.ellipse(colour, at(0.5, 0.8), axes, 0, 200, 340, dark, line, shift=SHIFT)
    else:
        cv2.ellipse(colour, at(0.5, 0.56), axes, 0, 15, 165, dark, -1 if kind == 4 else line, shift=SHIFT)
    return _shrunk(colour, size), _shrunk(alpha, size)


@functools.lru_cache(maxsize=128)
def logo(kind: int, size: int) -> Picture:
    """A geometric sign in one colour: ring with bar, star, stacked chevrons, hexagon, three discs or shield.

    Args:
        kind: 0 to LOGOS - 1.
        size: Side in pixels, at least 1.

    Returns:
        Alpha, size x size float32 in [0, 1]; shared: read it only.
    """
    side = FINE * max(size, 16)
    alpha, one = np.zeros((side, side), np.float32), 1 << SHIFT

    def polygon(points: NDArray[np.floating], ink: float = 1.0) -> None:
        cv2.fillPoly(alpha, [_fixed(points * side)], ink, shift=SHIFT)

    def disc(x: float, y: float, r: float, ink: float = 1.0) -> None:
        cv2.circle(alpha, (int(x * side * one), int(y * side * one)), int(r * side * one), ink, -1, shift=SHIFT)

    def regular(n: int, radius: float, inner: float | None = None) -> NDArray[np.floating]:
        k = np.arange(n if inner is None else 2 * n)
        t = 2 * np.pi * k / len(k) - np.pi / 2
        r = np.where(k % 2 == 0, radius, radius if inner is None else inner)
        return 0.5 + np.stack((r * np.cos(t), r * np.sin(t)), 1)

    if kind == 0:
        disc(0.5, 0.5, 0.48)
        disc(0.5, 0.5, 0.33, 0.0)
        polygon(np.array([[0.05, 0.42], [0.95, 0.42], [0.95, 0.58], [0.05, 0.58]]))
    elif kind == 1:
        polygon(regular(5, 0.49, 0.2))
    elif kind == 2:
        for y in (0.1, 0.35, 0.6):
            polygon(
                np.array(
                    [[0.05, y + 0.2], [0.5, y], [0.95, y + 0.2], [0.95, y + 0.34], [0.5, y + 0.14], [0.05, y + 0.34]]
                )
            )
    elif kind == 3:
        polygon(regular(6, 0.49))
        polygon(regular(6, 0.3), 0.0)
        disc(0.5, 0.5, 0.14)
    elif kind == 4:
        for t in (-90, 30, 150):
            disc(0.5 + 0.24 * float(np.cos(np.deg2rad(t))), 0.53 + 0.24 * float(np.sin(np.deg2rad(t))), 0.22)
        disc(0.5, 0.53, 0.1, 0.0)
    else:
        polygon(np.array([[0.1, 0.05], [0.9, 0.05], [0.9, 0.5], [0.75, 0.78], [0.5, 0.97], [0.25, 0.78], [0.1, 0.5]]))
        polygon(np.array([[0.46, 0.15], [0.54, 0.15], [0.54, 0.8], [0.46, 0.8]]), 0.0)
    return _shrunk(alpha, size)


def lines(height: int, width: int, thickness: float, draws: NDArray[np.float32]) -> NDArray[np.int32]:
    """Straight lines across a frame, each between two points drawn in it and beyond both; the first lies on top.

    Args:
        height: In pixels.
        width: In pixels.
        thickness: In pixels.
        draws: For each line x and y of two points, in [0, 1): n x 4.

    Returns:
        height x width: the number of the first line over a pixel, n where there is none.
    """
    turns = np.full((height, width), len(draws), np.int32)
    ends = draws.reshape(-1, 2, 2) * (width, height)
    way = ends[:, 1] - ends[:, 0]
    way = way / np.maximum(np.hypot(way[:, :1], way[:, 1:]), 1e-6)
    across = np.stack((-way[:, 1], way[:, 0]), 1) * (max(thickness, 1.0) / 2)
    far = way * float(np.hypot(height, width))
    corners = np.stack(
        (ends[:, 0] - far + across, ends[:, 1] + far + across, ends[:, 1] + far - across, ends[:, 0] - far - across), 1
    )
    for k in range(len(draws) - 1, -1, -1):
        cv2.fillConvexPoly(turns, _fixed(corners[k] - 0.5), k, shift=SHIFT)
    return turns


def _shrunk(large: Picture, size: int) -> Picture:
    small = cv2.resize(large, (size, size), interpolation=cv2.INTER_AREA).astype(np.float32)
    small.flags.writeable = False
    return small
