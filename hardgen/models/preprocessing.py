"""From images in [0, 1] of any size to what a network takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import interpolate

from hardgen.errors import HardgenError


@dataclass(frozen=True)
class Preprocess:
    """Resize, crop, normalise; all on float tensors, so that no 8-bit rounding comes in.

    An image that already has the size of the crop is neither resized nor cropped, since the data were framed for it.

    Attributes:
        resize: Short side after an antialiased resize, px; None: as it is.
        crop: Side of the central square, px; None: all.
        exact: Height and width to bring every image to, whatever its shape, instead of `resize` and `crop`.
        scale: Multiplies the pixels before `mean` is subtracted.
        mean: Of each channel, subtracted; empty: nothing.
        std: Of each channel, divided by; empty: nothing.
        mode: `bilinear` or `bicubic`.
    """

    resize: int | None = None
    crop: int | None = None
    exact: tuple[int, int] | None = None
    scale: float = 1.0
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    mode: str = "bilinear"

    def __post_init__(self) -> None:
        """Checks sizes and channel statistics."""
        for key, value in (("resize", self.resize), ("crop", self.crop)):
            if value is not None and value < 1:
                raise HardgenError(f"model.{key} must be 1 or more pixels; got {value}")
        for key, values in (("mean", self.mean), ("std", self.std)):
            if len(values) not in (0, 1, 3):
                raise HardgenError(f"model.{key} must have one number or three; got {list(values)}")
        if any(value <= 0 for value in self.std):
            raise HardgenError(f"model.std must be above 0; got {list(self.std)}")

    def __call__(self, images: Tensor) -> Tensor:
        """B x 3 x H x W in [0, 1] to the network's input.

        Raises:
            HardgenError: if an image is smaller than the crop and `resize` is not given.
        """
        height, width = images.shape[-2:]
        if self.exact is not None:
            images = self._scaled(images, *self.exact)
        elif (height, width) != (self.crop, self.crop):
            if self.resize is not None:
                short = min(height, width)
                images = self._scaled(images, height * self.resize // short, width * self.resize // short)
            if self.crop is not None:
                images = _cropped(images, self.crop)
        if self.scale != 1:
            images = images * self.scale
        if self.mean:
            images = _by_channel(torch.Tensor.sub, images, self.mean)
        if self.std:
            images = _by_channel(torch.Tensor.div, images, self.std)
        return images

    def _scaled(self, images: Tensor, height: int, width: int) -> Tensor:
        if tuple(images.shape[-2:]) == (height, width):
            return images
        return interpolate(images, (height, width), mode=self.mode, antialias=True).clamp(0, 1)


def raw_pixels(images: Tensor, dtype: Any) -> NDArray[Any]:
    """B x C x H x W in [0, 1] as 8-bit pixels: 0 to 255 for uint8, -128 to 127 for int8.

    Raises:
        HardgenError: for another type.
    """
    pixels = images.mul(255).round().to(torch.int16).numpy()
    if dtype == np.uint8:
        return pixels.astype(np.uint8)
    if dtype == np.int8:
        return (pixels - 128).astype(np.int8)
    raise HardgenError(f"a network's whole-number input must be uint8 or int8; got {np.dtype(dtype).name}")


def _cropped(images: Tensor, side: int) -> Tensor:
    height, width = images.shape[-2:]
    if side > min(height, width):
        raise HardgenError(f"model.crop={side} is larger than the images, {width} x {height} pixels; set model.resize")
    top, left = round((height - side) / 2), round((width - side) / 2)
    return images[..., top : top + side, left : left + side]


def _by_channel(how: Callable[[Tensor, Tensor], Tensor], images: Tensor, values: Sequence[float]) -> Tensor:
    """Combines every channel with its number; channels_last images row by row, in a third of the time."""
    numbers = torch.tensor(values, dtype=images.dtype, device=images.device)
    count, channels, height, width = images.shape
    if images.device.type != "cpu" or not images.is_contiguous(memory_format=torch.channels_last):
        return how(images, numbers[:, None, None])
    rows = images.permute(0, 2, 3, 1).reshape(count * height, width * channels)
    return how(rows, numbers.expand(channels).repeat(width)).reshape(count, height, width, channels).permute(0, 3, 1, 2)
