"""Flows of patches: cells of a grid that change places."""

import torch
from torch import Tensor

from hardgen.functional.flows import still


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
        B x height x width x 2 float32, whole numbers.
    """
    device = sources.device
    own_y, own_x = (torch.arange(side, device=device) * grid // side for side in (height, width))
    shown = sources.view(-1, grid, grid)[:, own_y][:, :, own_x]
    cells_y, cells_x = shown // grid, shown % grid
    y = _within(height, grid, own_y[None, :, None], cells_y)
    x = _within(width, grid, own_x[None, None, :], cells_x, columns=True)
    flow = torch.stack((x, y), -1).float()
    stays = (shown == (own_y[:, None] * grid + own_x))[..., None]
    return torch.where(stays, still(height, width, device), flow)


def _within(side: int, grid: int, own: Tensor, shown: Tensor, columns: bool = False) -> Tensor:
    """Where in the shown cell a pixel lies that lies as far from the start of its own cell."""
    i = torch.arange(side, device=shown.device)
    offset = (i[None, None, :] if columns else i[None, :, None]) - _start(own, side, grid)
    start = _start(shown, side, grid)
    last = torch.maximum(_start(shown + 1, side, grid) - 1, start).clamp(max=side - 1)
    return torch.minimum(start + offset, last)


def _start(cell: Tensor, side: int, grid: int) -> Tensor:
    """The first pixel of a cell."""
    return -(-cell * side // grid)
