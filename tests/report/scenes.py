"""Pictures that look like photographs, and stand-ins for perturbations."""

import numpy as np
from PIL import Image, ImageFilter

from tests.report.simulated_axes import Axis


def scene(index: int, size: int) -> Image.Image:
    """A landscape with a thing in it: sky, ground, a shaded body, grain."""
    rng = np.random.default_rng(index)
    y, x = np.mgrid[0:size, 0:size] / size
    horizon = 0.55 + 0.06 * np.sin(6 * x + index)
    sky = np.stack([0.45 + 0.3 * y, 0.62 + 0.2 * y, 0.9 - 0.05 * y], -1)
    ground = np.stack([0.35 + 0.1 * x, 0.42 - 0.15 * (y - 0.5), 0.2 + 0.05 * y], -1)
    image = np.where((y > horizon)[..., None], ground, sky)
    cx, cy, r = rng.uniform(0.35, 0.65), rng.uniform(0.45, 0.65), rng.uniform(0.16, 0.26)
    body = ((x - cx) / r) ** 2 + ((y - cy) / (r * rng.uniform(0.6, 1.2))) ** 2
    shade = np.clip(1.1 - 0.6 * ((x - cx) + (y - cy)) / r, 0.2, 1.3)
    image = np.where((body < 1)[..., None], rng.uniform(0.15, 0.9, 3) * shade[..., None], image)
    image = image + rng.normal(0, 0.015, image.shape)
    return Image.fromarray((np.clip(image, 0, 1) * 255).astype(np.uint8))


def harder(picture: Image.Image, axis: Axis, h: float) -> Image.Image:
    """A stand-in for the real perturbations."""
    size, value = picture.width, axis.value(h)
    pixels = np.asarray(picture, np.float64)
    if axis.slot == "occlusion":
        side = round(size * value**0.5)
        start = (size - side) // 2
        pixels = pixels.copy()
        pixels[start : start + side, start : start + side] = 118
    elif axis.slot == "contrast":
        pixels = pixels.mean() + (pixels - pixels.mean()) * value
    elif axis.slot == "grating":
        step = max(2, round(value * size))
        pixels = np.where((np.arange(size) % step < max(1, step // 3))[None, :, None], 20, pixels)
    else:
        return picture.filter(ImageFilter.GaussianBlur(h * 0.1 * size))
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
