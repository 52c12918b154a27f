"""ImageNet-C's tone and colour on bytes: `tone` plane by plane, by tables of what a value or a span gives."""

import functools
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.functional.bytewise import Bytes, OnBytes, cut

Table = NDArray[np.float32]
SURE = np.float32(0.001)
"""Levels added before a cast to bytes: what float32 cannot tell from the next byte counts as that."""


def scale_contrast(factor: float, height: int) -> OnBytes:
    """Brings every value nearer to the mean of its channel in the image, which is `height` rows of the pixels."""

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        channels = pixels.shape[2]
        images = pixels.reshape(-1, height, pixels.shape[1] * channels)
        means = [cv2.mean(x)[:channels] for x in pixels.reshape(-1, height, *pixels.shape[1:])]
        rest = np.tile(np.array(means, np.float32) * np.float32(1 - factor), (1, pixels.shape[1]))[:, None]
        out = np.multiply(images, np.float32(factor), dtype=np.float32)
        out += rest
        return cut(out.reshape(len(pixels), -1), 1.0)

    return how


def add_value(amount: float) -> OnBytes:
    """Raises HSV's value, the greatest channel, with hue and saturation kept; black becomes grey."""
    raised, ratio, extra = _raise(amount)

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        if pixels.shape[2] == 1:
            return np.asarray(cv2.LUT(pixels, raised))
        planes = cv2.split(pixels)
        value = cv2.max(cv2.max(planes[0], planes[1]), planes[2])
        by, offset = cv2.LUT(value, ratio), cv2.LUT(value, extra)
        return np.asarray(cv2.merge([_cast(np.multiply(plane, by, dtype=np.float32), offset) for plane in planes]))

    return how


def _cast(product: Table, offset: NDArray[Any]) -> NDArray[np.uint8]:
    product += offset
    return product.astype(np.uint8)


@functools.lru_cache(maxsize=32)
def _raise(amount: float) -> tuple[NDArray[np.uint8], Table, Table]:
    """For each value: what it becomes as a byte, by how much channels grow, and what is added to them."""
    value = np.arange(256)
    level = np.minimum(value + 255 * amount, 255.0)
    extra = np.full(256, SURE)
    extra[0] += np.float32(level[0])
    return (level + SURE).astype(np.uint8), (level / np.maximum(value, 1)).astype(np.float32), extra


def scale_saturation(factor: float, amount: float) -> OnBytes:
    """Multiplies HSV's saturation and adds to it, with hue and value kept; grey has the hue of red."""
    shares = _shares(factor, amount)

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        if pixels.shape[2] == 1:
            return pixels
        planes = cv2.split(pixels)
        value, least = _extremes(planes)
        place = value.astype(np.uint16)
        place <<= 8
        place |= least
        share = np.take(shares, place, mode="clip")
        start = value.astype(np.float32)
        start += SURE
        made = []
        for plane in planes:
            below = np.multiply(np.subtract(value, plane), share)
            made.append(np.subtract(start, below, out=below).astype(np.uint8))
        if amount:
            grey = value == least
            if grey.any():
                pale = (start[grey] - (start[grey] - SURE) * np.float32(min(amount, 1.0))).astype(np.uint8)
                made[1][grey] = made[2][grey] = pale
        return np.asarray(cv2.merge(made))

    return how


def _extremes(planes: Sequence[Any]) -> tuple[Bytes, Bytes]:
    most = cv2.max(cv2.max(planes[0], planes[1]), planes[2])
    least = cv2.min(cv2.min(planes[0], planes[1]), planes[2])
    return np.asarray(most, np.uint8), np.asarray(least, np.uint8)


@functools.lru_cache(maxsize=32)
def _shares(factor: float, amount: float) -> Table:
    """By value and least channel: the new span as a multiple of the old one, 0 for grey."""
    value, least = np.arange(256.0)[:, None], np.arange(256.0)[None, :]
    span = np.maximum(value - least, 0)
    wanted = np.clip(span / np.maximum(value, 1) * factor + amount, 0, 1) * value
    return np.where(span > 0, wanted / np.maximum(span, 1), 0).astype(np.float32).ravel()
