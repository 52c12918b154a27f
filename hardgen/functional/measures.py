"""How far one image is from another."""

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import avg_pool2d

from hardgen.functional.filters import separable
from hardgen.functional.kernels import window
from hardgen.functional.parallel import spread

LARGE = 1 << 15
"""Values of an image from which going image by image, in the CPU's cache, is faster than the batch at once."""

WINDOW, SIGMA, K1, K2 = 11, 1.5, 0.01, 0.03
"""Side and standard deviation of SSIM's window in pixels, and its constants for a range of 1."""

WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""What each scale counts in MS-SSIM, the finest first."""


def finish(images: Tensor, clean: Tensor) -> tuple[Tensor, Tensor]:
    """Brings images to [0, 1] and measures how far they are from the clean ones, in one go.

    Args:
        images: B x C x H x W float32; not written to.
        clean: The same shape, in [0, 1].

    Returns:
        The images in [0, 1], channels_last, and the root mean square difference of each, B float32.
    """
    if images.device.type != "cpu" or images[0].numel() < LARGE:
        done = images.clamp(0.0, 1.0).contiguous(memory_format=torch.channels_last)
        return done, rmse(done, clean)
    done = torch.empty_like(images, memory_format=torch.channels_last)
    distances = torch.empty(len(images))

    def one(i: int) -> None:
        new, a, b = (x[i].permute(1, 2, 0).numpy() for x in (images, done, clean))
        np.clip(new, 0.0, 1.0, out=a)  # torch would use threads of its own within these
        distances[i] = cv2.norm(a.reshape(len(a), -1), b.reshape(len(b), -1))

    spread(one, len(images), images.numel())
    return done, distances.div_(images[0].numel() ** 0.5)


class Finish:
    """`finish` of images that come one at a time, in place, while they are in the CPU's cache.

    On the CPU only.

    Attributes:
        distances: The root mean square difference of each from the clean ones, B float32.
    """

    def __init__(self, clean: Tensor) -> None:
        self.distances = torch.empty(len(clean))
        self._clean = clean.permute(0, 2, 3, 1).numpy()
        self._out = self.distances.numpy()

    def __call__(self, image: NDArray[np.float32], place: int) -> None:
        """Finishes the H x W x C image at a place of the batch."""
        np.clip(image, 0.0, 1.0, out=image)
        rows = len(image)
        distance = cv2.norm(image.reshape(rows, -1), self._clean[place].reshape(rows, -1))
        self._out[place] = distance / image.size**0.5


def rmse(images: Tensor, clean: Tensor) -> Tensor:
    """Root mean square difference of each image, in full scale.

    Args:
        images: B x C x H x W float32.
        clean: The same shape.

    Returns:
        B float32.
    """
    a, b = (x.permute(0, 2, 3, 1).reshape(len(x), -1) for x in (images, clean))
    if a.device.type != "cpu" or a.shape[1] < LARGE:
        distances: Tensor = torch.linalg.vector_norm(a - b, dim=1)
    else:
        distances = torch.empty(len(a))

        def one(i: int) -> None:
            distances[i] = cv2.norm(a[i].numpy(), b[i].numpy())

        spread(one, len(a), a.numel())
    return distances.div_(a.shape[1] ** 0.5)


def ssim(images: Tensor, clean: Tensor) -> Tensor:
    """Structural similarity of each image to the clean one (Z. Wang et al. 2004, IEEE Trans. Image Process. 13).

    Gaussian window of 11 px and sigma 1.5, population statistics, averaged over channels and over the pixels whose
    window lies inside the frame (over all, with a replicated border, where the frame is no larger than the window).

    Args:
        images: B x C x H x W float32 in [0, 1].
        clean: The same shape.

    Returns:
        B float32, at most 1.
    """
    return _similarity(images, clean)[0]


def ms_ssim(images: Tensor, clean: Tensor) -> Tensor:
    """Multi-scale structural similarity of each image to the clean one (Z. Wang et al. 2003, Asilomar, pp. 1398-1402).

    Five scales, each half of the one before; of a frame too small for five (a short side under 176 px) the finest ones
    that fit, their weights scaled to the same sum. Negative terms count as 0.

    Args:
        images: B x C x H x W float32 in [0, 1].
        clean: The same shape.

    Returns:
        B float32 in [0, 1].
    """
    scales = max(sum(min(images.shape[-2:]) >= WINDOW * 2**s for s in range(len(WEIGHTS))), 1)
    weights = [w / sum(WEIGHTS[:scales]) for w in WEIGHTS[:scales]]
    product = torch.ones(len(images), device=images.device)
    for scale, weight in enumerate(weights):
        full, structure = _similarity(images, clean)
        product *= (full if scale == scales - 1 else structure).clamp(min=0) ** weight
        if scale < scales - 1:
            images, clean = avg_pool2d(images, 2), avg_pool2d(clean, 2)
    return product


def _similarity(images: Tensor, clean: Tensor) -> tuple[Tensor, Tensor]:
    """SSIM and its factor of contrast and structure, B float32 each."""
    kernel = window(WINDOW, SIGMA)
    blur = [separable(x, kernel) for x in (images, clean, images * images, clean * clean, images * clean)]
    edge = WINDOW // 2
    if min(images.shape[-2:]) > WINDOW:
        blur = [x[:, :, edge:-edge, edge:-edge] for x in blur]
    mean_a, mean_b, square_a, square_b, both = blur
    product = mean_a * mean_b
    variance_a, variance_b, covariance = square_a - mean_a**2, square_b - mean_b**2, both - product
    structure = (2 * covariance + K2**2) / (variance_a + variance_b + K2**2)
    light = (2 * product + K1**2) / (mean_a**2 + mean_b**2 + K1**2)
    return (light * structure).mean((1, 2, 3)), structure.mean((1, 2, 3))
