"""Motions: how the pixels of a batch move, and images, masks and boxes with them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional import flows
from hardgen.functional.parallel import by_image
from hardgen.functional.sampling import MADE_OF_EDGES, Border, Picture, bordered, displacement, move_boxes, resample

GRID = 32
"""Places along each side at which the way of a projective map is measured."""
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
        return resample(images, self.fields, border=border, places=self.places)

    def move_masks(self, masks: Tensor) -> Tensor:
        """Masks after it, nearest, with an empty border."""
        return resample(masks.float(), self.fields, nearest=True, places=self.places) > 0.5

    def move_boxes(self, boxes: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Boxes after it, see `sampling.move_boxes`."""
        return move_boxes(boxes, self.flow())

    def way(self) -> Tensor:
        """Root mean square way of an image's pixels in fractions of its short side, B."""
        ways = displacement(self.fields)
        return ways if self.places is None else ways[self.places]


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
        if images.device.type != "cpu" or (border in MADE_OF_EDGES and not self._parallel()):
            return resample(images, self.flow(), border=border)
        matrices = self._in_pixels()
        return by_image(images, lambda x, i: _warped(x, matrices[i], border))

    def move_masks(self, masks: Tensor) -> Tensor:
        """As `Motion.move_masks`."""
        if masks.device.type != "cpu":
            return resample(masks.float(), self.flow(), nearest=True) > 0.5
        matrices = self._in_pixels()
        return by_image(masks.float(), lambda x, i: _warp(x, matrices[i], cv2.INTER_NEAREST)) > 0.5

    def move_boxes(self, boxes: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """As `Motion.move_boxes`."""
        return move_boxes(boxes, self.flow())

    def way(self) -> Tensor:
        """As `Motion.way`: of a grid of places for projective maps, exact for the others."""
        height, width = self.size
        if self._parallel():
            strain = (self.maps - torch.eye(3, device=self.maps.device)).double().square()
            across, down = strain[:, :2, 0].sum(1) * (width**2 - 1), strain[:, :2, 1].sum(1) * (height**2 - 1)
            square = (across + down) / 12 + strain[:, :2, 2].sum(1)
            return square.sqrt().float() / min(height, width)
        y, x = (_places(n).to(self.maps.device) for n in self.size)
        middle = torch.tensor([(width - 1) / 2, (height - 1) / 2], device=self.maps.device)
        moved = flows.sources(x[None, :], y[:, None], self.maps, height, width) - middle
        moved[..., 0] -= x[None, None, :]
        moved[..., 1] -= y[None, :, None]
        return moved.square().sum(-1).mean((1, 2)).sqrt() / min(height, width)

    def _parallel(self) -> bool:
        """Whether every map keeps parallels parallel."""
        return bool((self.maps[:, 2].cpu() == torch.tensor([0.0, 0.0, 1.0])).all())

    def _in_pixels(self) -> NDArray[np.float64]:
        """The maps between pixels counted from the upper left."""
        height, width = self.size
        middle = np.eye(3)
        middle[:2, 2] = (width - 1) / 2, (height - 1) / 2
        maps: NDArray[np.float64] = middle @ self.maps.double().numpy() @ np.linalg.inv(middle)
        return maps


def _places(side: int) -> Tensor:
    """Up to `GRID` places spread evenly over a side, from its middle."""
    count = min(side, GRID)
    return ((torch.arange(count) + 0.5) / count - 0.5) * side


def _warped(image: Picture, matrix: NDArray[np.float64], border: Border) -> Picture:
    """An H x W x C image under a map, by OpenCV."""
    if border is Border.mirror:
        height, width = image.shape[:2]
        ends = matrix[:2] @ np.array([[0, width - 1, 0, width - 1], [0, 0, height - 1, height - 1], [1, 1, 1, 1]])
        beyond = np.concatenate((-ends.min(1), ends.max(1) - (width - 1, height - 1)))
        left, top, right, bottom = (max(math.ceil(b) + 1, 0) if b > 0 else 0 for b in beyond.tolist())
        if (left + width + right) * (top + height + bottom) <= WIDEST * height * width:
            # Moving is quickest where nothing lies beyond the frame.
            image = cv2.copyMakeBorder(image, top, bottom, left, right, cv2.BORDER_REFLECT_101)
            matrix = matrix.copy()
            matrix[:2, 2] += left, top
            return _warp(image, matrix, cv2.INTER_LINEAR, size=(width, height))
    return bordered(image, lambda x, mode, value=0.0: _warp(x, matrix, cv2.INTER_LINEAR, mode, value), border)


def _warp(
    image: Picture,
    matrix: NDArray[np.float64],
    how: int,
    mode: int = cv2.BORDER_CONSTANT,
    value: Sequence[float] | float = 0.0,
    size: tuple[int, int] | None = None,
) -> Picture:
    size, flags = size or (image.shape[1], image.shape[0]), how | cv2.WARP_INVERSE_MAP
    if matrix[2].tolist() == [0.0, 0.0, 1.0]:
        return cv2.warpAffine(image, matrix[:2], size, flags=flags, borderMode=mode, borderValue=value)
    return cv2.warpPerspective(image, matrix, size, flags=flags, borderMode=mode, borderValue=value)
