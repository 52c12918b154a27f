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
    y = _within(height, grid, own_y, shown[:, own_y] // grid)
    x = _within(width, grid, own_x, shown.transpose(1, 2)[:, own_x] % grid).transpose(1, 2)
    return torch.stack((x[:, own_y], y[:, :, own_x]), -1)


def _within(side: int, grid: int, own: Tensor, shown: Tensor) -> Tensor:
    """Where each pixel of a side is taken from, as far from the start of the cell shown as it is from its own's.

    Args:
        side: In pixels.
        grid: Cells a side.
        own: The cell of each pixel, side.
        shown: B x side x n: the cell that it shows, in n cases.

    Returns:
        B x side x n int16.
    """
    offset = torch.arange(side, device=own.device) - _start(own, side, grid)
    start = _start(shown, side, grid)
    last = torch.maximum(_start(shown + 1, side, grid) - 1, start).clamp(max=side - 1)
    return torch.minimum(start + offset[:, None], last).short()


def _start(cell: Tensor, side: int, grid: int) -> Tensor:
    """The first pixel of a cell."""
    return -(-cell * side // grid)
