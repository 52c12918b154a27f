"""ImageNet-C's frosted glass: pixels taken from their neighbours."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def taken_from(draws: Tensor, reach: int, rounds: int) -> Tensor:
    """Where each pixel is taken from after rounds of copying from a random neighbour, pixel by pixel.

    Pixels are visited from the lower right to the upper left; each becomes what its neighbour is at that moment, so
    that a neighbour which was visited before hands on what it has taken. (The reference means to swap the two; in NumPy
    its line only copies.) The chains are followed by doubling instead of pixel by pixel.

    Args:
        draws: B x at least `rounds` x H x W float32 uniform in [0, 1): which neighbour, in each round.
        reach: Neighbours lie -reach to reach - 1 pixels off, in both directions. Pixels within `reach` of the upper and
            left border, and less than `reach` of the others, stay.
        rounds: How often all pixels are visited.

    Returns:
        B x H W int64: indices of pixels.
    """
    batch, _, height, width = draws.shape
    if draws.device.type == "cpu":
        found = sources(draws.numpy(), reach, rounds).reshape(batch, -1)
        return torch.from_numpy(found - np.arange(batch)[:, None] * (height * width))
    return _taken_torch(draws, reach, rounds)


def sources(draws: NDArray[np.float32], reach: int, rounds: int) -> NDArray[np.intp]:
    """`taken_from` by NumPy, as one run of indices: the pixels of each image are counted on from those before."""
    batch, _, height, width = draws.shape
    place = np.arange(batch * height * width)
    rows, columns = slice(reach + 1, height - reach + 1), slice(reach + 1, width - reach + 1)
    choice = np.arange((2 * reach) ** 2)
    steps = (choice // (2 * reach) - reach) * width + choice % (2 * reach) - reach
    source = place
    for number in range(rounds):
        chosen = np.multiply(draws[:, number, rows, columns], np.float32((2 * reach) ** 2))
        came: NDArray[np.intp] = np.zeros(place.size, np.intp)
        came.reshape(batch, height, width)[:, rows, columns] = np.take(steps, chosen.astype(np.intp), mode="clip")
        onward = came > 0
        came += place
        # Each pixel points to the one that it hangs on, until all point to the first of their chain.
        first = np.where(onward, came, place)
        while True:
            further = np.take(first, first, mode="clip")
            if np.array_equal(further, first):
                break
            first = further
        source = np.take(source, np.take(came, first, mode="clip"), mode="clip")
    return np.asarray(source)


def _taken_torch(draws: Tensor, reach: int, rounds: int) -> Tensor:
    batch, _, height, width = draws.shape
    device = draws.device
    place = torch.arange(height * width, device=device)
    row, column = place // width, place % width
    visited = (row > reach) & (row <= height - reach) & (column > reach) & (column <= width - reach)
    source = place.expand(batch, -1)
    for number in range(rounds):
        choice = (draws[:, number].reshape(batch, -1) * (2 * reach) ** 2).long()
        step = (choice // (2 * reach) - reach) * width + choice % (2 * reach) - reach
        came = torch.where(visited, place + step, place)
        onward = visited & (came > place) & visited[came]
        while bool(onward.any()):
            came, onward = (
                torch.where(onward, came.gather(1, came), came),
                onward & onward.gather(1, came),
            )
        source = source.gather(1, came)
    return source
