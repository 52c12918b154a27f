"""Images as bytes with a table of what each byte stands for: to change values one by one is to change the table."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

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
    def shape(self) -> tuple[int, int, int, int]:
        """B, C, H, W."""
        count, height, width, channels = self.codes.shape
        return count, channels, height, width

    def recoded(self, tables: Tensor) -> "Coded":
        """The same bytes, which stand for other values."""
        return dataclasses.replace(self, tables=tables.clamp(0.0, 1.0))

    def rounded(self) -> "Coded":
        """The nearest values that an 8-bit file can hold."""
        return self.recoded(self.tables.mul(255.0).round_().div_(255.0))

    def decoded(self) -> Tensor:
        """The images, B x C x H x W float32, channels_last."""
        out = np.empty(self.codes.shape, np.float32)
        tables = np.ascontiguousarray(self.tables.permute(0, 2, 3, 1).numpy())  # 1 or B x 1 x 256 x 1 or C
        if tables.shape[-1] == 1:
            source, result = (x.reshape(len(x) * x.shape[1], -1) for x in (self.codes, out))
        else:
            source, result = (x.reshape(-1, *x.shape[2:]) for x in (self.codes, out))
        # Images that share their table go several at a time if they are small, as one high picture.
        group = max(1, GROUP // out[0].size) if len(tables) == 1 else 1
        rows = group * out.shape[1]

        def some(number: int) -> None:
            part = slice(number * rows, (number + 1) * rows)
            cv2.LUT(source[part], tables[number % len(tables)], dst=result[part])

        spread(some, -(-len(out) // group), out.size)
        return torch.from_numpy(out).permute(0, 3, 1, 2)

    def counts(self, each_channel: bool = False) -> Tensor:
        """How often each code stands in an image, or in each of its channels: B x 1 or C x 1 x 256 float32."""
        if each_channel not in self._counts:
            images = self.codes if each_channel else self.codes.reshape(*self.codes.shape[:2], -1, 1)
            channels = images.shape[-1]
            found = np.empty((len(images), channels, 256, 1), np.float32)

            def one(i: int) -> None:
                for c in range(channels):
                    cv2.calcHist(images[i : i + 1], [c], None, [256], [0, 256], hist=found[i, c])

            spread(one, len(images), images.size)
            self._counts[each_channel] = torch.from_numpy(found).permute(0, 1, 3, 2)
        return self._counts[each_channel]

    def means(self) -> Tensor:
        """The mean of every channel, B x C float32."""
        return (self.counts(True) * self.tables).sum((2, 3)) / self.codes[0, ..., 0].size

    def distance(self, other: "Coded") -> Tensor:
        """Root mean square difference of each image to the same bytes with other tables, B float32."""
        squares = (self.tables - other.tables).square()
        counts = self.counts(each_channel=squares.shape[1] > 1)
        return (counts * squares).sum((1, 2, 3)).div_(self.codes[0].size).sqrt_()
