"""Lossy codecs on 8-bit images, through OpenCV on the CPU; images on another device are copied there and back."""

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.parallel import by_image


def jpeg(images: Tensor, quality: int) -> tuple[Tensor, Tensor]:
    """Writes and reads JPEG with libjpeg's quality and colour at half the resolution (4:2:0).

    Returns:
        The images, B x C x H x W, and the bits per pixel of each file, B float32.
    """
    sampling = [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420]
    return _coded(images, ".jpg", [cv2.IMWRITE_JPEG_QUALITY, quality, *sampling])


def webp(images: Tensor, quality: int) -> tuple[Tensor, Tensor]:
    """Writes and reads lossy WebP.

    Returns:
        The images, B x C x H x W, and the bits per pixel of each file, B float32.
    """
    return _coded(images, ".webp", [cv2.IMWRITE_WEBP_QUALITY, quality])


def _coded(images: Tensor, kind: str, options: list[int]) -> tuple[Tensor, Tensor]:
    bits = torch.zeros(len(images))
    colour = images.shape[1] == 3

    def one(image: NDArray[np.float32], i: int) -> NDArray[np.float32]:
        # The codec takes R for B and back, which would exchange their weights in luma.
        pixels = cv2.convertScaleAbs(image, alpha=255.0)
        if colour:
            pixels = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
        _, data = cv2.imencode(kind, pixels, options)
        bits[i] = data.size * 8 / (image.shape[0] * image.shape[1])
        back = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR if colour else cv2.IMREAD_GRAYSCALE))
        if colour:
            back = np.asarray(cv2.cvtColor(back, cv2.COLOR_BGR2RGB))
        return back.astype(np.float32) * np.float32(1 / 255)

    out = by_image(images.cpu(), one)
    return out.to(images.device), bits.to(images.device)
