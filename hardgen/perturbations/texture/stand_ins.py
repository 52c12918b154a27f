"""Stand-ins for perturbations of other families; delete this file where those exist."""

import dataclasses
import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen import registry
from hardgen.batch import Batch
from hardgen.functional import tone
from hardgen.knobs import Scale, knob
from hardgen.perturbation import Doses, Perturbation, PhotometricPerturbation
from hardgen.perturbations import contrast
from hardgen.registry import register
from hardgen.rng import SampleRng


class About(enum.Enum):
    """What contrast falls about."""

    mean = "mean"
    mid = "mid"


@dataclass(frozen=True)
class Contrast(contrast.Contrast):
    """Contrast about the mean or mid-grey."""

    factor: float = knob(1.0, 0.0, "of the original contrast", "Contrast that is left.", Scale.QUADRATIC)
    about: About = About.mean

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Brings values nearer."""
        if self.about is About.mean:
            return tone.scale_contrast(images, self.factor)
        return images * self.factor + (1 - self.factor) / 2


Contrast.name, Contrast.family = "contrast", "contrast"
registry._classes["contrast"] = Contrast


@register("desaturation")
@dataclass(frozen=True)
class Desaturation(Perturbation):
    """Takes colour away."""

    limits: ClassVar[str] = "A stand-in."
    fraction: float = knob(0.0, 1.0, "of the colour", "Colour taken away.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Blends to grey; whether images are grey is found anew."""
        grey = torch.lerp(batch.images, tone.luminance(batch.images), self.fraction)
        return dataclasses.replace(batch, images=grey), {}


@register("false_colour")
@dataclass(frozen=True)
class FalseColour(PhotometricPerturbation):
    """Inverts colours."""

    limits: ClassVar[str] = "A stand-in."
    amount: float = knob(0.0, 1.0, "of the way", "Blend.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Blends to the negative."""
        return images.lerp(1 - images, self.amount)


@register("uniform_noise")
@dataclass(frozen=True)
class UniformNoise(PhotometricPerturbation):
    """Adds uniform noise."""

    limits: ClassVar[str] = "A stand-in."
    width: float = knob(0.0, 0.9, "of full scale", "Half-width.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the field."""
        return images.sub(self.width).add_(rng.uniform("noise", *images.shape[1:]), alpha=2 * self.width)
