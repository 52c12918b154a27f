"""One plane for each image, worked out by NumPy and OpenCV side by side."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.parallel import spread


def planes(count: int, height: int, width: int, how: Callable[[int], NDArray[Any]], kind: type = np.float32) -> Tensor:
    """Planes of a batch, each from its image's place in it.

    Args:
        count: Images.
        height: In pixels.
        width: In pixels.
        how: Called with an image's place; gives height x width. It must not depend on the order of calls.
        kind: NumPy type of the values.

    Returns:
        count x height x width, on the CPU.
    """
    rows: NDArray[Any] = np.empty((count, height, width), kind)

    def one(i: int) -> None:
        rows[i] = how(i)

    spread(one, count, rows.size)
    return torch.from_numpy(rows)
