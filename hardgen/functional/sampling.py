"""Sampling images, masks and boxes along a flow."""

from collections.abc import Sequence

import cv2
import torch
from torch import Tensor
from torch.nn import functional

from hardgen.functional.parallel import by_image


def resample(images: Tensor, flow: Tensor, nearest: bool = False) -> Tensor:
    """Takes every output pixel from where the flow points.

    Args:
        images: B x C x H x W float32.
        flow: B x H x W x 2 float32, (x, y) in pixels; whole numbers are pixel centres.
        nearest: Nearest pixel with an empty border, for masks; else bilinear with a mirrored border.

    Returns:
        B x C x H x W float32, channels_last.
    """
    if images.device.type == "cpu":
        return _resample_opencv(images, flow, nearest)
    height, width = images.shape[-2:]
    grid = flow / torch.tensor([max(width - 1, 1), max(height - 1, 1)], device=flow.device) * 2 - 1
    mode, border = ("nearest", "zeros") if nearest else ("bilinear", "reflection")
    out = functional.grid_sample(images, grid, mode=mode, padding_mode=border, align_corners=True)
    return out.contiguous(memory_format=torch.channels_last)


def _resample_opencv(images: Tensor, flow: Tensor, nearest: bool) -> Tensor:
    how = cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR
    border = cv2.BORDER_CONSTANT if nearest else cv2.BORDER_REFLECT_101
    x, y = flow[..., 0].numpy(), flow[..., 1].numpy()
    return by_image(images, lambda image, i: cv2.remap(image, x[i], y[i], how, borderMode=border))


def move_boxes(boxes: Sequence[Tensor], flow: Tensor) -> tuple[Tensor, ...]:
    """Boxes after the flow: the bounding box of each one's pixels in the moved image.

    Args:
        boxes: Per image n x 4, x0 y0 x1 y1 in pixels, right and lower edge exclusive.
        flow: B x H x W x 2, as in `resample`.

    Returns:
        The moved boxes, cut at the frame; one that left the frame has no area.
    """
    moved = []
    for rows, way in zip(boxes, flow, strict=True):
        x, y = way[..., 0], way[..., 1]
        new = torch.zeros_like(rows)
        for row, (x0, y0, x1, y1) in enumerate(rows.tolist()):
            inside = (x >= x0 - 0.5) & (x < x1 - 0.5) & (y >= y0 - 0.5) & (y < y1 - 0.5)
            if bool(inside.any()):
                ys, xs = inside.any(1).nonzero(), inside.any(0).nonzero()
                new[row] = torch.tensor([xs[0].item(), ys[0].item(), xs[-1].item() + 1, ys[-1].item() + 1])
        moved.append(new)
    return tuple(moved)
