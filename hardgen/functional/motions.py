"""Motions: how the pixels of a batch move, and images, masks and boxes with them."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional import flows
from hardgen.functional.parallel import by_image
from hardgen.functional.sampling import (
    MADE_OF_EDGES,
    Border,
    Picture,
    displacement,
    move_boxes,
    remapped,
    resample,
    surround,
)
from hardgen.functional.sources import Making

GRID = 32
"""Places along each side at which the way of a projective map is measured."""
FAR_OFF = 1e9
"""Pixels: farther than any image."""
WIDEST = 4.0
"""Times the image's area up to which it is mirrored into a border that is then moved along."""


@dataclass(frozen=True)
class Motion:
    """Any motion.

    Attributes:
        fields: K x H x W x 2 float32, flows (see `flows`).
        places: Which of them each image moves along; its own where left out.
    """

    fields: Tensor
    places: Tensor | None = None

    def flow(self) -> Tensor:
        """Where each pixel is taken from, B x H x W x 2."""
        return self.fields if self.places is None else self.fields[self.places]

    def move(self, images: Tensor, border: Border) -> Tensor:
        """Images after it, bilinear."""
        return resample(images, self.flow(), border=border)

    def making(self, border: Border) -> Making:
        """The same for images one by one, on the CPU."""
        ways = self.fields.numpy()
        which = range(len(ways)) if self.places is None else self.places.tolist()

        def one(image: Picture, i: int) -> Picture:
            return remapped(image, ways[which[i]], border)

        return Making(one, one)

    def move_masks(self, masks: Tensor) -> Tensor:
        """Masks after it, nearest, with an empty border."""
        return resample(masks.float(), self.flow(), nearest=True) > 0.5

    def move_boxes(self, boxes: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Boxes after it, see `sampling.move_boxes`."""
        return move_boxes(boxes, self.flow())

    def way(self) -> Tensor:
        """Root mean square way of an image's pixels in fractions of its short side, B."""
        ways = displacement(self.fields.float())
        return ways if self.places is None else ways[self.places]


@dataclass(frozen=True)
class Whole(Motion):
    """A motion by whole pixels within the frame.

    Attributes:
        fields: K x H x W x 2 int16.
    """

    def flow(self) -> Tensor:
        """As `Motion.flow`."""
        return super().flow().float()

    def making(self, border: Border) -> Making:
        """As `Motion.making`; every pixel is a copy."""
        ways = super().flow().numpy()

        def one(image: Picture, i: int) -> Picture:
            return cv2.remap(image, ways[i], None, cv2.INTER_NEAREST)

        return Making(one, one)


@dataclass(frozen=True)
class Planar:
    """A motion of a flat sheet: no field is needed to move images by it.

    Attributes:
        maps: B x 3 x 3 float32, from the moved image to where it is taken from, about the centre.
        size: Height and width in pixels.
    """

    maps: Tensor
    size: tuple[int, int]

    def flow(self) -> Tensor:
        """As `Motion.flow`."""
        return flows.planar(*self.size, self.maps)

    def move(self, images: Tensor, border: Border) -> Tensor:
        """As `Motion.move`."""
        return resample(images, self.flow(), border=border)

    def making(self, border: Border) -> Making:
        """As `Motion.making`."""
        if border in MADE_OF_EDGES and not self._parallel:
            return Motion(self.flow()).making(border)
        matrices = self._in_pixels()

        def one(image: Picture, i: int) -> Picture:
            return _warped(image, matrices[i], border)

        return Making(one, one)

    def move_masks(self, masks: Tensor) -> Tensor:
        """As `Motion.move_masks`."""
        if masks.device.type != "cpu":
            return resample(masks.float(), self.flow(), nearest=True) > 0.5
        matrices = self._in_pixels()

        def one(mask: Picture, i: int) -> Picture:
            return _warp(mask, matrices[i], cv2.INTER_NEAREST, np.empty_like(mask))

        return by_image(masks.float(), one) > 0.5

    def move_boxes(self, boxes: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """As `Motion.move_boxes`."""
        return move_boxes(boxes, self.flow())

    def way(self) -> Tensor:
        """As `Motion.way`: of a grid of places for projective maps, exact for the others."""
        height, width = self.size
        if self._parallel:
            strain = (self._matrices[:, :2] - np.eye(3)[:2]) ** 2 * ((width**2 - 1) / 12, (height**2 - 1) / 12, 1.0)
            way = np.sqrt(strain.sum((1, 2))) / min(height, width)
            return torch.from_numpy(way.astype(np.float32)).to(self.maps.device)
        y, x = (_places(n).to(self.maps.device) for n in self.size)
        middle = torch.tensor([(width - 1) / 2, (height - 1) / 2], device=self.maps.device)
        moved = flows.sources(x[None, :], y[:, None], self.maps, height, width) - middle
        moved[..., 0] -= x[None, None, :]
        moved[..., 1] -= y[None, :, None]
        return moved.square().sum(-1).mean((1, 2)).sqrt() / min(height, width)

    @functools.cached_property
    def _matrices(self) -> NDArray[np.float64]:
        """The maps, B x 3 x 3."""
        return self.maps.cpu().numpy().astype(np.float64)

    @functools.cached_property
    def _parallel(self) -> bool:
        """Whether every map keeps parallels parallel."""
        return bool((self._matrices[:, 2] == (0.0, 0.0, 1.0)).all())

    def _in_pixels(self) -> NDArray[np.float64]:
        """The maps between pixels counted from the upper left."""
        height, width = self.size
        middle, back = np.eye(3), np.eye(3)
        middle[:2, 2] = (width - 1) / 2, (height - 1) / 2
        back[:2, 2] = -middle[:2, 2]
        return middle @ self._matrices @ back


def _places(side: int) -> Tensor:
    """Up to `GRID` places spread evenly over a side, from its middle."""
    count = min(side, GRID)
    return ((torch.arange(count) + 0.5) / count - 0.5) * side


def _warped(image: Picture, matrix: NDArray[np.float64], border: Border) -> Picture:
    """Moves an image by a map, by OpenCV, without its slow borders where there is a way."""
    height, width = image.shape[:2]
    out = np.empty_like(image)
    x0, y0, x1, y1 = _ends(matrix, -0.5, -0.5, width - 0.5, height - 0.5)
    left, top, right, bottom = (max(math.ceil(b) + 1, 0) for b in (-x0, -y0, x1 - width, y1 - height))
    if not left + top + right + bottom:
        _warp(image, matrix, cv2.INTER_LINEAR, out)
    elif border is Border.mirror and (left + width + right) * (top + height + bottom) <= WIDEST * height * width:
        image = cv2.copyMakeBorder(image, top, bottom, left, right, cv2.BORDER_REFLECT_101)
        matrix = matrix.copy()
        matrix[:2, 2] += left, top
        _warp(image, matrix, cv2.INTER_LINEAR, out)
    elif border is Border.blur:
        mode, value = surround(image, border, out)
        x0, y0, x1, y1 = _ends(cv2.invert(matrix)[1], -1.0, -1.0, width, height)
        x = slice(math.floor(max(x0, 0.0)), math.ceil(min(x1 + 1, width)))
        y = slice(math.floor(max(y0, 0.0)), math.ceil(min(y1 + 1, height)))
        if x.start < x.stop and y.start < y.stop:
            shift = np.array([[1.0, 0.0, x.start], [0.0, 1.0, y.start], [0.0, 0.0, 1.0]])
            _warp(image, matrix @ shift, cv2.INTER_LINEAR, out[y, x], mode, value)
    else:
        _warp(image, matrix, cv2.INTER_LINEAR, out, *surround(image, border, out))
    return out


def _ends(matrix: NDArray[Any], left: float, top: float, right: float, bottom: float) -> tuple[float, ...]:
    """Least x and y, greatest x and y of a rectangle under a map; without end where it crosses the horizon."""
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    corners = ((left, top), (right, top), (left, bottom), (right, bottom))
    depths = [g * x + h * y + i for x, y in corners]
    if min(depths) <= 1e-6:
        return -FAR_OFF, -FAR_OFF, FAR_OFF, FAR_OFF
    xs = [(a * x + b * y + c) / w for (x, y), w in zip(corners, depths, strict=True)]
    ys = [(d * x + e * y + f) / w for (x, y), w in zip(corners, depths, strict=True)]
    return min(xs), min(ys), max(xs), max(ys)


def _warp(
    image: Picture,
    matrix: NDArray[np.float64],
    how: int,
    out: Picture,
    mode: int = cv2.BORDER_CONSTANT,
    value: Sequence[float] = (0.0,),
) -> Picture:
    """Moves an image by a map into `out`."""
    size, flags = (out.shape[1], out.shape[0]), how | cv2.WARP_INVERSE_MAP
    if matrix[2].tolist() == [0.0, 0.0, 1.0]:
        cv2.warpAffine(image, matrix[:2], size, out, flags, mode, value)
    else:
        cv2.warpPerspective(image, matrix, size, out, flags, mode, value)
    return out
