"""ImageNet-C's tone and colour: contrast about each channel's mean; HSV's value and saturation."""

import torch
from torch import Tensor


def scale_contrast(images: Tensor, factor: float) -> Tensor:
    """Brings every value nearer to the mean of its channel."""
    mean = images.mean((2, 3), keepdim=True)
    return mean.mul(1.0 - factor).add(images, alpha=factor)


def add_value(images: Tensor, amount: float) -> Tensor:
    """Raises HSV's value, the greatest channel, with hue and saturation kept; black becomes grey."""
    value = _greatest(images)
    raised = (value + amount).clamp_(max=1.0)
    return torch.where(value > 0, images * (raised / value.clamp(min=1e-6)), raised)


def scale_saturation(images: Tensor, factor: float, amount: float) -> Tensor:
    """Multiplies HSV's saturation and adds to it, with hue and value kept.

    Grey has the hue of red, as in scikit-image: what is added to its saturation makes it red.
    """
    if images.shape[1] == 1:
        return images.clone()
    value = _greatest(images)
    span = value - torch.minimum(torch.minimum(images[:, :1], images[:, 1:2]), images[:, 2:])
    saturation = span / value.clamp(min=1e-6)
    wanted = (saturation * factor + amount).clamp_(0.0, 1.0)
    # A channel lies below the value by a share of the span that hue alone decides.
    grey = torch.tensor([0.0, 1.0, 1.0], device=images.device)[None, :, None, None]
    below = torch.where(span > 0, (value - images) / span.clamp(min=1e-6), grey)
    return value - value * wanted * below


def _greatest(images: Tensor) -> Tensor:
    value = images[:, :1]
    for channel in range(1, images.shape[1]):
        value = torch.maximum(value, images[:, channel : channel + 1])
    return value
