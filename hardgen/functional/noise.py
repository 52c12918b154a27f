"""Noise: a field that is handed in, scaled and laid on images."""

from torch import Tensor


def add_noise(images: Tensor, field: Tensor, sigma: float) -> Tensor:
    """Adds a noise field: image + sigma x field.

    Args:
        images: B x C x H x W float32.
        field: Noise of unit standard deviation, of the same shape.
        sigma: Standard deviation of what is added, in full scale.
    """
    return images.add(field, alpha=sigma)
