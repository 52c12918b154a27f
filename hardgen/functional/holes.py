"""The pixels that growing rectangles cover, without a rank for every pixel: `occlusion.cover` of `occlusion.holes`."""

import functools
import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Floats = NDArray[np.float32]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Axis:
    """The pixels of every cell of a tiling along one axis, cell after cell, a gap after each.

    Attributes:
        cell: Which cell.
        place: Where in it, in [0, 1]; infinite in a gap.
        pixel: Which row or column of the image.
        before: For each cell how many pixels come before it, gaps not counted.
    """

    cell: Whole
    place: Floats
    pixel: Whole
    before: Whole

    def reach(self, centres: Floats) -> Floats:
        """The scale at which a cell's hole reaches a pixel, B x n, from the holes' centres, B x cells."""
        centre = centres[:, self.cell]
        with np.errstate(divide="ignore"):
            far = np.maximum((self.place - centre) / (1 - centre), (centre - self.place) / centre)
        return np.asarray(far)

    def sorted(self, reach: Floats) -> NDArray[np.float64]:
        """The reaches of all cells of all images in one row: by image and cell, each 2 above the one before."""
        cells = len(self.before)
        which = np.arange(len(reach))[:, None] * cells + self.cell
        return np.sort((2.0 * which + reach)[:, np.isfinite(self.place)], axis=None)

    def counts(self, ordered: NDArray[np.float64], scales: Floats) -> Whole:
        """How many of a cell's pixels lie within an image's scale: B x cells."""
        cells, total = len(self.before), len(self.cell) - len(self.before)
        image = np.arange(len(scales))[:, None]
        within = np.searchsorted(ordered, 2.0 * (image * cells + np.arange(cells)) + scales[:, None], "right")
        return within - image * total - self.before

    def spans(self, reach: Floats, scales: Floats) -> Whole:
        """The first pixel of each cell within an image's scale, and the one after the last: 2 x B x cells."""
        inside = (reach <= scales[:, None]).ravel()
        found: Whole = np.zeros((2, len(scales) * len(self.before)), np.int64)
        steps = np.flatnonzero(np.diff(inside, prepend=False))
        image, at = np.divmod(steps[::2], len(self.cell))
        found[:, image * len(self.before) + self.cell[at]] = self.pixel[at] + [0 * at, steps[1::2] - steps[::2]]
        return found.reshape(2, len(scales), -1)


@functools.lru_cache(maxsize=8)
def _axes(height: int, width: int, count: int) -> tuple[Axis, Axis]:
    """The rows and the columns of the cells, as `occlusion.holes` lays them."""
    rows = min(max(round(math.sqrt(count * height / width)), 1), count)
    first = np.arange(rows + 1) * count // rows
    y, x = ((np.arange(n, dtype=np.float32) + np.float32(0.5)) / np.float32(n) for n in (height, width))
    row = np.searchsorted((first / count).astype(np.float32), y, "right").clip(1, rows) - 1
    down = ((y * np.float32(count) - first[row]) / (first[row + 1] - first[row])).astype(np.float32)
    ups, acrosses = [], []
    for r in range(rows):
        of, upto = int(first[r]), int(first[r + 1])
        along = x * np.float32(upto - of)
        column = along.astype(np.int64).clip(max=upto - of - 1)
        for cell in range(upto - of):
            ups.append((np.flatnonzero(row == r), down))
            acrosses.append((np.flatnonzero(column == cell), along - column))
    return _axis(ups), _axis(acrosses)


def _axis(cells: list[tuple[Whole, Floats]]) -> Axis:
    sizes = np.array([len(pixels) for pixels, _ in cells])
    place = np.concatenate([np.append(places[pixels], np.float32(np.inf)) for pixels, places in cells])
    pixel = np.concatenate([np.append(pixels, 0) for pixels, _ in cells])
    return Axis(np.repeat(np.arange(len(cells)), sizes + 1), place.astype(np.float32), pixel, sizes.cumsum() - sizes)


def cover_holes(height: int, width: int, centres: Tensor, fraction: float) -> Tensor:
    """Covers a fraction of every image by holes that grow within their cells, all at one scale.

    The scale is found by bisection over those at which a row or a column joins; of the last to join, pixels go row by
    row until the number is exact.

    Args:
        height: In pixels.
        width: In pixels.
        centres: For each hole of each image its x and y in [0, 1) of its cell: B x n x 2 float32.
        fraction: Of the pixels, in [0, 1].

    Returns:
        B x 1 x height x width bool.
    """
    covered = np.zeros((len(centres), height, width), np.bool_)
    wanted = round(fraction * height * width)
    if wanted == 0:
        return torch.from_numpy(covered)[:, None]
    axes, points = _axes(height, width, centres.shape[1]), centres.numpy()
    reaches = [axis.reach(points[..., side]) for axis, side in zip(axes, (1, 0), strict=True)]
    ordered = [axis.sorted(reach) for axis, reach in zip(axes, reaches, strict=True)]

    def total(scales: Floats) -> Whole:
        tall, wide = (axis.counts(row, scales) for axis, row in zip(axes, ordered, strict=True))
        return np.asarray((tall * wide).sum(1))

    steps = np.sort(np.concatenate(reaches, 1), 1)
    image, low, high = np.arange(len(centres)), *np.zeros((2, len(centres)), np.int64)
    high += steps.shape[1] - 1
    while (low < high).any():
        middle = (low + high) // 2
        enough = total(steps[image, middle]) >= wanted
        low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
    last = steps[image, high]
    over = total(last) - wanted
    tall, wide = (axis.spans(reach, last) for axis, reach in zip(axes, reaches, strict=True))
    for i, spans in enumerate(zip(*tall.tolist(), *wide.tolist(), strict=True)):
        canvas = covered[i]
        for top, bottom, left, right in zip(*spans, strict=True):
            canvas[top:bottom, left:right] = True
        if over[i]:
            _uncover(canvas, axes, [reach[i] == last[i] for reach in reaches], (tall[:, i], wide[:, i]), over[i])
    return torch.from_numpy(covered)[:, None]


def _uncover(
    covered: NDArray[np.bool_],
    axes: tuple[Axis, Axis],
    ties: list[NDArray[np.bool_]],
    spans: tuple[Whole, Whole],
    n: int,
) -> None:
    """Takes the last n pixels off those of the rows and columns that joined last."""
    width, places = covered.shape[1], []
    for at in np.flatnonzero(ties[0]):
        row, (start, stop) = axes[0].pixel[at], spans[1][:, axes[0].cell[at]]
        places.append(row * width + np.arange(start, stop))
    for at in np.flatnonzero(ties[1]):
        column, (start, stop) = axes[1].pixel[at], spans[0][:, axes[1].cell[at]]
        places.append(np.arange(start, stop) * width + column)
    in_order = places[0] if len(places) == 1 else np.unique(np.concatenate(places))
    covered.ravel()[in_order[-n:]] = False
