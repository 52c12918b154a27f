"""Lossy codecs on the bytes of 8-bit images, through OpenCV on the CPU."""

from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.bytewise import Bytes, change


def jpeg(codes: NDArray[np.uint8], quality: int) -> tuple[NDArray[np.uint8], Tensor]:
    """Writes and reads JPEG with libjpeg's quality and colour at half the resolution (4:2:0).

    Args:
        codes: B x H x W x C.
        quality: libjpeg's, 1 to 100.

    Returns:
        The images, B x H x W x C, and the bits per pixel of each file, B float32.
    """
    sampling = [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420]
    return _coded(codes, ".jpg", [cv2.IMWRITE_JPEG_QUALITY, quality, *sampling])


def jpeg_bytes(pixels: Bytes, quality: int) -> NDArray[np.uint8]:
    """Writes one image as JPEG with libjpeg's quality and defaults, and reads it back."""
    return _read(_written(pixels, ".jpg", [cv2.IMWRITE_JPEG_QUALITY, quality]), pixels)


def webp(codes: NDArray[np.uint8], quality: int) -> tuple[NDArray[np.uint8], Tensor]:
    """Writes and reads lossy WebP.

    Args:
        codes: B x H x W x C.
        quality: libwebp's, 1 to 100.

    Returns:
        The images, B x H x W x C, and the bits per pixel of each file, B float32.
    """
    return _coded(codes, ".webp", [cv2.IMWRITE_WEBP_QUALITY, quality])


def _coded(codes: NDArray[np.uint8], kind: str, options: list[int]) -> tuple[NDArray[np.uint8], Tensor]:
    sizes = torch.zeros(len(codes))

    def one(pixels: Bytes, place: slice) -> NDArray[np.uint8]:
        file = _written(pixels, kind, options)
        sizes[place.start] = file.size
        return _read(file, pixels)

    return change(codes, one, alone=True), sizes * 8 / codes[0, ..., 0].size


def _written(pixels: Bytes, kind: str, options: list[int]) -> NDArray[Any]:
    ordered = pixels if pixels.shape[2] == 1 else cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    return np.asarray(cv2.imencode(kind, ordered, options)[1])


def _read(file: NDArray[Any], like: Bytes) -> NDArray[np.uint8]:
    how = cv2.IMREAD_GRAYSCALE if like.shape[2] == 1 else cv2.IMREAD_COLOR_RGB
    return np.asarray(cv2.imdecode(file, how), np.uint8)
