"""Flows of patches: cells of a grid that change places."""

import torch
from torch import Tensor


def rearranged(height: int, width: int, grid: int, sources: Tensor) -> Tensor:
    """Every cell of a grid shows another cell.

    Pixel y of a side of h pixels lies in cell y grid // h. Where cells differ by a pixel, the last row or column that
    a source lacks shows the one before it.

    Args:
        height: In pixels.
        width: In pixels.
        grid: Cells a side.
        sources: B x grid^2 int64: which cell each cell shows, row by row.

    Returns:
        B x height x width x 2 int16.
    """
    device = sources.device
    own_y, own_x = (torch.arange(side, device=device) * grid // side for side in (height, width))
    shown = sources.view(-1, grid, grid)
    y = _within(height, grid, own_y, shown // grid)
    x = _within(width, grid, own_x, shown.transpose(1, 2) % grid).transpose(1, 2)
    y = y.mul_(1 << 16)  # x and y of a pixel go into one number
    both = y.index_select(2, own_x) if width % grid else y.repeat_interleave(width // grid, 2)  # a tenth of the time
    flow: Tensor = both.add_(x.index_select(1, own_y)).view(torch.int16)
    return flow.view(len(sources), height, width, 2)


def _within(side: int, grid: int, own: Tensor, shown: Tensor) -> Tensor:
    """Where each pixel of a side is taken from, as far from the start of the cell shown as it is from its own's.

    Args:
        side: In pixels.
        grid: Cells a side.
        own: The cell of each pixel, side.
        shown: B x grid x n: what each cell shows, in n cases.

    Returns:
        B x side x n int32.
    """
    offset = torch.arange(side, device=own.device) - _start(own, side, grid)
    start = _start(shown, side, grid)
    last = torch.maximum(_start(shown + 1, side, grid) - 1, start).clamp(max=side - 1)
    first, end = (place.int().index_select(1, own) for place in (start, last))
    return torch.minimum(first.add_(offset.int()[:, None]), end)


def _start(cell: Tensor, side: int, grid: int) -> Tensor:
    """The first pixel of a cell."""
    return -(-cell * side // grid)
