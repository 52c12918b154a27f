"""Sheets: large fields of things that come one after the other, drawn once, of which each image takes its own piece.

A sheet repeats after `PERIOD` short sides of an image. Each of its pixels holds the code of the first thing that covers
it, or `NONE`; what is covered follows from a table with one share for each code.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Plane: TypeAlias = NDArray[np.floating[Any]]

PERIOD = 2

NONE = 255
"""The code of what nothing covers."""

CORNERS = 12
"""Of the polygon that stands for an ellipse."""

SHIFT = 4
"""Binary places that OpenCV's drawing keeps of a coordinate."""

STEP = 32
"""In which short sides of the pictures grow, in pixels, on which pieces are worked out."""

COUNTED, LEAST = 50_000, 32
"""Pixels of a piece that are counted, or all, and in how many rows at least."""


class Size(NamedTuple):
    """What a sheet is drawn for; images of many sizes share one.

    Attributes:
        side: The short side of an image, in fine pixels.
        fine: Fine pixels along a pixel.
        down: Short sides that a piece may be high.
        across: Short sides that it may be wide.
    """

    side: int
    fine: int
    down: int = 1
    across: int = 1

    def endless(self, plane: NDArray[Any], fine: bool = True) -> NDArray[Any]:
        """A plane of one period, and as much of it again to the right and below as a piece may take."""
        side = self.side // (1 if fine else self.fine)
        return np.pad(plane, ((0, self.down * side), (0, self.across * side)), mode="wrap")


class Grid(NamedTuple):
    """Where an image's piece of a sheet is worked out: on a picture of the image's size or about it.

    Attributes:
        rows: Of the picture.
        columns: Of the picture.
        fine: Fine pixels along a pixel of it.
    """

    rows: int
    columns: int
    fine: int

    @classmethod
    def of(cls, height: int, width: int, fine: int = 128, middling: int = 256, large: int = 512) -> "Grid":
        """That of images of a size: those about as large have the same short side.

        Args:
            height: Of the image, in pixels.
            width: Of the image, in pixels.
            fine: Short side in pixels up to which a pixel is worked out by 4 x 4.
            middling: Up to which it is worked out by 2 x 2.
            large: Short side of the picture for all images whose own is above 256.
        """
        side = min(height, width)
        short = large if side > 256 else side if side <= STEP // 2 else -(-side // STEP) * STEP
        rows, columns = (round(n * short / side) for n in (height, width))
        return cls(rows, columns, 4 if short <= fine else 2 if short <= middling else 1)

    @property
    def size(self) -> Size:
        """What sheet it takes pieces of."""
        short = min(self[:2])
        return Size(short * self.fine, self.fine, *(-(-n // short) for n in self[:2]))

    def cut(self, whole: NDArray[Any], period: int, place: Sequence[float], fine: bool = True) -> NDArray[Any]:
        """A piece of a sheet.

        Args:
            whole: As `Size.endless` gives it.
            period: Short sides after which it repeats.
            place: x and y of the piece's upper left corner, in periods within [0, 1).
            fine: Whether its pixels are fine.
        """
        left, top = (int(at * period * min(self[:2])) for at in place)
        n = self.fine if fine else 1
        return whole[top * n : (top + self.rows) * n, left * n : (left + self.columns) * n]

    def coarse(self, plane: NDArray[Any]) -> NDArray[Any]:
        """A plane of fine pixels, averaged over each pixel."""
        if self.fine == 1:
            return plane
        return np.asarray(cv2.resize(plane, (self.columns, self.rows), interpolation=cv2.INTER_AREA))


def bars(places: Plane, lengths: Plane, widths: Plane, lean: float, side: int) -> Plane:
    """Corners of bars, n x 4 x 2, as `sheet` takes them.

    Args:
        places: n x 2, x and y of the middles, in short sides.
        lengths: n, of the short side.
        widths: n, of the short side; a bar is at least a pixel wide.
        lean: From upright, in radians; to the right at the foot.
        side: The short side, in pixels.
    """
    way, aside = (
        np.array(v, np.float32) / 2 for v in ((math.sin(lean), math.cos(lean)), (math.cos(lean), -math.sin(lean)))
    )
    long, wide = lengths[:, None] * way, np.maximum(widths - 1 / side, 0)[:, None] * aside
    corners: Plane = places[:, None] + np.stack((-long - wide, -long + wide, long + wide, long - wide), 1)
    return corners


def ellipses(places: Plane, radii: Plane, angles: Plane, side: int) -> Plane:
    """Corners of polygons that stand for ellipses, n x `CORNERS` x 2, as `sheet` takes them.

    Args:
        places: n x 2, x and y of the centres, in short sides.
        radii: n x 2, along and across, of the short side; an ellipse is at least a pixel wide.
        angles: n, of the first radius, in radians from level.
        side: The short side, in pixels.
    """
    turn = np.arange(CORNERS, dtype=np.float32) * np.float32(2 * np.pi / CORNERS)
    along, across = np.maximum(radii - 0.5 / side, 0).T[..., None]
    x, y = along * np.cos(turn), across * np.sin(turn)
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    return np.asarray(np.stack((x * cos - y * sin, x * sin + y * cos), -1) + places[:, None])


def sheet(corners: Plane, codes: NDArray[np.integer[Any]], size: Size) -> Bytes:
    """Draws convex polygons, the first on top, on a sheet whose edges meet.

    Args:
        corners: n x corners x 2 in short sides, drawn half a pixel larger to each side; middles in [0, `PERIOD`).
        codes: n, below `NONE`.
        size: What it is drawn for.

    Returns:
        The sheet, as `Size.endless` gives it.
    """
    period, points = PERIOD * size.side, corners * np.float32(size.side) - np.float32(0.5)
    low, high, kept, places = points.min(1), points.max(1), [], []
    for shift in np.stack(np.meshgrid([-period, 0, period], [-period, 0, period]), -1).reshape(-1, 2):
        near = np.flatnonzero(((low + shift < period) & (high + shift > -1)).all(1))
        kept.append(near)
        places.append(np.rint((points[near] + shift) * (1 << SHIFT)).astype(np.int32))
    which = np.concatenate(kept)
    last_first = np.argsort(-which, kind="stable")
    drawn = np.full((period, period), NONE, np.uint8)
    for place, code in zip(np.concatenate(places)[last_first], codes[which[last_first]].tolist(), strict=True):
        cv2.fillConvexPoly(drawn, place, code, cv2.LINE_8, SHIFT)
    return size.endless(drawn)


def flipped(part: NDArray[Any], mirrored: bool, turned: bool) -> NDArray[Any]:
    """A piece with left and right changed, or upside down, as by half a turn; read-only."""
    if turned:
        return np.asarray(cv2.flip(part, 0 if mirrored else -1))
    return np.asarray(cv2.flip(part, 1)) if mirrored else part


def shares(codes: Bytes, fraction: float) -> NDArray[np.float32]:
    """What share of each thing there is, so that a fraction of a piece is covered.

    Things come one by one; the last one fades in, and after all of them what none covers does. A larger fraction has no
    smaller share of any. Of a large piece some rows, evenly spread, are counted.

    Args:
        codes: A piece of a sheet.
        fraction: Of it, in [0, 1].

    Returns:
        256 float32 in [0, 1].
    """
    over = codes.size / COUNTED
    down = max(min(int(over**0.5), len(codes) // LEAST), 1)
    counted = codes[::down, :: max(int(over / down), 1)]
    wanted = fraction * counted.size
    place = min(int(wanted), counted.size - 1)
    last = int(np.partition(counted.astype(np.uint16), place, axis=None)[place])  # of bytes it takes far longer
    table = (np.arange(256) < last).astype(np.float32)
    table[last] = (wanted - np.count_nonzero(counted < last)) / np.count_nonzero(counted == last)
    return table


def to_opacity(table: NDArray[np.float32]) -> Bytes:
    """A table of opacities in [0, 1] as bytes."""
    values: Bytes = np.rint(table * np.float32(255)).astype(np.uint8)
    return values


def seen(codes: Bytes, table: Bytes, grid: Grid, blur: float) -> Bytes:
    """What a table gives for each code, averaged over the fine pixels of a pixel and out of focus.

    Args:
        codes: A piece of a sheet.
        table: 256 values.
        grid: The piece's.
        blur: Standard deviation of a normal curve cut at 1.7 of it, of the short side; below a third of a pixel there
            is none.
    """
    plane, sigma = grid.coarse(cv2.LUT(codes, table)), blur * min(grid[:2])
    if sigma < 1 / 3:
        return plane
    size = 2 * round(1.7 * sigma) + 1
    return np.asarray(cv2.GaussianBlur(plane, (size, size), sigma, borderType=cv2.BORDER_REPLICATE))


def enlarged(plane: NDArray[Any], height: int, width: int) -> NDArray[Any]:
    """A grid's plane at the size of the image."""
    if plane.shape == (height, width):
        return plane
    way = cv2.INTER_AREA if height < plane.shape[0] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(plane, (width, height), interpolation=way))
