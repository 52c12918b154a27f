"""Orders of pixels that depend on the picture or the object (see `occlusion`): salient cells, depth inside a mask."""

import cv2
import numpy as np
import torch
from torch import Tensor


def cell_contrast(image: Tensor, rows: int, columns: int) -> Tensor:
    """The standard deviation of each cell's pixels, all channels together.

    Args:
        image: C x h x w float32.
        rows: Cells from top to bottom, at most h.
        columns: Cells from left to right, at most w.

    Returns:
        rows x columns float32.
    """
    height, width = image.shape[-2:]
    y = torch.arange(height, device=image.device) * rows // height
    x = torch.arange(width, device=image.device) * columns // width
    level = sum(image[1:], image[0].clone()).div_(len(image))
    place = (y[:, None] * columns + x).flatten()
    # Of the difference from the overall mean: float32 then suffices.
    values = (level - level.mean()).flatten()
    n = rows * columns
    sums = torch.zeros(3, n, device=image.device)
    if image.device.type == "cpu":
        where, numbers = place.numpy(), values.numpy()
        sums[0] = torch.from_numpy(np.bincount(where, minlength=n))
        sums[1] = torch.from_numpy(np.bincount(where, numbers, n))
        sums[2] = torch.from_numpy(np.bincount(where, numbers * numbers, n))
    else:
        sums.index_add_(1, place, torch.stack((torch.ones_like(values), values, values.square())))
    mean = sums[1] / sums[0]
    return (sums[2] / sums[0] - mean.square()).clamp_(min=0).sqrt_().view(rows, columns)


def cells_of(height: int, width: int, cell: float) -> tuple[int, int]:
    """How many rows and columns of square cells `occlusion.grid` fits into a window."""
    side = max(cell * min(height, width), 1.0)
    return max(round(height / side), 1), max(round(width / side), 1)


def depth(mask: Tensor) -> Tensor:
    """How far each pixel of a mask lies from the nearest pixel outside it, the frame's surroundings included.

    Args:
        mask: h x w bool.

    Returns:
        h x w float32 in pixels, 0 outside the mask; on the mask's device (it is measured by OpenCV).
    """
    padded = np.pad(mask.cpu().numpy().astype(np.uint8), 1)
    far = cv2.distanceTransform(padded, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1]
    return torch.from_numpy(np.ascontiguousarray(far)).to(mask.device)
