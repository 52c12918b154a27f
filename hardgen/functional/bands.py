"""Bands of spatial frequency cut off by Gaussians, with a border of one grey value or a replicated one."""

import cv2
import numpy as np
import torch
from torch import Tensor

from hardgen.functional import filters, kernels
from hardgen.functional.kernels import Kernel
from hardgen.functional.parallel import by_image

WIDEST = 16.0
"""Standard deviation, of the long side, above which a Gaussian is flat over the image."""

HALF = 0.18739
"""Frequency at which a Gaussian's gain is one half, times its standard deviation: sqrt(ln 2 / 2) / pi."""


def low_pass(images: Tensor, sigma: float, pad: float | None) -> Tensor:
    """Gaussian blur with a border of one value, as in `scipy.ndimage.gaussian_filter(mode="constant", cval=pad)`.

    Args:
        images: B x C x H x W float32.
        sigma: Standard deviation in pixels, above 0; it may be infinite.
        pad: What lies outside the image; None replicates the border.

    Returns:
        The same shape, channels_last.
    """
    sigma = min(sigma, WIDEST * max(images.shape[-2:]))
    if pad is None:
        return filters.gaussian_blur(images, sigma)
    kernel = kernels.gaussian(sigma)
    short = len(kernel) <= filters.LONG * sum(images.shape[-2:]) / 2
    if images.device.type == "cpu" and short:
        return padded_opencv(images, kernel, pad)
    return padded_matrix(images, kernel, pad)


def padded_opencv(images: Tensor, kernel: Kernel, pad: float) -> Tensor:
    """Rows and columns filtered with a symmetric kernel by OpenCV, for CPU tensors, `pad` outside the image."""
    return by_image(
        images,
        lambda x, _: (
            cv2.sepFilter2D(x - np.float32(pad), -1, kernel, kernel, borderType=cv2.BORDER_CONSTANT) + np.float32(pad)
        ),
    )


def padded_matrix(images: Tensor, kernel: Kernel, pad: float) -> Tensor:
    """The same as two matrix products, for every device; its cost does not depend on the kernel."""
    height, width = images.shape[-2:]
    down, across = (_band(kernel, n).to(images.device) for n in (height, width))
    out = torch.empty_like(images, memory_format=torch.channels_last)
    step = 1 if images.device.type == "cpu" else len(images)
    for i in range(0, len(images), step):
        part = images[i : i + step].contiguous().sub(pad)
        out[i : i + step] = (down @ part @ across).add_(pad)
    return out


def _band(kernel: Kernel, size: int) -> Tensor:
    """The size x size matrix that filters a column of pixels, nothing outside it."""
    radius = len(kernel) // 2
    apart = np.abs(np.arange(size)[:, None] - np.arange(size)[None, :])
    return torch.from_numpy(np.where(apart <= radius, kernel[np.minimum(radius + apart, 2 * radius)], 0.0)).float()
