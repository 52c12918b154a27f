"""Resize of the short side, then a central crop, of an image and all that is tied to its pixels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from hardgen.data.dataset import Sample
from hardgen.errors import HardgenError


@dataclass(frozen=True)
class Frame:
    """How images of many sizes come to one size.

    Attributes:
        resize: The short side in pixels after an antialiased bilinear resize that keeps the shape; None: as it is.
        crop: Side of the central square that is kept, in pixels; None: all. Nothing is ever padded.
    """

    resize: int | None = None
    crop: int | None = None

    def __post_init__(self) -> None:
        """Checks the two sizes."""
        for key, value in (("resize", self.resize), ("crop", self.crop)):
            if value is not None and value < 1:
                raise HardgenError(f"data.{key} must be 1 or more pixels; got {value}")
        if self.resize is not None and self.crop is not None and self.crop > self.resize:
            raise HardgenError(
                f"data.crop must be at most data.resize={self.resize} (nothing is padded); got {self.crop}"
            )

    def __call__(self, sample: Sample) -> Sample:
        """The sample at the size wanted; boxes are cut at the edge, and those that fall outside are left out.

        Raises:
            HardgenError: if the image is smaller than the crop.
        """
        image, mask = sample.image, sample.mask
        height, width = image.shape[:2]
        new_height, new_width = self._resized(height, width)
        if (new_height, new_width) != (height, width):
            size = (new_width, new_height)
            image = np.array(Image.fromarray(image).resize(size, Image.Resampling.BILINEAR))
            if mask is not None:
                mask = np.array(Image.fromarray(mask).resize(size, Image.Resampling.NEAREST))
        top = left = 0
        if self.crop is not None:
            if self.crop > min(new_height, new_width):
                raise HardgenError(
                    f"image {sample.id!r} is {new_width} x {new_height} pixels, smaller than data.crop={self.crop} "
                    "(nothing is padded); set data.resize"
                )
            top, left = (new_height - self.crop) // 2, (new_width - self.crop) // 2
            image = np.ascontiguousarray(image[top : top + self.crop, left : left + self.crop])
            mask = None if mask is None else mask[top : top + self.crop, left : left + self.crop]
        boxes = sample.boxes
        if boxes is not None:
            moved = boxes * _four(new_width / width, new_height / height) - _four(left, top)
            boxes = _inside(moved, *image.shape[:2])
        return Sample(sample.id, image, sample.label, boxes, mask)

    def _resized(self, height: int, width: int) -> tuple[int, int]:
        if self.resize is None:
            return height, width
        short = min(height, width)
        return round(height * self.resize / short), round(width * self.resize / short)


def _four(x: float, y: float) -> NDArray[np.float32]:
    return np.array([x, y, x, y], dtype=np.float32)


def _inside(boxes: NDArray[np.float32], height: int, width: int) -> NDArray[np.float32]:
    cut = np.clip(boxes, 0, [width, height, width, height]).astype(np.float32)
    return cut[(cut[:, 2] > cut[:, 0]) & (cut[:, 3] > cut[:, 1])]
