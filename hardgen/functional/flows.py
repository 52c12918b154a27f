"""Flows: where each pixel of a moved image is taken from."""

import torch
from torch import Tensor


def rotation(height: int, width: int, degrees: Tensor) -> Tensor:
    """Turns about the centre of the image.

    Args:
        height: In pixels.
        width: In pixels.
        degrees: B float32, counter-clockwise as seen.

    Returns:
        B x height x width x 2 float32: x and y in pixels, whole numbers at pixel centres.
    """
    angle = torch.deg2rad(degrees)[:, None, None]
    middle_x, middle_y = (width - 1) / 2, (height - 1) / 2
    x = torch.arange(width, device=degrees.device, dtype=torch.float32)[None, None, :] - middle_x
    y = torch.arange(height, device=degrees.device, dtype=torch.float32)[None, :, None] - middle_y
    cos, sin = angle.cos(), angle.sin()
    return torch.stack((x * cos - y * sin + middle_x, x * sin + y * cos + middle_y), -1)
