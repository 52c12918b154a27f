"""ImageNet-C's spatter on bytes: drops of water that add light, and mud that covers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.functional import kernels
from hardgen.functional.bytewise import CUT, GREY, Bytes, OnBytes, cut, is_grey
from hardgen.functional.imagenet_c.weather import MUD, WATER

SLOPE = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]], dtype=np.float32)

LEAST_COVER = float(np.nextafter(np.float32(0.8), np.float32(0)))


@dataclass(frozen=True)
class Fields:
    """Smooth random fields, one for each image.

    Attributes:
        normal: B x H x W standard normal numbers.
        mean: Of the field.
        spread: Its standard deviation before it is smoothed.
        sigma: Of the smoothing.
    """

    normal: NDArray[np.float32]
    mean: float
    spread: float
    sigma: float

    def __getitem__(self, place: int) -> NDArray[Any]:
        """The field of one image."""
        smooth = _blurred(self.normal[place], self.sigma)
        return np.asarray(cv2.addWeighted(smooth, self.spread, smooth, 0.0, self.mean))


def _blurred(field: NDArray[Any], sigma: float) -> NDArray[Any]:
    kernel = kernels.gaussian(sigma)
    return np.asarray(cv2.sepFilter2D(field, -1, kernel, kernel, borderType=cv2.BORDER_REPLICATE))


def water(fields: Fields, threshold: float, strength: float) -> OnBytes:
    """Lets light fall through drops onto one image at a time."""

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        light = _light(cut(cv2.threshold(fields[part.start], threshold, 0.0, cv2.THRESH_TOZERO)[1]))
        gain = 255 * strength / max(float(light.max()), 1e-6)
        return _painted(pixels, WATER, lambda x, c: cv2.addWeighted(x, 1.0, light, gain * c, CUT, dtype=cv2.CV_8U))

    return how


def _light(liquid: NDArray[np.uint8]) -> NDArray[np.float32]:
    distance = cv2.distanceTransform(cv2.bitwise_not(cv2.Canny(liquid, 50, 150)), cv2.DIST_L2, 5)
    distance = cv2.threshold(distance, 20.0, 0.0, cv2.THRESH_TRUNC)[1]
    even = cv2.equalizeHist(cv2.blur(distance, (3, 3)).astype(np.uint8))
    slope = cv2.blur(cv2.filter2D(even, cv2.CV_8U, SLOPE), (3, 3))
    return np.asarray(cv2.multiply(liquid, slope, dtype=cv2.CV_32F), dtype=np.float32)


def mud(fields: Fields, threshold: float, smooth: float) -> OnBytes:
    """Covers one image at a time with mud, where at least 0.8 of a neighbourhood lies above the threshold."""

    def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
        cover = _blurred(cv2.threshold(fields[part.start], threshold, 1.0, cv2.THRESH_BINARY)[1], smooth)
        cover = cv2.threshold(cover, LEAST_COVER, 0.0, cv2.THRESH_TOZERO)[1]

        def hide(plane: NDArray[np.uint8], colour: float) -> NDArray[Any]:
            change = np.subtract(np.float32(255 * colour), plane)
            change *= cover
            return np.asarray(cv2.addWeighted(plane, 1.0, change, 1.0, CUT, dtype=cv2.CV_8U))

        return _painted(pixels, MUD, hide)

    return how


def _painted(pixels: Bytes, colour: Sequence[float], how: Callable[[NDArray[np.uint8], float], Any]) -> NDArray[Any]:
    """Each plane changed by its part of a colour; grey images by the colour's brightness."""
    planes: Sequence[Any] = cv2.split(pixels)
    shares = [float(GREY @ colour)] * len(planes) if is_grey(pixels) else colour
    return np.asarray(cv2.merge([how(plane, share) for plane, share in zip(planes, shares, strict=True)]))
