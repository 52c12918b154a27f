"""Places as pictures: a transform that moves pixels is asked to move their places, which gives its flow."""

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

SAMPLES = 500
"""About so many pixels tell which homography is nearest to a flow."""


def places(height: int, width: int) -> Tensor:
    """A picture of x, y and 1 in its three channels, x and y from 0 to 1 across the frame: 1 x 3 x H x W."""
    y, x = torch.meshgrid(_ramp(height), _ramp(width), indexing="ij")
    return torch.stack((x, y, torch.ones(height, width)))[None]


def flow_of(moved: Tensor) -> Tensor:
    """The flow that a moved picture of places shows.

    Args:
        moved: B x 3 x H x W float32; the third channel is below 1 where the transform filled in from outside the frame.

    Returns:
        B x H x W x 2, (x, y) in pixels. Where the transform filled in, the flow is continued and points outside the
        frame, so that masks and boxes end there and images are mirrored.
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
    """Goes on with the homography nearest to the flow, corrected by what it leaves at the nearest inside pixel."""
    height, width = inside.shape
    if not inside.any():
        return np.full_like(flow, -1.0 - max(height, width))
    _, labels = cv2.distanceTransformWithLabels(
        (~inside).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    nearest = np.empty(labels.max() + 1, np.intp)
    nearest[labels[inside]] = np.flatnonzero(inside)
    outside, beside = np.flatnonzero(~inside), nearest[labels[~inside]]
    known = np.flatnonzero(inside)[:: max(1, int(inside.sum()) // SAMPLES)]
    here, there = (np.stack((at % width, at // width), -1).astype(np.float32) for at in (outside, beside))
    steady = _homography(np.stack((known % width, known // width), -1), flow.reshape(-1, 2)[known])
    new = flow.reshape(-1, 2)[beside] + np.clip(_moved(here, steady) - _moved(there, steady), -2 * width, 2 * width)
    out = flow.copy()
    out[~inside] = _pushed_out(new, height, width)
    return out


def _homography(points: NDArray[np.intp], seen: NDArray[np.float32]) -> NDArray[np.float64]:
    fitted = cv2.findHomography(points.astype(np.float32), seen)[0] if len(points) >= 4 else None
    return np.eye(3) if fitted is None else fitted.astype(np.float64)


def _moved(points: NDArray[np.float32], homography: NDArray[np.float64]) -> NDArray[np.float32]:
    moved: NDArray[np.float32] = cv2.perspectiveTransform(points[None], homography)[0]
    return moved


def _pushed_out(points: NDArray[np.float32], height: int, width: int) -> NDArray[np.float32]:
    """Points, and those of them that lie in the frame put just outside its nearest edge."""
    x, y = points.T
    room = np.stack((x + 0.5, width - 0.5 - x, y + 0.5, height - 0.5 - y))
    edge = np.where(room.min(0) > -0.01, room.argmin(0), 4)
    x = np.select([edge == 0, edge == 1], [-0.51, width - 0.49], x)
    y = np.select([edge == 2, edge == 3], [-0.51, height - 0.49], y)
    return np.stack((x, y), -1).astype(np.float32)
