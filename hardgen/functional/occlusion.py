"""Occluders as orders of pixels: which pixel is covered before which.

Each function gives every pixel of a window a rank that depends on geometry and draws, never on how much is to be
covered. `cover` then takes the pixels of lowest rank, exactly as many as are asked for: a bigger occluder contains the
smaller one.
"""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def rectangle(height: int, width: int, centre: Tensor) -> Tensor:
    """Ranks of a rectangle that grows from a point to the whole window, in the window's shape, and never leaves it.

    The rectangle is the window shrunk towards the point by a scale; a pixel's rank is the scale at which the rectangle
    reaches it. At scale s its area is s^2 of the window's.

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        centre: The point: 2 float32, x and y in [0, 1) of the window.

    Returns:
        height x width float32.
    """
    x, y = _middles(width, centre.device), _middles(height, centre.device)
    return torch.maximum(_reach(x, centre[0])[None, :], _reach(y, centre[1])[:, None])


def holes(height: int, width: int, centres: Tensor) -> Tensor:
    """Ranks of rectangles that grow each within its own cell of a tiling, all at the same scale, and never overlap.

    The cells have equal areas: rows of nearly square cells, each row as high as it has cells.

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        centres: For each hole its x and y in [0, 1) of its cell: n x 2 float32.

    Returns:
        height x width float32.
    """
    count, device = len(centres), centres.device
    rows = min(max(round(math.sqrt(count * height / width)), 1), count)
    first = torch.arange(rows + 1, device=device) * count // rows
    y, x = _middles(height, device), _middles(width, device)
    row = (torch.searchsorted(first / count, y, right=True) - 1).clamp(0, rows - 1)
    start, cells = first[row], first[row + 1] - first[row]
    down = (y * count - start) / cells
    rank = torch.empty(height, width, device=device)
    # The pixels of a row of cells lie together; whatever depends on x alone is worked out once for all of them.
    ends = torch.searchsorted(row, torch.arange(1, rows + 1, device=device)).tolist()
    for top, bottom, of, upto in zip([0, *ends], ends, first.tolist(), first[1:].tolist(), strict=False):
        along, own = x * (upto - of), centres[of:upto]
        column = along.long().clamp_(max=upto - of - 1)
        across = _reach(along - column, own[column, 0])
        below = _reach(down[top:bottom, None], own[None, :, 1])
        torch.maximum(below.index_select(1, column), across, out=rank[top:bottom])
    return rank


def grid(height: int, width: int, cell: float, scores: Tensor) -> Tensor:
    """Ranks of square cells covered one after the other, each row by row (hide-and-seek, arXiv 1704.04232).

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        cell: Side of a cell as a fraction of the window's short side; sides are fitted to the window, at least 1 px.
        scores: Random numbers, one per cell or more (see `most_cells`): the cell of lowest score goes first.

    Returns:
        height x width float32.
    """
    rows, columns = _cells(height, width, cell)
    turn = scores[: rows * columns].argsort(stable=True).argsort().to(torch.float32).reshape(rows, columns)
    down, along = _middles(height, scores.device) * rows, _middles(width, scores.device) * columns
    row, column = down.long().clamp(max=rows - 1), along.long().clamp(max=columns - 1)
    return turn.index_select(1, column).index_select(0, row).add_((down - row)[:, None])


def cover_grid(height: int, width: int, cell: float, scores: Tensor, fraction: float) -> Tensor:
    """`cover` of `grid` for whole images on the CPU, cell by cell instead of pixel by pixel.

    Args:
        height: In pixels.
        width: In pixels.
        cell: As for `grid`.
        scores: For each image as many numbers as `grid` takes, or more: B x n float32.
        fraction: Of the pixels, in [0, 1]; their number is rounded.

    Returns:
        B x 1 x height x width bool.
    """
    rows, columns = _cells(height, width, cell)
    tops, lefts = _firsts(height, rows), _firsts(width, columns)
    order = np.argsort(scores[:, : rows * columns].numpy(), 1, kind="stable")
    sizes = np.outer(np.diff(tops), np.diff(lefts)).ravel()[order].cumsum(1)
    wanted = round(fraction * height * width)
    whole = (sizes <= wanted).sum(1)
    covered = np.empty((len(scores), height, width), np.bool_)
    for canvas, turns, size, count in zip(covered, order, sizes, whole.tolist(), strict=True):
        cells = np.zeros(rows * columns, np.bool_)
        cells[turns[:count]] = True
        wide = cells.reshape(rows, columns).repeat(np.diff(lefts), 1)
        np.copyto(canvas, wide.repeat(np.diff(tops), 0))
        if count < len(turns):
            row, column = divmod(int(turns[count]), columns)
            part = canvas[tops[row] : tops[row + 1], lefts[column] : lefts[column + 1]]
            full, rest = divmod(wanted - (int(size[count - 1]) if count else 0), part.shape[1])
            part[:full] = True
            part[full : full + 1, :rest] = True
    return torch.from_numpy(covered)[:, None]


def most_cells(height: int, width: int, cell: float) -> int:
    """The most cells that `grid` makes in any window within height x width."""
    return min(max(round(1 / cell), 1) * max(height, width), height * width)


def bars(height: int, width: int, period: float, angle: Tensor, phase: Tensor) -> Tensor:
    """Ranks of parallel bars that widen: a pixel's rank is its distance from the nearest bar's centre line.

    Args:
        height: Of the window, in pixels.
        width: Of the window, in pixels.
        period: From bar to bar, as a fraction of the window's short side.
        angle: Direction of the bars in degrees, counter-clockwise from level; one number.
        phase: Where the bars lie, in [0, 1) of a period; one number.

    Returns:
        height x width float32, in [0, 0.5] of a period.
    """
    turn, step = torch.deg2rad(angle), period * min(height, width)
    x, y = _middles(width, angle.device) * width, _middles(height, angle.device) * height
    across = (x * (turn.sin() / step))[None, :] + (y * (turn.cos() / step) + phase)[:, None]
    return across.sub_(across.floor()).sub_(0.5).abs_()


def cover(rank: Tensor, fraction: float, target: Tensor | None = None) -> Tensor:
    """The pixels of lowest rank, so many that a fraction of the target is covered exactly.

    Args:
        rank: h x w float32. Among equal ranks, pixels go row by row.
        fraction: Of the target's pixels, in [0, 1]; their number is rounded.
        target: h x w bool with at least one pixel, or None for all. Other pixels are covered if their turn comes
            before the last covered pixel of the target.

    Returns:
        h x w bool. What a smaller fraction covers, a larger one covers too.
    """
    if rank.device.type == "cpu":
        return torch.from_numpy(_cover(rank.numpy(), fraction, None if target is None else target.numpy()))
    return cover_torch(rank, fraction, target)


def _cover(rank: NDArray[np.float32], fraction: float, target: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """`cover` by NumPy, whose selection is six times as fast as torch's."""
    wanted = rank.ravel() if target is None else rank[target]
    k = round(fraction * len(wanted))
    if k == 0:
        return np.zeros(rank.shape, np.bool_)
    last = np.partition(wanted, k - 1)[k - 1]
    covered = np.ascontiguousarray(rank <= last)
    over = np.count_nonzero(covered if target is None else covered & target) - k
    if over:
        ties = np.flatnonzero(rank == last)
        counted = ties if target is None else ties[target.ravel()[ties]]
        covered.ravel()[ties[ties >= counted[len(counted) - over]]] = False
    return covered


def cover_torch(rank: Tensor, fraction: float, target: Tensor | None = None) -> Tensor:
    """`cover` on any device."""
    wanted = rank.flatten() if target is None else rank[target]
    k = round(fraction * len(wanted))
    if k == 0:
        return torch.zeros_like(rank, dtype=torch.bool)
    last = wanted.kthvalue(k).values
    covered = rank < last
    ties = rank == last
    counted = ties if target is None else ties & target
    left = k - int((covered if target is None else covered & target).sum())
    return covered.logical_or_(ties & (counted.flatten().cumsum(0).view_as(ties) <= left))


def window(target: Tensor) -> tuple[int, int, int, int]:
    """The bounding box of an h x w bool mask with at least one pixel: top, left, bottom, right (exclusive)."""
    rows, columns = target.any(1).nonzero(), target.any(0).nonzero()
    return int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1


def _cells(height: int, width: int, cell: float) -> tuple[int, int]:
    """How many rows and columns of cells a window has."""
    side = max(cell * min(height, width), 1.0)
    return max(round(height / side), 1), max(round(width / side), 1)


def _firsts(n: int, cells: int) -> NDArray[np.int64]:
    """Where each cell along n pixels begins, and where the last one ends."""
    of = (_middles(n, torch.device("cpu")) * cells).long().clamp(max=cells - 1)
    return np.searchsorted(of.numpy(), np.arange(cells + 1))


def _middles(n: int, device: torch.device) -> Tensor:
    """The middles of n equal parts of [0, 1]."""
    return (torch.arange(n, device=device, dtype=torch.float32) + 0.5) / n


def _reach(position: Tensor, centre: Tensor) -> Tensor:
    """The scale at which [0, 1], shrunk towards the centre, reaches a position."""
    return torch.maximum((position - centre) / (1 - centre), (centre - position) / centre)
