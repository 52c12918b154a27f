"""Occluders of natural shape: splashes of mud, cut-out silhouettes, leaves."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional import silhouettes
from hardgen.knobs import setting
from hardgen.perturbations.occlusion.occluder import Fill, Occluder
from hardgen.registry import register
from hardgen.rng import SampleRng

LATTICE = 32
"""Drawn numbers on each side of a coarse field."""

WAVES = 5
"""Waves round a silhouette's outline."""


@register("blobs")
@dataclass(frozen=True)
class Blobs(Occluder):
    """Covers the target with smooth blobs that grow and run together, as splashes of mud on a lens or a window do.

    Blobs are where a drawn random field is lowest: numbers on a lattice of spacing `size`, cubic in between, with a
    third of the same at a third of the spacing. Mud splashes are among the occluders by which Coggan and Tong compare
    people and networks.
    """

    limits: ClassVar[str] = "Mud of one thickness and no relief, everywhere equally dense, with sharp edges."

    size: float = setting(0.2, 0.02, 1.0, "of the target's short side", "Distance between neighbouring blobs.")

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """Two octaves of the field."""
        return rng.normal("field", 2 * LATTICE * LATTICE)

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By the field."""
        coarse, fine = draw.view(2, LATTICE, LATTICE)
        field = silhouettes.smooth_field(height, width, self.size, coarse)
        return field.add_(silhouettes.smooth_field(height, width, self.size / 3, fine), alpha=0.33)


@register("cutout")
@dataclass(frozen=True)
class Cutout(Occluder):
    """Covers the target with the silhouettes of drawn smooth shapes, which show another image's texture.

    Stands in for the segmented objects with which CompositionalNets (Kortylewski et al. 2020, arXiv:2003.04490) and
    Sarandi et al. (2018, "How robust is 3D human pose estimation to occlusion?") cover objects: no bundled pictures are
    needed, the silhouettes are drawn and the texture is a donor's. Each grows about its middle; its radius is exp of
    five waves round the outline with standard deviation 0.35 / k for wave k.
    """

    limits: ClassVar[str] = "Silhouettes are of no real thing, and what they show is another picture, cut by chance."

    fill: Fill = Fill.texture
    count: int = setting(2, 1, 16, "silhouettes", "Number of silhouettes.")

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """Where the middles lie, and the waves of each outline."""
        waves = rng.normal("outline", self.count * 2 * WAVES)
        return torch.cat((rng.uniform("middle", self.count * 2), waves), 1)

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By the scale at which a silhouette reaches a pixel."""
        middles = draw[: 2 * self.count].view(self.count, 2) * 0.8 + 0.1
        each = 0.35 / torch.arange(1, WAVES + 1, device=draw.device)
        return silhouettes.outlines(height, width, middles, draw[2 * self.count :].view(self.count, 2, WAVES) * each)


@register("leaves")
@dataclass(frozen=True)
class Leaves(Occluder):
    """Covers the target with overlapping leaves, as foliage in front of the scene does.

    Pointed leaves of drawn place, direction and size lie over one another; more foliage is more leaves, and the last
    one as much of its length as the exact fraction asks for. Each has a bright midrib, a lighter and a darker side, and
    its own brightness, by which `shading` multiplies whatever the fill shows.
    """

    limits: ClassVar[str] = "Flat leaves of one kind, spread evenly, without twigs, translucency, cast shadow or blur."

    lit: ClassVar[bool] = True

    colour: tuple[float, float, float] = (0.3, 0.5, 0.16)
    size: float = setting(0.25, 0.05, 1.0, "of the square root of the target's area", "Length of a leaf.")
    shading: float = setting(1.0, 0.0, 1.0, "of full", "How much the leaves differ in brightness.")

    @property
    def most(self) -> int:
        """So many leaves that hardly a place stays bare."""
        return math.ceil(4 * (1 + self.size / 2) ** 2 / (0.29 * self.size**2))

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """Six numbers for each leaf."""
        return rng.uniform("leaves", self.most * 6)

    def lit_order(self, image: Tensor, wanted: Tensor | None, draw: Tensor) -> tuple[Tensor, Tensor | None]:
        """By the turn of the first leaf over a pixel; each leaf with its light."""
        height, width = image.shape[-2:]
        made = silhouettes.leaves(height, width, self.size, draw.cpu().view(-1, 6).numpy())
        light = torch.lerp(torch.ones_like(made.light), 2 * made.light, self.shading)
        return made.rank.to(draw.device), light.to(draw.device)
