"""What the corruptions of ImageNet-C share: five severities, three tables, and whether faults are kept."""

import enum
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.bytewise import OnBytes, change
from hardgen.functional.coded import Coded
from hardgen.functional.levels import to_grid, truncate
from hardgen.functional.sources import to_codes
from hardgen.knobs import knob
from hardgen.perturbation import Doses, Perturbation, PhotometricPerturbation
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
    """A corruption that leaves things where they are.

    It is written twice: for floats on any device, and, where it gives bytes on the CPU, for bytes.
    """

    in_bytes: ClassVar[bool] = False
    """Whether it works on bytes alone, so that nothing is left to cut off."""
    alone: ClassVar[bool] = False
    """Whether `bytewise` takes one image at a time."""

    @property
    def on_grid(self) -> bool:
        """The reference gives bytes."""
        return self.faithful or self.in_bytes

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Corrupts as bytes where it may, else as floats."""
        if not (self.on_grid and batch.device.type == "cpu"):
            return super().apply(batch, rng)
        codes = change(batch.bytes(), self.bytewise(torch.Size(batch.shape), rng), self.alone)
        return batch.coded_anew(codes), {}

    def _corrupt_bytes(self, images: Tensor, rng: SampleRng) -> Tensor:
        codes = change(to_codes(images.cpu()), self.bytewise(images.shape, rng), self.alone)
        return Coded(codes).decoded().to(images.device)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Corrupts, and cuts off to 8 bits where faithful."""
        if self.in_bytes:
            return self._corrupt_bytes(images, rng)
        return truncate(self.corrupt(to_grid(images), rng)) if self.faithful else self.corrupt(images, rng)

    @abstractmethod
    def bytewise(self, shape: torch.Size, rng: SampleRng) -> OnBytes:
        """What the corruption does to bytes on the CPU, cut off to bytes again; for a batch of this shape."""

    def corrupt(self, images: Tensor, rng: SampleRng) -> Tensor:
        """What the corruption does to floats, before values are cut off; unless it works on bytes alone."""
        raise NotImplementedError
