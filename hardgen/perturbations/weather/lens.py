"""What dries or splashes on the lens: mud, spatter, dirt."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import clouds, smears
from hardgen.functional.parallel import spread
from hardgen.knobs import knob, setting
from hardgen.perturbations.weather.coating import Coating, Paint, tint
from hardgen.perturbations.weather.splashed import Relief, Splashed
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("mud")
@dataclass(frozen=True)
class Mud(Splashed):
    """Splashes opaque brown mud on the lens, in blots of many sizes.

    Blots come one after the other and then swell together, with ragged outlines; the brown is mottled by a fractal
    cloud and lit from the upper left. On grey images mud has its brightness. ImageNet-C's spatter turns to mud from its
    fourth severity on. Each image has its own piece of one great field of blots, at a drawn place.
    """

    limits: ClassVar[str] = "Mud lies in focus and is fully opaque, without runs or drying."

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels under mud.")

    COUNT: ClassVar[int] = 80
    LARGEST: ClassVar[float] = 0.13
    RAGGED: ClassVar[float] = 0.45
    SOFTNESS: ClassVar[float] = 0.03
    COLOUR: ClassVar[tuple[float, float, float]] = (0.34, 0.23, 0.13)

    @classmethod
    def light(cls, slope: Relief, far: Relief, mottle: Relief) -> tuple[Relief, Relief]:
        """Mottled, lit from the upper left."""
        return np.clip(1 + mottle * np.float32(0.14) - slope * np.float32(0.12), 0.4, 1.6), np.ones_like(far)


@register("spatter")
@dataclass(frozen=True)
class Spatter(Splashed):
    """Spatters the lens with dirty water: milky drops of many sizes through which little is seen.

    Drops come one after the other and then swell together. They take the image by `opacity` toward a pale grey, least
    in a drop's middle, with a glint at the upper left and a shade at the lower right. ImageNet-C's spatter thresholds
    blurred noise and changes from water to mud at its fourth severity; this one is water throughout, and `mud` is its
    fellow. Each image has its own piece of one great field of drops, at a drawn place.
    """

    limits: ClassVar[str] = "Water does not bend the light here (see droplets) and does not run."

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels under water.")
    opacity: float = setting(0.8, 0.05, 1.0, "of full cover", "How much of the scene a drop hides.")

    COUNT: ClassVar[int] = 160
    LARGEST: ClassVar[float] = 0.085
    COLOUR: ClassVar[tuple[float, float, float]] = (0.74, 0.79, 0.82)

    @property
    def strength(self) -> float:
        """The opacity."""
        return self.opacity

    @classmethod
    def light(cls, slope: Relief, far: Relief, mottle: Relief) -> tuple[Relief, Relief]:
        """Pale, lit from the upper left, thinner in the middle."""
        far = np.minimum(far, 1)
        # A glint 0.57 radii to the upper left: exp(-14 |way + (0.4, 0.4)|^2).
        glint = np.exp(np.float32(-14.0) * (far + np.float32(0.8) * slope + np.float32(0.32)))
        light: Relief = 1 + np.float32(0.35) * glint - np.float32(0.22) * slope * far
        return light, np.asarray((1 + far) / 2, dtype=np.float32)


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
