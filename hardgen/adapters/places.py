"""Places as pictures: a transform that moves pixels is asked to move their places, which gives its flow."""

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt
from torch import Tensor


def places(height: int, width: int) -> Tensor:
    """A picture whose first channel is x, whose second is y and whose third is 1 everywhere: 1 x 3 x H x W in [0, 1]."""
    y, x = torch.meshgrid(_ramp(height), _ramp(width), indexing="ij")
    return torch.stack((x, y, torch.ones(height, width)))[None]


def flow_of(moved: Tensor) -> Tensor:
    """The flow that a moved picture of places shows.

    Args:
        moved: B x 3 x H x W float32; the third channel is below 1 where the transform filled in from outside the frame.

    Returns:
        B x H x W x 2, (x, y) in pixels. What was filled in points outside the frame, as far from its border as the
        pixel is from the nearest one that was not, so that the base mirrors the image there.
    """
    height, width = moved.shape[-2:]
    size = torch.tensor([width - 1, height - 1], dtype=torch.float32)
    flow = (moved[:, :2] / moved[:, 2:].clamp(min=0.5)).permute(0, 2, 3, 1) * size
    inside = moved[:, 2] > 0.5
    for i in (~inside.flatten(1).all(1)).nonzero().flatten().tolist():
        flow[i] = torch.from_numpy(_continued(flow[i].numpy(), inside[i].numpy()))
    return flow.contiguous()


def _ramp(n: int) -> Tensor:
    return torch.linspace(0, 1, n) if n > 1 else torch.zeros(1)


def _continued(flow: NDArray[np.float32], inside: NDArray[np.bool_]) -> NDArray[np.float32]:
    height, width = inside.shape
    if not inside.any():
        return np.full_like(flow, -1.0 - max(height, width))
    away, (rows, columns) = distance_transform_edt(~inside, return_indices=True)
    nearest = flow[rows, columns]
    x, y = nearest[..., 0], nearest[..., 1]
    edge = np.stack((x, width - 1 - x, y, height - 1 - y)).argmin(0)
    out = nearest.copy()
    out[..., 0] = np.where(edge == 0, -0.5 - away, np.where(edge == 1, width - 0.5 + away, x))
    out[..., 1] = np.where(edge == 2, -0.5 - away, np.where(edge == 3, height - 0.5 + away, y))
    return np.where(inside[..., None], flow, out).astype(np.float32)
