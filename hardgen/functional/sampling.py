"""Sampling images, masks and boxes along a flow."""

import enum
import math
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from hardgen.functional.flows import still
from hardgen.functional.parallel import by_image, spread
from hardgen.functional.smooth_fields import blurred

LARGE = 1 << 14
"""Numbers of a flow from which going flow by flow is faster than the batch at once."""


class Border(enum.Enum):
    """What is seen where an image that moved leaves the frame empty."""

    mirror = "mirror"
    """The mirrored image."""
    edge = "edge"
    """The outermost pixels, drawn out."""
    blur = "blur"
    """The unmoved image, blurred until nothing can be told."""
    mean = "mean"
    """The image's mean colour."""
    grey = "grey"
    black = "black"


def resample(images: Tensor, flow: Tensor, nearest: bool = False, border: Border = Border.mirror) -> Tensor:
    """Takes every output pixel from where the flow points.

    Args:
        images: B x C x H x W float32.
        flow: B x H x W x 2 float32, (x, y) in pixels; whole numbers are pixel centres.
        nearest: Nearest pixel with an empty border, for masks; else bilinear.
        border: What lies outside the frame, where not nearest.

    Returns:
        B x C x H x W float32, channels_last.
    """
    fill = None if nearest else _fill(images, border)
    if images.device.type == "cpu":
        return resample_opencv(images, flow, nearest, border, fill)
    return resample_torch(images, flow, nearest, border, fill)


def _fill(images: Tensor, border: Border) -> Tensor | None:
    """What a border shows, B x C x H x W or x 1 x 1; None for those made of pixels beside the edge."""
    if border in (Border.mirror, Border.edge):
        return None
    if border is Border.blur:
        return blurred(images)
    if border is Border.mean:
        return images.mean((2, 3), keepdim=True)
    return torch.full((len(images), images.shape[1], 1, 1), 0.5 * (border is Border.grey), device=images.device)


def resample_torch(images: Tensor, flow: Tensor, nearest: bool, border: Border, fill: Tensor | None) -> Tensor:
    """`resample` by torch, on any device."""
    height, width = images.shape[-2:]
    size = torch.tensor([width, height], device=flow.device)
    if border is Border.mirror and not nearest:
        period = (2 * (size - 1)).clamp(min=1)
        flow = flow.remainder(period)
        flow = torch.minimum(flow, period - flow).clamp(min=0)
    grid = (flow + 0.5) / size * 2 - 1
    if nearest:
        out = functional.grid_sample(images, grid, mode="nearest", padding_mode="zeros", align_corners=False)
    else:
        out = functional.grid_sample(images, grid, mode="bilinear", padding_mode="border", align_corners=False)
    if fill is not None:
        inside = torch.minimum(flow + 1, size - flow).clamp(0, 1).prod(-1)[:, None]
        out = torch.lerp(fill.expand_as(out), out, inside)
    return out.contiguous(memory_format=torch.channels_last)


def resample_opencv(images: Tensor, flow: Tensor, nearest: bool, border: Border, fill: Tensor | None) -> Tensor:
    """`resample` by OpenCV, on the CPU."""
    how = cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR
    mode = cv2.BORDER_CONSTANT if nearest or fill is not None else _beyond(border)
    ways = flow.numpy()
    fills = None if fill is None else fill.permute(0, 2, 3, 1).contiguous().numpy()
    even = fills is not None and fills.shape[1:3] == (1, 1)
    ones = np.ones(tuple(images.shape[-2:]), np.float32)

    def one(image: NDArray[np.float32], i: int) -> NDArray[Any]:
        colour = fills[i].ravel().tolist() if fills is not None and even else 0.0
        out = cv2.remap(image, ways[i], None, how, borderMode=mode, borderValue=colour)
        if fills is not None and not even:
            rest = cv2.subtract(ones, cv2.remap(ones, ways[i], None, how, borderMode=mode))
            many = cv2.merge([rest] * image.shape[2])
            cv2.accumulateProduct(fills[i].reshape(out.shape), many.reshape(out.shape), out)
        return out

    return by_image(images, one)


def remapped(image: NDArray[np.float32], flow: NDArray[np.float32], border: Border) -> NDArray[np.float32]:
    """One H x W x C image by OpenCV, bilinear, with a border of its own pixels: mirror or edge."""
    made = cv2.remap(image, flow, None, cv2.INTER_LINEAR, borderMode=_beyond(border))
    return np.asarray(made, dtype=np.float32).reshape(image.shape)


def _beyond(border: Border) -> int:
    return cv2.BORDER_REFLECT_101 if border is Border.mirror else cv2.BORDER_REPLICATE


def displacement(flow: Tensor) -> Tensor:
    """Root mean square way of an image's pixels in fractions of its short side, B float32."""
    height, width = flow.shape[1:3]
    stays = still(height, width, flow.device)
    if flow.device.type == "cpu" and flow[0].numel() >= LARGE:
        base = stays.numpy().reshape(height, -1)
        ways = torch.tensor([cv2.norm(one.reshape(height, -1), base) for one in flow.contiguous().numpy()])
    else:
        ways = torch.linalg.vector_norm((flow - stays).flatten(1), dim=1)
    return ways / (math.sqrt(height * width) * min(height, width))


def move_boxes(boxes: Sequence[Tensor], flow: Tensor) -> tuple[Tensor, ...]:
    """Boxes after the flow: the bounding box of each one's pixels in the moved image.

    Args:
        boxes: Per image n x 4, x0 y0 x1 y1 in pixels, right and lower edge exclusive.
        flow: B x H x W x 2, as in `resample`.

    Returns:
        The moved boxes, cut at the frame; one that left the frame has no area. Where a box falls into pieces, its new
        box spans the pieces.
    """
    ways = flow.cpu().numpy()
    moved = [np.zeros(tuple(rows.shape), np.float32) for rows in boxes]

    def one(i: int) -> None:
        edges = boxes[i].cpu().numpy().astype(np.float32) - np.float32(0.5)
        lows, highs = edges[:, :2], np.nextafter(edges[:, 2:], np.float32(-np.inf))
        for new, low, high in zip(moved[i], lows.tolist(), highs.tolist(), strict=True):
            x, y, w, h = cv2.boundingRect(cv2.inRange(ways[i], (*low, 0.0, 0.0), (*high, 0.0, 0.0)))
            if w:
                new[:] = (x, y, x + w, y + h)

    spread(one, len(boxes), flow.numel() * max(map(len, boxes), default=0))
    return tuple(torch.from_numpy(new).to(rows) for new, rows in zip(moved, boxes, strict=True))
