"""ImageNet-C's fog, snow, frost and spatter."""

from collections.abc import Sequence

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.filters import gaussian_blur
from hardgen.functional.imagenet_c.blurs import Offsets, drag, zoomed
from hardgen.functional.tone import luminance

WATER, MUD = (175 / 255, 238 / 255, 238 / 255), (63 / 255, 42 / 255, 20 / 255)


def map_side(height: int, width: int) -> int:
    """Side of the fog's map: the power of two that holds the image, at least 2."""
    return 1 << max((max(height, width) - 1).bit_length(), 1)


def plasma(draws: Tensor, decay: float) -> Tensor:
    """A height map by midpoint displacement on a torus (diamond-square), stretched to [0, 1].

    Each point is the mean of four around it and a random step; steps are uniform and shrink from level to level.

    Args:
        draws: B x (S S - 1) float32 uniform in [0, 1), S a power of two: for steps of half the side S, a quarter ...:
            n x n for the middles of the squares, of their upper and of their left edges, n = 1, 2, 4 ...
        decay: Steps shrink by its square from one level to the next (the reference multiplies it in twice); above 1.

    Returns:
        B x S x S float32.
    """
    batch, n, start, step = len(draws), 1, 0, 1.0
    corners = torch.zeros(batch, 1, 1, device=draws.device)
    while start < draws.shape[1]:
        middle, upper, left = draws[:, start : start + 3 * n * n].view(batch, 3, n, n).unbind(1)
        lines = corners + corners.roll(-1, 1)
        centre = (lines + lines.roll(-1, 2)) / 4 + (middle * 2 - 1) * step
        above = (centre + centre.roll(1, 1) + corners + corners.roll(-1, 2)) / 4 + (upper * 2 - 1) * step
        beside = (centre + centre.roll(1, 2) + corners + corners.roll(-1, 1)) / 4 + (left * 2 - 1) * step
        rows = torch.stack((torch.stack((corners, above), 3), torch.stack((beside, centre), 3)), 2)
        corners, step = rows.reshape(batch, 2 * n, 2 * n), step / decay**2
        start, n = start + 3 * n * n, 2 * n
    low, high = corners.amin((1, 2), keepdim=True), corners.amax((1, 2), keepdim=True)
    return corners.sub_(low).div_(high - low)


def fog(images: Tensor, heights: Tensor, amount: float) -> Tensor:
    """Adds a height map as light, and scales the whole to the image's greatest value."""
    brightest = images.amax((1, 2, 3), keepdim=True)
    height, width = images.shape[-2:]
    veil = heights[:, None, :height, :width] * amount
    return images.add(veil).mul_(brightest / (brightest + amount))


def flakes(normal: Tensor, mean: float, spread: float, zoom: float, threshold: float) -> Tensor:
    """A layer of snow: the brightest parts of an enlarged noise field.

    Args:
        normal: B x 1 x H x W standard normal numbers.
        mean: Of the noise.
        spread: Its standard deviation.
        zoom: Enlargement, at least 1.
        threshold: Values below it are no snow.

    Returns:
        B x 1 x H x W float32 in [0, 1].
    """
    layers = [zoomed(layer[0].numpy(), zoom) for layer in normal.cpu() * spread + mean]
    snow = torch.from_numpy(np.stack(layers))[:, None].to(normal.device)
    return torch.where(snow < threshold, 0.0, snow).clamp_(0.0, 1.0)


def snow(images: Tensor, layer: Tensor, each: Sequence[Offsets], keep: float) -> Tensor:
    """Whitens the image and lets the layer fall over it twice, once upside down.

    Args:
        images: B x C x H x W float32.
        layer: B x 1 x H x W, from `flakes`.
        each: How each image's layer is dragged.
        keep: Share of the image beside its whitened version.
    """
    falling = drag(layer, each).mul_(255.0).round_().div_(255.0)
    white = torch.maximum(images, luminance(images) * 1.5 + 0.5)
    return torch.lerp(white, images, keep).add_(falling).add_(falling.flip(2, 3))


def blobs(normal: Tensor, mean: float, spread: float, sigma: float) -> Tensor:
    """A smooth random field, B x 1 x H x W, whose high parts are drops."""
    return gaussian_blur(normal * spread + mean, sigma)


def water(field: Tensor, threshold: float, strength: float) -> Tensor:
    """How much light drops of water add, B x 1 x H x W in [0, strength]: bright rims and insides by their distance.

    By OpenCV on 8 bits, as in the reference; CUDA tensors go to the CPU for it and back.
    """
    return torch.stack([torch.from_numpy(_drops(f[0].numpy(), threshold, strength)) for f in field.cpu()])[:, None].to(
        field.device
    )


def _drops(field: NDArray[np.float32], threshold: float, strength: float) -> NDArray[np.float32]:
    liquid = np.where(field < threshold, 0, field * 255).clip(0, 255).astype(np.uint8)
    distance = cv2.distanceTransform(255 - cv2.Canny(liquid, 50, 150), cv2.DIST_L2, 5)
    even = cv2.equalizeHist(cv2.blur(np.minimum(distance, 20.0), (3, 3)).astype(np.uint8))
    slope = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]], dtype=np.float32)
    light = liquid * cv2.blur(cv2.filter2D(even, cv2.CV_8U, slope), (3, 3)).astype(np.float32)
    return (light * np.float32(strength / max(float(light.max()), 1e-6))).astype(np.float32)


def mud(field: Tensor, threshold: float, smooth: float) -> Tensor:
    """How much mud hides of each pixel, B x 1 x H x W: 0, or 0.8 to 1."""
    cover = gaussian_blur((field > threshold).float(), smooth)
    return torch.where(cover < 0.8, 0.0, cover)


def coloured(layer: Tensor, colour: tuple[float, float, float], channels: int) -> Tensor:
    """A layer in a colour, B x channels x H x W; in the colour's brightness where there is one channel."""
    weights = torch.tensor(colour, device=layer.device)[None, :, None, None]
    return layer * (luminance(weights) if channels == 1 else weights)
