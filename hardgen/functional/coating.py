"""Coatings: a layer that covers an exact share of an image, in an order of its own, and fades in along that order."""

from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.occlusion import cover
from hardgen.functional.parallel import by_image, spread

FAINTEST = 0.2
"""Opacity of a soft coating where it has just come."""


def covered_by_rank(ranks: Tensor, fraction: float) -> Tensor:
    """The pixels of lowest rank in each image, B x 1 x H x W bool; a larger fraction covers all of a smaller one.

    Args:
        ranks: B x H x W float32.
        fraction: Of each image's pixels; their number is rounded.
    """
    covered = torch.empty(ranks.shape, dtype=torch.bool, device=ranks.device)

    def one(i: int) -> None:
        covered[i] = cover(ranks[i], fraction)

    spread(one, len(ranks), ranks.numel())
    return covered[:, None]


def fade(ranks: Tensor, covered: Tensor, softness: float) -> Tensor:
    """Opacity of a coating that thickens while it lies: that of a larger cover is nowhere fainter.

    Args:
        ranks: B x H x W float32.
        covered: B x 1 x H x W bool, as `covered_by_rank` gives them.
        softness: How far, in ranks, a pixel lies before the last one that is covered where it is fully opaque; 0 for a
            hard edge.

    Returns:
        B x 1 x H x W float32 in [0, 1].
    """
    if softness == 0:
        return covered.float()
    opacity = torch.empty(covered.shape, device=ranks.device)

    def one(i: int) -> None:
        inside = covered[i, 0]
        last = ranks[i].masked_fill(~inside, -torch.inf).amax().clamp(min=-1e9)
        torch.sub(last, ranks[i], out=opacity[i, 0])
        opacity[i, 0].div_(softness).clamp_(FAINTEST, 1.0).mul_(inside)

    spread(one, len(ranks), ranks.numel())
    return opacity


def laid_over(pixels: NDArray[Any], layer: NDArray[np.uint8], opacity: NDArray[np.uint8]) -> NDArray[Any]:
    """One image under a layer; bytes are rounded to the nearest.

    Args:
        pixels: H x W x C, float32 in [0, 1] or bytes.
        layer: H x W x C.
        opacity: H x W.

    Returns:
        H x (W C) of the same type.
    """
    rows, channels = len(pixels), pixels.shape[2]
    hidden = (opacity if channels == 1 else cv2.cvtColor(opacity, cv2.COLOR_GRAY2RGB)).reshape(rows, -1)
    under, above = pixels.reshape(rows, -1), layer.reshape(rows, -1)
    if pixels.dtype == np.uint8:
        # Sums of products of bytes with parts of 255 are whole numbers below 2^16.
        parts = np.multiply(under, cv2.bitwise_not(hidden), dtype=np.uint16)
        parts += np.multiply(above, hidden, dtype=np.uint16)
        return np.asarray(cv2.convertScaleAbs(parts, alpha=1 / 255))
    change = cv2.addWeighted(above, 1 / 255, under, -1.0, 0.0, dtype=cv2.CV_32F)
    return np.asarray(cv2.add(under, cv2.multiply(change, hidden, scale=1 / 255, dtype=cv2.CV_32F)))


def level(ranks: NDArray[np.uint16], fraction: float) -> int:
    """The rank below which a fraction of the pixels lie, of which those at that very rank may be left out."""
    wanted = min(round(fraction * ranks.size), ranks.size - 1)
    return int(np.partition(ranks, wanted, axis=None)[wanted])


def thickened(ranks: NDArray[np.uint16], last: int, softness: float) -> NDArray[np.uint8]:
    """Opacity of a layer that thickens while it lies, in bytes: from 0 at the last rank to 255 where it is full.

    Args:
        ranks: H x W.
        last: As `level` gave it.
        softness: How far, in ranks, a pixel lies before the last one where it is fully opaque.
    """
    before = np.maximum(ranks, np.uint16(last)) - ranks
    return np.asarray(cv2.convertScaleAbs(before, alpha=255 / softness), dtype=np.uint8)


def blend(images: Tensor, colour: Tensor, light: Tensor | None, opacity: Tensor) -> Tensor:
    """Lays colour over images; where the opacity is 0 they stay bit for bit.

    Args:
        images: B x C x H x W float32; left as they are.
        colour: B x C x 1 x 1 or B x C x H x W.
        light: What the colour is multiplied by, B x 1 x H x W, or None for 1.
        opacity: B x 1 x H x W in [0, 1].

    Returns:
        B x C x H x W float32.
    """
    if images.device.type == "cpu":
        return blend_opencv(images, colour, light, opacity)
    return blend_torch(images, colour, light, opacity)


def blend_torch(images: Tensor, colour: Tensor, light: Tensor | None, opacity: Tensor) -> Tensor:
    """`blend` by torch, on any device."""
    layer = colour if light is None else colour * light
    return torch.lerp(images, layer.expand_as(images), opacity.expand_as(images))


def blend_opencv(images: Tensor, colour: Tensor, light: Tensor | None, opacity: Tensor) -> Tensor:
    """`blend` by OpenCV, for CPU tensors: an image stays in the cache."""
    colours, channels = colour.permute(0, 2, 3, 1), images.shape[1]

    def one(image: NDArray[np.float32], i: int) -> NDArray[Any]:
        pixels = image if channels == 3 else image[..., 0]
        if light is not None:
            shade = light[i, 0].numpy()
            layer: Any = cv2.merge([shade * np.float32(c) for c in colours[i].flatten().tolist()])
        elif colours.shape[1:3] == (1, 1):
            layer = np.empty_like(pixels)
            layer[...] = colours[i, 0, 0].numpy()
        else:
            layer = colours[i].numpy().reshape(pixels.shape)
        share = opacity[i, 0].contiguous().numpy()
        shares = cv2.merge([share] * 3) if channels == 3 else share
        change = cv2.multiply(cv2.subtract(layer, pixels), shares)
        return cv2.add(pixels, change)

    return by_image(images, one)
