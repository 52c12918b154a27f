"""Patches: the image cut up and put together wrongly."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional.patch_flows import rearranged
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import GeometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

FINEST = 16


@register("patch_shuffle")
@dataclass(frozen=True)
class PatchShuffle(GeometricPerturbation):
    """Lets patches of the image change places in pairs.

    Pairs are drawn; as the fraction grows more of them swap, and those that have swapped stay so, so that the RMSE
    never falls. With an odd number of patches one stays. A box is the bounding box of the pieces of what it held.
    """

    limits: ClassVar[str] = (
        "Square patches with hard edges: what a texture reader does not mind and a shape reader does."
    )

    fraction: float = knob(0.0, 1.0, "of the patches", "Patches that have changed places.")
    grid: int = setting(8, 2, 64, "patches", "Patches along each side.")

    def flow(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Swaps the first pairs of the drawn order."""
        count = int(self.grid) ** 2
        order = rng.permutation("order", count)
        pairs = round(self.fraction * (count // 2))
        first, second = order[:, 0 : 2 * pairs : 2], order[:, 1 : 2 * pairs : 2]
        sources = torch.arange(count, device=images.device).expand(len(images), -1).clone()
        sources.scatter_(1, first, second).scatter_(1, second, first)
        height, width = images.shape[-2:]
        return rearranged(height, width, int(self.grid), sources)


@register("jigsaw")
@dataclass(frozen=True)
class Jigsaw(GeometricPerturbation):
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

    def flow(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Each patch shows the next of the ring."""
        count = self.grid**2
        ring = rng.uniform("order", FINEST * FINEST)[:, :count].argsort(stable=True, dim=1)
        sources = torch.empty_like(ring).scatter_(1, ring, ring.roll(-1, 1))
        height, width = images.shape[-2:]
        return rearranged(height, width, self.grid, sources)
