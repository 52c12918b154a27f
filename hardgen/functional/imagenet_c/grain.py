"""ImageNet-C's noise on bytes: fields laid on values, and values struck."""

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.functional.bytewise import CUT, Bytes, OnBytes, flat

Field = NDArray[np.float32]
"""B x H x W x C."""


def add(field: Field, sigma: float) -> OnBytes:
    """X + sigma n."""

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        x, n = flat(pixels), flat(field[part], len(pixels))
        return np.asarray(cv2.addWeighted(x, 1.0, n, 255.0 * sigma, CUT, dtype=cv2.CV_8U))

    return how


def multiply(field: Field, sigma: float) -> OnBytes:
    """X + x sigma n."""

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        x, n = flat(pixels), flat(field[part], len(pixels))
        product = cv2.multiply(x, n, dtype=cv2.CV_32F)
        return np.asarray(cv2.addWeighted(x, 1.0, product, sigma, CUT, dtype=cv2.CV_8U))

    return how


def strike(draws: Field, share: float) -> OnBytes:
    """Black where draws in [0, 1) are lowest, white where they are highest: that share of the values each."""

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        x, draw = flat(pixels), flat(draws[part], len(pixels))
        out = np.multiply(x, (draw >= share).view(np.uint8))
        white = (draw >= 1 - share).view(np.uint8)
        return np.asarray(np.bitwise_or(out, np.negative(white, out=white), out=out))

    return how
