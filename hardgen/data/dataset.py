"""What a source of images gives: samples of one size, each with a stable id."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hardgen.errors import HardgenError, samples


@dataclass(frozen=True, eq=False)
class Sample:
    """One image with what is known of it.

    Attributes:
        id: Stable name, by which every random draw is keyed: a relative POSIX path, or `000123-1f3a90bc` (index and
            content) for sources that have no files.
        image: H x W x 3 uint8 after resize and crop; R = G = B for grey sources.
        label: Index into the dataset's classes.
        boxes: n x 4 float32: x0, y0, x1, y1 in pixels of `image`, the right and lower edge exclusive; or None.
        mask: H x W bool, the target's pixels; or None.
    """

    id: str
    image: NDArray[np.uint8]
    label: int
    boxes: NDArray[np.float32] | None = None
    mask: NDArray[np.bool_] | None = None


class UnreadableImage(HardgenError):
    """An image that cannot be decoded.

    Attributes:
        id: The sample's id.
        reason: Why, in one line.
    """

    def __init__(self, id: str, reason: str):
        super().__init__(id, reason)
        self.id, self.reason = id, reason

    def __str__(self) -> str:
        return f"cannot read image {self.id!r}: {self.reason}"


class Dataset(Protocol):
    """Images by index. Picklable, so that worker processes can decode.

    Attributes:
        name: Short name for tables and reports.
        classes: Class names; the index is the label.
    """

    @property
    def name(self) -> str:
        """Short name for tables and reports."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names; the index is the label."""

    def __len__(self) -> int:
        """The number of images."""

    def __getitem__(self, index: int) -> Sample:
        """Decodes one image.

        Raises:
            UnreadableImage: if its file is missing, broken or of a kind that cannot be shown in 8 bits.
        """

    def ids(self) -> list[str]:
        """The sample ids, in order."""

    def labels(self) -> list[int]:
        """The labels, in order; -1 only for an image that could not be read to learn it."""

    def fingerprint(self) -> str:
        """A hash of the content (pixels or file bytes, labels, boxes, resize and crop), not of dates or places."""


def check_ids(ids: Sequence[str], owner: str) -> None:
    """Refuses samples of one id: they would share their draws, and their rows in tables.

    Raises:
        HardgenError: naming them.
    """
    twice = [id for id, count in Counter(ids).items() if count > 1]
    if twice:
        raise HardgenError(f"{owner} must give every sample an id of its own; it gives {samples(twice)} more than once")
