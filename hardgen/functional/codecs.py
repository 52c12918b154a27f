"""Lossy codecs on 8-bit images, through OpenCV on the CPU; images on another device are copied there and back."""

import cv2
import numpy as np
import torch
from torch import Tensor

from hardgen.functional.levels import LEVELS
from hardgen.functional.pointwise import Values, on_values


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
    shape = (*images.shape[-2:], 3) if colour else tuple(images.shape[-2:])

    def one(image: Values, out: Values, i: int) -> None:
        # The codec takes R for B and back, which would exchange their weights in luma.
        pixels = cv2.convertScaleAbs(image, alpha=255.0).reshape(shape)
        _, data = cv2.imencode(kind, cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR) if colour else pixels, options)
        bits[i] = data.size * 8 / (shape[0] * shape[1])
        back = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR if colour else cv2.IMREAD_GRAYSCALE))
        back = cv2.cvtColor(back, cv2.COLOR_BGR2RGB) if colour else back
        cv2.LUT(back.reshape(out.shape), LEVELS, dst=out)

    out = on_values(images.cpu(), one)
    return out.to(images.device), bits.to(images.device)
