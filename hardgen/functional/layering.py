"""Layers on images: opaque patches, see-through stamps, and where a rectangle may lie."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.levels import to_bytes
from hardgen.functional.sources import Making, make

LUMA = (0.299, 0.587, 0.114)
"""Weights of R, G and B in brightness (ITU-R BT.601)."""


@dataclass(frozen=True, eq=False)
class Patch:
    """An opaque rectangle of pixels and where its upper left corner lies; it may stick out of the frame.

    Attributes:
        pixels: C x h x w, of the type of the images that it lies on.
        top: Row of the upper edge, in pixels.
        left: Column of the left edge, in pixels.
    """

    pixels: Tensor
    top: int
    left: int


def paste(images: Tensor, patches: Sequence[Sequence[Patch]]) -> tuple[Tensor, Tensor, Tensor]:
    """Lays patches on images, the first on top, so that one more patch never hides another.

    Args:
        images: B x C x H x W, float32 or uint8; left as they are.
        patches: For each image its patches, the topmost first; each is cut at the frame.

    Returns:
        The images, B x C x H x W channels_last; the covered pixels, B x 1 x H x W bool; and how many patches of each
        image lie at least partly within the frame, B float32.
    """
    out = images.clone(memory_format=torch.channels_last)
    height, width = images.shape[-2:]
    covered = torch.zeros(len(images), 1, height, width, dtype=torch.bool, device=images.device)
    inside = []
    for canvas, hidden, row in zip(out, covered, patches, strict=True):
        seen = 0
        for patch in reversed(row):
            h, w = patch.pixels.shape[-2:]
            top, left = max(patch.top, 0), max(patch.left, 0)
            bottom, right = min(patch.top + h, height), min(patch.left + w, width)
            if top >= bottom or left >= right:
                continue
            cut = patch.pixels[:, top - patch.top : bottom - patch.top, left - patch.left : right - patch.left]
            canvas[:, top:bottom, left:right] = cut
            hidden[:, top:bottom, left:right] = True
            seen += 1
        inside.append(float(seen))
    return out, covered, torch.tensor(inside, device=images.device)


@dataclass(frozen=True, eq=False)
class Stamp:
    """White letters with a dark outline, and where they lie; they may stick out at the right and at the foot.

    Attributes:
        outline: h x w float32 in [0, 1]: the share of each pixel that letters or outline take.
        letters: h x w float32 in [0, 1]: the share that the letters take.
        top: Row of the upper edge, in pixels, at least 0.
        left: Column of the left edge, in pixels, at least 0.
    """

    outline: Tensor
    letters: Tensor
    top: int
    left: int


def stamp(images: Tensor, stamps: Sequence[Stamp | None]) -> tuple[Tensor, Tensor]:
    """Paints the outline black over each image and the letters white over that: they show on any ground.

    Args:
        images: B x C x H x W float32 in [0, 1]; left as they are.
        stamps: For each image what to paint; None for nothing.

    Returns:
        The images, B x C x H x W channels_last, and the painted share of each pixel, B x 1 x H x W float32.
    """
    out = images.clone(memory_format=torch.channels_last)
    height, width = images.shape[-2:]
    painted = torch.zeros(len(images), 1, height, width, device=images.device)
    for canvas, ink, mark in zip(out, painted, stamps, strict=True):
        if mark is not None:
            h, w = min(mark.letters.shape[0], height - mark.top), min(mark.letters.shape[1], width - mark.left)
            outline, letters = mark.outline[:h, :w].to(images.device), mark.letters[:h, :w].to(images.device)
            place = (slice(None), slice(mark.top, mark.top + h), slice(mark.left, mark.left + w))
            canvas[place] = canvas[place] * ((1 - outline) * (1 - letters)) + letters
            ink[place] = outline
    return out, painted


def replace_where(images: Tensor, covered: Tensor, canvas: Tensor) -> Tensor:
    """Shows another picture wherever a mask says so.

    Args:
        images: B x C x H x W float32; left as they are.
        covered: B x 1 x H x W bool.
        canvas: What is shown: B or 1 x C x H or 1 x W or 1, float32.

    Returns:
        B x C x H x W float32, channels_last.
    """
    if images.device.type == "cpu":
        return make(images, covering(covered, canvas))
    return torch.where(covered, canvas, images)


def covering(covered: Tensor, canvas: Tensor) -> Making:
    """`replace_where` for each image by itself, on the CPU."""
    masks = covered[:, 0].numpy().view(np.uint8)
    shown, (height, width) = canvas.permute(0, 2, 3, 1).numpy(), covered.shape[2:]

    @functools.lru_cache(maxsize=1)
    def whole(place: int, levels: bool) -> NDArray[Any]:
        picture = shown[place]
        if levels:
            picture = to_bytes(picture.clip(0.0, 1.0))
        row = picture if picture.shape[1] == width else np.tile(picture, (1, width, 1))
        return np.ascontiguousarray(np.broadcast_to(row, (height, *row.shape[1:])))

    def over(image: NDArray[Any], i: int) -> NDArray[Any]:
        picture = whole(i % len(shown), image.dtype == np.uint8)
        return np.asarray(cv2.copyTo(picture, masks[i], image.copy()))

    return Making(over, over)


def with_channels(
    patches: Tensor, channels: int, grey: bool = False, luma: tuple[float, float, float] = LUMA
) -> Tensor:
    """Images, N x c x h x w, with 1 or 3 channels; `grey` ones by brightness, of such weights, with R = G = B."""
    if patches.shape[1] == 3 and (channels == 1 or grey):
        weights = torch.tensor(luma, device=patches.device)[:, None, None]
        patches = (patches * weights).sum(1, keepdim=True)
    return patches if patches.shape[1] == channels else patches.expand(-1, channels, -1, -1)


def overlaps(mask: Tensor, height: int, width: int) -> Tensor:
    """How many pixels of a mask a rectangle covers, for every place where it lies within the frame.

    Args:
        mask: B x 1 x H x W bool.
        height: The rectangle's height, at most H.
        width: The rectangle's width, at most W.

    Returns:
        B x (H - height + 1) x (W - width + 1) int32, by the rectangle's upper left corner.
    """
    sums = torch.nn.functional.pad(mask[:, 0].to(torch.int32), (1, 0, 1, 0)).cumsum(1, dtype=torch.int32)
    sums = sums.cumsum(2, dtype=torch.int32)
    rows = sums[:, height:] - sums[:, :-height]
    return rows[:, :, width:] - rows[:, :, :-width]


def quiet_place(
    target: Tensor, height: int, width: int, places: Sequence[Sequence[float]], overlap: float
) -> tuple[float, float]:
    """The first of some places where a rectangle covers little of the target, or else the one that covers least.

    Args:
        target: H x W bool with at least one pixel.
        height: The rectangle's height, at most H.
        width: The rectangle's width, at most W.
        places: Each the shares in [0, 1] of the free room that lie above and to the left of the rectangle.
        overlap: The share of the target that it may cover.

    Returns:
        One of the places.
    """
    cost = overlaps(target[None, None], height, width)[0]
    corners = torch.tensor(places) * torch.tensor([target.shape[0] - height, target.shape[1] - width])
    y, x = corners.round().long().to(cost.device).unbind(1)
    shares = (cost[y, x].float() / target.sum()).tolist()
    best = next((i for i, v in enumerate(shares) if v <= overlap), shares.index(min(shares)))
    return places[best][0], places[best][1]


def share(covered: Tensor, of: Tensor | None = None) -> Tensor:
    """The share of the pixels, or of a mask's pixels, that is covered.

    Args:
        covered: B x 1 x H x W, bool or alpha in [0, 1].
        of: B x 1 x H x W bool, or None for the whole image.

    Returns:
        B float32.
    """
    if covered.device.type == "cpu" and covered.dtype == torch.bool:
        return _share_of_bits(covered.numpy(), None if of is None else of.numpy())
    if of is None:
        return covered.float().flatten(1).mean(1)
    return (covered * of).float().flatten(1).sum(1) / of.flatten(1).sum(1).clamp(min=1)


def _share_of_bits(covered: NDArray[np.bool_], of: NDArray[np.bool_] | None) -> Tensor:
    """`share` of a mask on the CPU."""
    shares = []
    for i, row in enumerate(covered):
        total = row.size if of is None else max(int(np.count_nonzero(of[i])), 1)
        shares.append(int(np.count_nonzero(row if of is None else row & of[i])) / total)
    return torch.tensor(shares, dtype=torch.float32)
