"""What float images come from when they are asked for: floats, or the bytes of an 8-bit file, in one pass."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.coded import GRID, GROUP, Coded
from hardgen.functional.parallel import spread
from hardgen.functional.pointwise import on_values, one_by_one

Floats: TypeAlias = NDArray[np.float32]
Bytes: TypeAlias = NDArray[np.uint8]


class Source(Protocol):
    """What float images can be had from."""

    @property
    def shape(self) -> tuple[int, ...]:
        """B, C, H, W."""

    @property
    def device(self) -> torch.device:
        """Where they lie."""

    def decoded(self) -> Tensor:
        """The images, B x C x H x W float32 in [0, 1], channels_last."""

    def rounded(self) -> "Tensor | Source":
        """The nearest images that an 8-bit file can hold."""


def to_codes(images: Tensor) -> NDArray[np.uint8]:
    """CPU images rounded to bytes, B x H x W x C; values outside [0, 1] count as black or white."""
    sources = images.contiguous(memory_format=torch.channels_last).permute(0, 2, 3, 1).numpy()
    codes = np.empty(sources.shape, np.uint8)
    flat = [x.reshape(len(x) * x.shape[1], -1) for x in (sources, codes)]
    rows = max(1, GROUP // sources[0, 0].size)

    def some(number: int) -> None:
        source, result = (x[number * rows : (number + 1) * rows] for x in flat)
        cv2.addWeighted(source, 255.0, source, 0.0, 0.0, dst=result, dtype=cv2.CV_8U)

    spread(some, -(-len(flat[0]) // rows), codes.size)
    return codes


@dataclass(frozen=True, eq=False)
class Unclamped:
    """Float images whose values may lie outside [0, 1]: they are cut off there when they are asked for.

    Attributes:
        images: B x C x H x W float32; read-only.
    """

    images: Tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """B, C, H, W."""
        return tuple(self.images.shape)

    @property
    def device(self) -> torch.device:
        """Where they lie."""
        return self.images.device

    def decoded(self) -> Tensor:
        """The images in [0, 1], channels_last."""
        if not one_by_one(self.images):
            return self.images.clamp(0.0, 1.0).contiguous(memory_format=torch.channels_last)
        # torch would use threads of its own within these
        return on_values(self.images, lambda x, out, i: np.clip(x, 0.0, 1.0, out=out))

    def rounded(self) -> "Tensor | Coded":
        """The nearest images that an 8-bit file can hold."""
        if self.images.device.type != "cpu":
            return self.decoded().mul_(255.0).round_().div_(255.0)
        return Coded(to_codes(self.images))


@dataclass(frozen=True)
class Making:
    """How each image is made anew by itself, on the CPU: H x W x C, in the processor's cache from decoding to rounding.

    Attributes:
        floats: Called with an image's values, read only, and with its place in the batch; gives the new ones, which may
            lie outside [0, 1], H x W x C or, for one channel, H x W. It must not depend on the order of calls.
        levels: The same on the bytes of 8-bit files, where there is a faster way to what rounding would give.
    """

    floats: Callable[[Floats, int], NDArray[Any]]
    levels: Callable[[Bytes, int], NDArray[Any]] | None = None


def make(origin: Tensor | Coded, making: Making) -> Tensor:
    """New images, B x C x H x W float32, channels_last; their values may lie outside [0, 1].

    Args:
        origin: Bytes, or B x C x H x W float32 on the CPU; read-only.
        making: How.
    """
    return _each(origin, making, lambda made, result, _: np.copyto(result, made))


def _each(origin: Tensor | Coded, making: Making, put: Callable[[Floats, Floats, int], object]) -> Tensor:
    """Calls `put` with every new image, with where it belongs, and with its place."""
    count, channels, height, width = origin.shape
    out = torch.empty(count, height, width, channels)
    results = out.numpy()

    def one(i: int) -> None:
        put(making.floats(_image(origin, i), i).reshape(results[i].shape), results[i], i)

    spread(one, count, out.numel())
    return out.permute(0, 3, 1, 2)


def _image(origin: Tensor | Coded, i: int) -> Floats:
    if isinstance(origin, Coded):
        return origin.image(i)
    return np.ascontiguousarray(origin[i].permute(1, 2, 0).numpy())


@dataclass(frozen=True, eq=False)
class Made:
    """Images that are made one by one from others, when they are asked for.

    Attributes:
        origin: Bytes, or B x C x H x W float32 on the CPU; read-only.
        making: How.
        grey: For each image whether it has three channels that are to stay equal: they take the first one's new values.
    """

    origin: Tensor | Coded
    making: Making
    grey: Sequence[bool]

    @property
    def shape(self) -> tuple[int, ...]:
        """B, C, H, W."""
        return tuple(self.origin.shape)

    @property
    def device(self) -> torch.device:
        """The CPU."""
        return torch.device("cpu")

    def decoded(self) -> Tensor:
        """The images in [0, 1], channels_last."""

        def put(made: Floats, result: Floats, i: int) -> None:
            np.clip(made[..., :1] if self.grey[i] else made, 0.0, 1.0, out=result)

        return _each(self.origin, self.making, put)

    def rounded(self) -> Coded:
        """The nearest images that an 8-bit file can hold."""
        count, channels, height, width = self.shape
        codes = np.empty((count, height, width, channels), np.uint8)
        bytes_ = self.origin.codes if isinstance(self.origin, Coded) and self.origin.tables is GRID else None

        def one(i: int) -> None:
            if bytes_ is not None and self.making.levels is not None:
                np.copyto(codes[i], self.making.levels(bytes_[i], i).reshape(codes[i].shape))
            else:
                made = self.making.floats(_image(self.origin, i), i).reshape(codes[i].shape)
                cv2.addWeighted(made, 255.0, made, 0.0, 0.0, dst=codes[i], dtype=cv2.CV_8U)
            if self.grey[i]:
                codes[i] = codes[i, ..., :1]

        spread(one, count, codes.size)
        return Coded(codes)
