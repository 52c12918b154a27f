"""Places as pictures: a transform that moves pixels is asked to move their places, which gives its flow."""

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
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
    way, labels = cv2.distanceTransformWithLabels(
        (~inside).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    nearest = np.empty(labels.max() + 1, np.intp)
    nearest[labels[inside]] = np.flatnonzero(inside)
    outside, away = nearest[labels[~inside]], way[~inside]
    x, y = flow.reshape(-1, 2)[outside].T
    edge = np.stack((x, width - 1 - x, y, height - 1 - y)).argmin(0)
    x = np.select([edge == 0, edge == 1], [-0.5 - away, width - 0.5 + away], x)
    y = np.select([edge == 2, edge == 3], [-0.5 - away, height - 0.5 + away], y)
    out = flow.copy()
    out[~inside] = np.stack((x, y), -1)
    return out
