"""What the corruptions of ImageNet-C share: five severities, three tables, and whether faults are kept."""

import enum
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor

from hardgen.functional.levels import truncate
from hardgen.knobs import knob
from hardgen.perturbation import Perturbation, PhotometricPerturbation
from hardgen.rng import SampleRng


class Table(enum.Enum):
    """Which table of parameters: each is made for images of one size, and lengths in it are pixels."""

    imagenet = "imagenet"
    """ImageNet-C, 224 px."""
    tiny = "tiny"
    """Tiny ImageNet-C, 64 px."""
    cifar = "cifar"
    """CIFAR-10-C and CIFAR-100-C, 32 px."""


Rows = Mapping[Table, tuple[Any, ...]]
"""Five settings, one a severity, for each table."""


@dataclass(frozen=True)
class Corruption(Perturbation):
    """A corruption of ImageNet-C, followed step for step as the package imagecorruptions 1.1.2 computes it.

    Severities are the benchmark's own word for its five settings. The tables' pixels are those of their benchmark; an
    image of another size meets the same pixels. Variants are cut off, not rounded, to 8 bits, as the reference does.
    """

    rows: ClassVar[Rows]

    severity: int = knob(0, hardest=5, unit="of 5 severities", doc="The benchmark's setting.")
    table: Table = Table.imagenet
    faithful: bool = True

    @property
    def row(self) -> Any:
        """The settings of the severity."""
        return self.rows[self.table][self.severity - 1]

    @property
    def on_grid(self) -> bool:
        """The reference gives bytes."""
        return self.faithful

    @property
    def published(self) -> str:
        """The corruption's name in the benchmark."""
        return self.name.removeprefix("imagenet_c_")


@dataclass(frozen=True)
class PhotometricCorruption(Corruption, PhotometricPerturbation):
    """A corruption that leaves things where they are."""

    in_bytes: ClassVar[bool] = False
    """Whether `corrupt` works on bytes itself, so that nothing is left to cut off."""

    @property
    def on_grid(self) -> bool:
        """The reference gives bytes."""
        return self.faithful or self.in_bytes

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Corrupts, and cuts off to 8 bits where faithful."""
        made = self.corrupt(images, rng)
        return truncate(made) if self.faithful and not self.in_bytes else made

    @abstractmethod
    def corrupt(self, images: Tensor, rng: SampleRng) -> Tensor:
        """What the corruption does, before values are cut off to 8 bits."""
