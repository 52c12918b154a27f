"""Handwritten digits on a roomy canvas: real images that need no download."""

import enum
import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_digits

from hardgen.data.dataset import Sample
from hardgen.data.framing import Frame
from hardgen.data.read_image import grey_to_rgb
from hardgen.data.subset import balanced
from hardgen.files import digest
from hardgen.rng import sample_generator

CANVAS = 64
"""Side of the canvas, px."""
SMALLEST, LARGEST = 20, 36
"""Side of the square that a digit is drawn in, px; the ink is about three quarters as wide as the square."""
GROUND, INK = 40, 235
"""Brightness of the canvas and of full ink, of 255."""
MARGIN = 2
"""Least distance from the square to the canvas's edge, px."""
TEST_PER_CLASS = 50
_VISIBLE = 16
"""Pixels this much brighter than the ground count as ink."""


class Split(enum.Enum):
    """Which digits: `test`, 50 of each class that the bundled model never saw, or `train`, the others."""

    test = "test"
    train = "train"


@dataclass(frozen=True)
class Digits:
    """The 1,797 handwritten digits that ship inside scikit-learn, each drawn on a 64 x 64 canvas.

    Source: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository
    (1998): 8 x 8 pixels with 17 levels. They are enlarged to 20 to 36 px (bicubic). Size and place depend on the
    sample's id alone, and the box is the ink's.

    Attributes:
        split: `test` (500 images) or `train` (1,297).
        resize: Short side in pixels after resizing; None: as it is.
        crop: Side of the central square that is kept, in pixels; None: all.
        limit: A class-balanced number of images; None: all.
    """

    split: Split = Split.test
    resize: int | None = None
    crop: int | None = None
    limit: int | None = None

    def build(self) -> "DigitsDataset":
        """The dataset."""
        scans, labels = scanned()
        chosen = [i for i in range(len(labels)) if (i in _test_indices()) == (self.split is Split.test)]
        kept = [chosen[i] for i in balanced([labels[j] for j in chosen], self.limit)]
        name = f"digits-{self.split.name}"
        return DigitsDataset(name, kept, scans[kept], [labels[i] for i in kept], Frame(self.resize, self.crop))


class DigitsDataset:
    """Digits drawn on demand."""

    classes = tuple("0123456789")

    def __init__(
        self, name: str, numbers: list[int], scans: NDArray[np.uint8], labels: list[int], frame: Frame
    ) -> None:
        """Keeps the scans.

        Args:
            name: Short name for tables and reports.
            numbers: Each digit's place in scikit-learn's set.
            scans: n x 8 x 8 uint8, 0 to 16.
            labels: 0 to 9.
            frame: Resize and crop.
        """
        self.name, self.frame = name, frame
        self._numbers, self.scans, self._labels = numbers, scans, labels

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: int) -> Sample:
        """Draws one digit."""
        name = sample_id(self._numbers[index])
        canvas = draw(self.scans[index], sample_generator(0, "digits", name, "place"))
        ink = canvas > GROUND + _VISIBLE
        ys, xs = np.nonzero(ink)
        box = np.array([[xs.min(), ys.min(), xs.max() + 1, ys.max() + 1]], dtype=np.float32)
        return self.frame(Sample(name, grey_to_rgb(canvas), self._labels[index], box))

    def ids(self) -> list[str]:
        """`digits-000123`: the digit's place in scikit-learn's set."""
        return [sample_id(number) for number in self._numbers]

    def labels(self) -> list[int]:
        """The digits."""
        return list(self._labels)

    def fingerprint(self) -> str:
        """Hash of the drawn pixels, ids, labels and boxes."""
        return self._fingerprint

    @functools.cached_property
    def _fingerprint(self) -> str:
        samples = [self[i] for i in range(len(self))]
        return digest(*(part for s in samples for part in (s.id, str(s.label), s.image.tobytes(), repr(s.boxes))))


def sample_id(number: int) -> str:
    """The id of a digit by its place in scikit-learn's set."""
    return f"digits-{number:06d}"


def draw(scan: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """An 8 x 8 scan (0 to 16) in a drawn size at a drawn place, 64 x 64 uint8."""
    side = int(rng.integers(SMALLEST, LARGEST + 1))
    top, left = MARGIN + rng.integers(0, CANVAS - side - 2 * MARGIN + 1, 2)
    image = Image.fromarray(scan.astype(np.float32) / 16)
    ink = np.asarray(image.resize((side, side), Image.Resampling.BICUBIC)).clip(0, 1)
    canvas = np.full((CANVAS, CANVAS), GROUND, dtype=np.uint8)
    canvas[top : top + side, left : left + side] = np.rint(GROUND + (INK - GROUND) * ink)
    return canvas


@functools.cache
def scanned() -> tuple[NDArray[np.uint8], list[int]]:
    """All scans, 1797 x 8 x 8 uint8, 0 to 16, and their labels."""
    found = load_digits()
    return found.images.astype(np.uint8), [int(label) for label in found.target]


@functools.cache
def _test_indices() -> frozenset[int]:
    """The first 50 of each class in the order of the hash of their ids."""
    labels = scanned()[1]
    ranked = sorted(range(len(labels)), key=lambda i: digest("digits test split", sample_id(i)))
    return frozenset(i for c in range(10) for i in [j for j in ranked if labels[j] == c][:TEST_PER_CLASS])
