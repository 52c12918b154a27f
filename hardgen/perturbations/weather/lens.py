"""What dries or splashes on the lens: mud, spatter, dirt."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import blobs, clouds, smears
from hardgen.functional.parallel import spread
from hardgen.knobs import knob, setting
from hardgen.perturbations.weather.coating import Coating, Paint, tint
from hardgen.registry import register
from hardgen.rng import SampleRng

EVENNESS = 0.85
"""Radii of splashes are spread from 1 less this to 1 of the largest: many small and few large."""


def splashes(batch: Batch, rng: SampleRng, count: int, largest: float, ragged: float) -> tuple[Tensor, Tensor]:
    """Splashes of many sizes: their order, B x H x W, and their relief, B x 2 x H x W, as `blobs.splashes`.

    Args:
        batch: For its size.
        rng: Draws `splashes` and `outline`.
        count: Splashes.
        largest: Radius of the largest, of the short side.
        ragged: How far outlines are dented: standard deviation of the logarithm of the squared radius.
    """
    height, width = batch.images.shape[-2:]
    draws = rng.uniform("splashes", count, 3).cpu().numpy()
    outlines = rng.normal("outline", clouds.NUMBERS).cpu().numpy()
    planes = torch.empty(len(batch), 3, height, width)

    def one(i: int) -> None:
        radii = np.float32(largest * (1 - EVENNESS)) / (1 - np.float32(EVENNESS) * draws[i, :, 2])
        cloud = clouds.spread_over(clouds.cloud(outlines[i], 0.9), blobs.GRID, blobs.GRID)
        dents = np.exp(cloud * np.float32(ragged))
        for plane, values in zip(
            planes[i], blobs.splashes(height, width, draws[i, :, :2], radii, dents, cloud), strict=True
        ):
            plane.copy_(torch.from_numpy(values))

    spread(one, len(batch), planes.numel())
    planes = planes.to(batch.images.device)
    return planes[:, 0], planes[:, 1:]


@register("mud")
@dataclass(frozen=True)
class Mud(Coating):
    """Splashes opaque brown mud on the lens, in blots of many sizes.

    Blots come one after the other and then swell together, with ragged outlines; the brown is mottled by a fractal
    cloud and lit from the upper left. On grey images mud has its brightness. ImageNet-C's spatter turns to mud from its
    fourth severity on.
    """

    limits: ClassVar[str] = "Mud lies in focus and is fully opaque, without runs or drying."

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels under mud.")

    @property
    def softness(self) -> float:
        """A thin rim."""
        return 0.03

    def ranks(self, batch: Batch, rng: SampleRng) -> tuple[Tensor, Tensor]:
        """Blot after blot."""
        return splashes(batch, rng, 80, 0.13, 0.45)

    def paint(self, batch: Batch, rng: SampleRng, relief: Tensor, opacity: Tensor) -> Paint:
        """Mottled brown, lit from the upper left."""
        height, width = batch.images.shape[-2:]
        mottle = clouds.clouds(rng.normal("mottle", clouds.NUMBERS), height, width, roughness=0.9)
        light = mottle.mul_(0.14).sub_(relief[:, :1], alpha=0.12).add_(1.0).clamp_(0.4, 1.6)
        return tint(batch, (0.34, 0.23, 0.13)), light, opacity


@register("spatter")
@dataclass(frozen=True)
class Spatter(Coating):
    """Spatters the lens with dirty water: milky drops of many sizes through which little is seen.

    Drops come one after the other and then swell together. They take the image by `opacity` toward a pale grey, least
    in a drop's middle, with a glint at the upper left and a shade at the lower right. ImageNet-C's spatter thresholds
    blurred noise and changes from water to mud at its fourth severity; this one is water throughout, and `mud` is its
    fellow.
    """

    limits: ClassVar[str] = "Water does not bend the light here (see droplets) and does not run."

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels under water.")
    opacity: float = setting(0.8, 0.05, 1.0, "of full cover", "How much of the scene a drop hides.")

    @property
    def softness(self) -> float:
        """A thin rim."""
        return 0.02

    def ranks(self, batch: Batch, rng: SampleRng) -> tuple[Tensor, Tensor]:
        """Drop after drop."""
        return splashes(batch, rng, 160, 0.085, 0.1)

    def paint(self, batch: Batch, rng: SampleRng, relief: Tensor, opacity: Tensor) -> Paint:
        """Pale water, lit from the upper left."""
        slope, far = relief[:, :1], relief[:, 1:].clamp(max=1.0)
        # A glint 0.57 radii to the upper left: exp(-14 |way + (0.4, 0.4)|^2).
        glint = torch.add(far, slope, alpha=0.8).add_(0.32).mul_(-14.0).exp_()
        light = glint.mul_(0.35).sub_(slope * far, alpha=0.22).add_(1.0)
        return tint(batch, (0.74, 0.79, 0.82)), light, opacity.mul_(far.mul_(0.5).add_(0.5)).mul_(self.opacity)


@register("dirt")
@dataclass(frozen=True)
class Dirt(Coating):
    """Soils the lens with smears and dust, grey-brown and half see-through.

    Smears follow a fractal cloud drawn out along one direction and thin out toward their edges; dust lies on and
    between them as darker specks. What is covered is taken by `opacity` toward the colour of dust, on grey images
    toward its brightness.
    """

    limits: ClassVar[str] = "Dirt neither scatters light from lamps nor goes out of focus with the aperture."

    fraction: float = knob(0.0, 0.9, "of the image", "Share of the pixels that are soiled.")
    opacity: float = setting(0.85, 0.05, 1.0, "of full cover", "How much of the scene dirt hides where it lies.")

    SPECKS: ClassVar[int] = 300

    @property
    def softness(self) -> float:
        """Smears fade at their edges."""
        return 1.6

    def ranks(self, batch: Batch, rng: SampleRng) -> tuple[Tensor, Tensor]:
        """Where smears are thick, and first of all where specks lie."""
        height, width = batch.images.shape[-2:]
        field, turns = (rng.normal("smears", clouds.NUMBERS), rng.uniform("wipe", 1))
        numbers, angles = field.cpu().numpy(), turns[:, 0].cpu().tolist()
        dots = rng.uniform("specks", self.SPECKS, 3).cpu().numpy()
        planes = torch.empty(len(batch), 2, height, width)

        def one(i: int) -> None:
            smear = clouds.spread_over(smears.wiped(clouds.cloud(numbers[i], 0.8), 180.0 * angles[i]), height, width)
            specks = smears.specks(dots[i], height, width)
            planes[i] = torch.from_numpy(np.stack((-smear - np.float32(3.0) * specks, specks)))

        spread(one, len(batch), planes.numel())
        planes = planes.to(batch.images.device)
        return planes[:, 0], planes[:, 1:]

    def paint(self, batch: Batch, rng: SampleRng, relief: Tensor, opacity: Tensor) -> Paint:
        """The colour of dust, darker in specks."""
        return tint(batch, (0.46, 0.41, 0.34)), relief.mul(-0.5).add_(1.0), opacity.mul_(self.opacity)
