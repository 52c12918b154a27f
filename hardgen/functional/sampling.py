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
from hardgen.functional.smooth_fields import blurred, blurred_to
from hardgen.known import Held

Picture = NDArray[Any]
"""An image, H x W x C: float32, or the bytes of an 8-bit file."""
LARGE = 1 << 14
"""Numbers of a flow from which going flow by flow is faster than the batch at once."""
SMALL = 48
"""Short side in pixels, at least, at which a blurred image is made, to be enlarged."""


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


MADE_OF_EDGES = {Border.mirror: cv2.BORDER_REFLECT_101, Border.edge: cv2.BORDER_REPLICATE}
"""Borders that show pixels from beside the frame's edge."""


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
    if images.device.type == "cpu":
        return resample_opencv(images, flow, nearest, border)
    return resample_torch(images, flow, nearest, border)


def resample_torch(images: Tensor, flow: Tensor, nearest: bool, border: Border) -> Tensor:
    """`resample` by torch, on any device."""
    height, width = images.shape[-2:]
    size = torch.tensor([width, height], device=flow.device)
    way = flow
    if border is Border.mirror and not nearest:
        period = (2 * (size - 1)).clamp(min=1)
        way = flow.remainder(period)
        way = torch.minimum(way, period - way).clamp(min=0)
    grid = (way + 0.5) / size * 2 - 1
    mode, padding = ("nearest", "zeros") if nearest else ("bilinear", "border")
    out = functional.grid_sample(images, grid, mode=mode, padding_mode=padding, align_corners=False)
    if not nearest and border not in MADE_OF_EDGES:
        inside = torch.minimum(flow + 1, size - flow).clamp(0, 1).prod(-1)[:, None]
        out = torch.lerp(_fill(images, border).expand_as(out), out, inside)
    return out.contiguous(memory_format=torch.channels_last)


def _fill(images: Tensor, border: Border) -> Tensor:
    """What a border shows, B x C x H x W or x 1 x 1."""
    if border is Border.blur:
        return blurred(images)
    if border is Border.mean:
        return images.mean((2, 3), keepdim=True)
    return torch.full((len(images), images.shape[1], 1, 1), 0.5 * (border is Border.grey), device=images.device)


def resample_opencv(images: Tensor, flow: Tensor, nearest: bool, border: Border) -> Tensor:
    """`resample` by OpenCV, on the CPU."""
    ways = flow.numpy()
    if nearest:
        return by_image(images, lambda x, i: cv2.remap(x, ways[i], None, cv2.INTER_NEAREST))
    return by_image(images, lambda x, i: remapped(x, ways[i], border))


def remapped(image: Picture, flow: NDArray[np.float32], border: Border) -> Picture:
    """One image by OpenCV, bilinear."""
    out = np.empty_like(image)
    return cv2.remap(image, flow, None, cv2.INTER_LINEAR, out, *surround(image, border, out)).reshape(image.shape)


def surround(image: Picture, border: Border, out: Picture) -> tuple[int, Sequence[float]]:
    """OpenCV's border mode and border value for moving an image into another of its size, which it makes ready.

    Args:
        image: What is moved.
        border: What lies outside the frame.
        out: Where the blurred image is to be seen it is drawn here, and the mode is to leave what is there: OpenCV then
            also mixes it into pixels that lie across the edge.
    """
    if border in MADE_OF_EDGES:
        return MADE_OF_EDGES[border], [0.0]
    if border is Border.mean:
        return cv2.BORDER_CONSTANT, cv2.mean(image)
    if border is not Border.blur:
        white = 255.0 if image.dtype == np.uint8 else 1.0
        return cv2.BORDER_CONSTANT, [0.5 * white * (border is Border.grey)] * 4
    height, width = image.shape[:2]
    step = max(min(height, width) // SMALL, 1)
    values = torch.from_numpy(image.astype(np.float32, copy=False))
    soft = blurred_to(values, -(-height // step), -(-width // step)).numpy()
    if image.dtype == np.uint8:
        wide = cv2.resize(soft, (width, height), interpolation=cv2.INTER_LINEAR)
        cv2.addWeighted(wide, 1.0, wide, 0.0, 0.0, out, cv2.CV_8U)
    else:
        cv2.resize(soft, (width, height), out, interpolation=cv2.INTER_LINEAR)
    return cv2.BORDER_TRANSPARENT, [0.0]


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
    return Held(torch.from_numpy(new).to(rows) for new, rows in zip(moved, boxes, strict=True))


def boxes_to_mask(boxes: Sequence[Tensor], height: int, width: int) -> Tensor:
    """The union of each image's boxes as pixels whose centre lies inside, B x 1 x H x W bool."""
    y = torch.arange(height, dtype=torch.float32)[:, None] + 0.5
    x = torch.arange(width, dtype=torch.float32)[None, :] + 0.5
    mask = torch.zeros(len(boxes), 1, height, width, dtype=torch.bool)
    for i, rows in enumerate(boxes):
        for x0, y0, x1, y1 in rows.cpu().tolist():
            mask[i, 0] |= (x >= x0) & (x < x1) & (y >= y0) & (y < y1)
    return mask
