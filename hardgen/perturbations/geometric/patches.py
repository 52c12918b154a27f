"""Patches: the image cut up and put together wrongly."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.motions import Whole
from hardgen.functional.patch_flows import rearranged
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import GeometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

FINEST = 16


class Rearrangement(GeometricPerturbation):
    """Cuts the image into `grid` x `grid` cells, each of which shows a cell."""

    grid: int

    def motion(self, batch: Batch, rng: SampleRng) -> Whole:
        """By the cells that are shown."""
        return Whole(rearranged(batch.shape[-2], batch.shape[-1], int(self.grid), self.sources(rng)))

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """The flow of that."""
        return self.motion(batch, rng).flow()

    @abstractmethod
    def sources(self, rng: SampleRng) -> Tensor:
        """Which cell each cell shows, row by row, B x grid^2 int64."""


@register("patch_shuffle")
@dataclass(frozen=True)
class PatchShuffle(Rearrangement):
    """Lets patches of the image change places in pairs.

    Pairs are drawn; as the fraction grows more of them swap, and those that have swapped stay so, so that the RMSE
    never falls. With an odd number of patches one stays. A box is the bounding box of the pieces of what it held.
    """

    limits: ClassVar[str] = (
        "Square patches with hard edges: what a texture reader does not mind and a shape reader does."
    )

    fraction: float = knob(0.0, 1.0, "of the patches", "Patches that have changed places.")
    grid: int = setting(8, 2, 64, "patches", "Patches along each side.")

    def sources(self, rng: SampleRng) -> Tensor:
        """Swaps the first pairs of the drawn order."""
        count = int(self.grid) ** 2
        order = rng.permutation("order", count)
        pairs = round(self.fraction * (count // 2))
        first, second = order[:, 0 : 2 * pairs : 2], order[:, 1 : 2 * pairs : 2]
        sources = torch.arange(count, device=order.device).repeat(len(order), 1)
        return sources.scatter_(1, first, second).scatter_(1, second, first)


@register("jigsaw")
@dataclass(frozen=True)
class Jigsaw(Rearrangement):
    """Cuts the image into a grid of patches and puts every one of them in another's place.

    The grid grows ever finer; at each, the patches form one drawn ring in which each shows the next one. A box is the
    bounding box of the pieces of what it held.
    """

    limits: ClassVar[str] = (
        "Square patches with hard edges: what a texture reader does not mind and a shape reader does."
    )
    exemptions: ClassVar[dict[str, str]] = {
        "monotone.grid": "another grid is another arrangement: finer patches may by chance land on their like "
        "(all of 30 photographs fall at some step, by 0.102 of full scale at most)",
    }

    grid: int = knob(1, FINEST, "patches a side", "Patches along each side.", Scale.LOG)

    def sources(self, rng: SampleRng) -> Tensor:
        """Each patch shows the next of the ring."""
        count = self.grid**2
        ring = rng.uniform("order", FINEST * FINEST)[:, :count].argsort(stable=True, dim=1)
        return torch.empty_like(ring).scatter_(1, ring, ring.roll(-1, 1))
