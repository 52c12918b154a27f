"""Images as bytes with a table of what each byte stands for: to change values one by one is to change the table."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional.levels import decode
from hardgen.functional.parallel import spread

GROUP = 1 << 16
"""Values that small images are gathered to."""

GRID = (torch.arange(256, dtype=torch.float32) / 255)[None, None, None]
"""What bytes stand for in 8-bit files, as an image of 256 pixels."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A batch on the CPU as bytes.

    Attributes:
        codes: B x H x W x C uint8; read-only.
        tables: The values of the 256 codes in [0, 1], in the form of images, 1 or B x 1 or C x 1 x 256 float32: one
            table for all, or one for each image, or for each of its channels.
    """

    codes: NDArray[np.uint8]
    tables: Tensor = GRID
    _counts: dict[bool, Tensor] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, images: Sequence[NDArray[np.uint8]]) -> "Coded":
        """Decoded images of one size, H x W x C each."""
        return cls(np.ascontiguousarray(images))

    @property
    def pixels(self) -> Tensor:
        """The codes as B x C x H x W uint8."""
        return torch.from_numpy(self.codes).permute(0, 3, 1, 2)

    @property
    def shape(self) -> tuple[int, ...]:
        """B, C, H, W."""
        return tuple(self.pixels.shape)

    @property
    def device(self) -> torch.device:
        """The CPU."""
        return torch.device("cpu")

    def at(self, places: Sequence[int]) -> "Coded":
        """The images at these places."""
        tables = self.tables if len(self.tables) == 1 else self.tables[list(places)]
        return Coded(self.codes[list(places)], tables)

    def recoded(self, tables: Tensor) -> "Coded":
        """The same bytes, which stand for other values."""
        return dataclasses.replace(self, tables=tables.clamp(0.0, 1.0))

    def rounded(self) -> "Coded":
        """The nearest values that an 8-bit file can hold."""
        return self.recoded(self.tables.mul(255.0).round_().div_(255.0))

    def decoded(self) -> Tensor:
        """The images, B x C x H x W float32, channels_last."""
        out = torch.empty(self.codes.shape, dtype=torch.float32)
        tables = self._lut()
        source, result = self.codes.reshape(-1, *self.codes.shape[2:]), out.numpy().reshape(-1, *out.shape[2:])
        # Images that share their table go several at a time if they are small, as one high picture.
        group = max(1, GROUP // self.codes[0].size) if len(tables) == 1 else 1
        rows = group * self.codes.shape[1]

        def some(number: int) -> None:
            part = slice(number * rows, (number + 1) * rows)
            if self.tables is GRID:
                decode(source[part], result[part])
            else:
                cv2.LUT(source[part], tables[number % len(tables)], dst=result[part])

        spread(some, -(-len(out) // group), out.numel())
        return out.permute(0, 3, 1, 2)

    def image(self, i: int) -> NDArray[np.float32]:
        """One image, H x W x C."""
        codes = self.codes[i]
        values = decode(codes) if self.tables is GRID else cv2.LUT(codes, self._lut()[i % len(self.tables)])
        return np.asarray(values, dtype=np.float32).reshape(codes.shape)

    def _lut(self) -> NDArray[np.float32]:
        """The tables as OpenCV wants them: 1 or B x 1 x 256 x 1 or C."""
        return self.tables.permute(0, 2, 3, 1).numpy()

    def counts(self, each_channel: bool = False) -> Tensor:
        """How often each code stands in an image, or in each of its channels: B x 1 or C x 1 x 256 float32."""
        if each_channel not in self._counts:
            images = self.codes if each_channel else self.codes.reshape(*self.codes.shape[:2], -1, 1)
            channels = images.shape[-1]
            found = np.empty((len(images), channels, 256, 1), np.float32)

            def one(i: int) -> None:
                for c in range(channels):
                    cv2.calcHist([images[i]], [c], None, [256], [0, 256], hist=found[i, c])

            spread(one, len(images), images.size)
            self._counts[each_channel] = torch.from_numpy(found).permute(0, 1, 3, 2)
        return self._counts[each_channel]

    def means(self) -> Tensor:
        """The mean of every channel, B x C float32."""
        if self.tables is GRID:
            return torch.tensor([cv2.mean(x) for x in self.codes])[:, : self.codes.shape[3]] / 255
        return (self.counts(True) * self.tables).sum((2, 3)) / self.codes[0, ..., 0].size

    def distance(self, other: "Coded") -> Tensor | None:
        """Root mean square difference of each image to another's, B float32, where it can be had without floats."""
        if self.codes is other.codes:
            squares = (self.tables - other.tables).square()
            counts = self.counts(each_channel=squares.shape[1] > 1)
            return (counts * squares).sum((1, 2, 3)).div_(self.codes[0].size).sqrt_()
        if self.tables is GRID and other.tables is GRID:
            norms = [cv2.norm(a, b) for a, b in zip(self.codes, other.codes, strict=True)]
            return torch.tensor(norms, dtype=torch.float32).div_(255 * self.codes[0].size ** 0.5)
        return None
