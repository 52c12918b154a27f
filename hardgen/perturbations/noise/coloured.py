"""Noise with structure at many scales: coloured spectra, Perlin clouds, plasma."""

import enum
import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional import fields, waves
from hardgen.functional.noise import add_noise, lay_over
from hardgen.knobs import knob, setting
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"
MOST_CYCLES = 112
"""Frequencies of coloured noise, in cycles over the long side: all that 224 pixels show."""
OCTAVES = 5
GAIN = 1.5
"""By what Perlin's noise is multiplied in most implementations."""


class Channels(enum.Enum):
    """Whether colour channels share their noise."""

    independent = "independent"
    shared = "shared"


class Clouds(enum.Enum):
    """How the octaves of Perlin noise add up."""

    signed = "signed"
    folded = "folded"


@register("coloured_noise")
@dataclass(frozen=True)
class ColouredNoise(PhotometricPerturbation):
    """Adds noise whose power falls with the spatial frequency f as 1 / f^exponent, brown unless set otherwise.

    Exponent 0 is white, 1 pink (as natural images are, in amplitude), 2 brown, -1 blue and -2 violet. The noise has
    exactly the root mean square contrast of the knob before values are cut at black and white. Frequencies go up to 112
    cycles over the long side, so the field is the same at every resolution. ImageNet-C-bar's `brownish_noise` is the
    exponent 4 with 6.4 grey levels for each unit of its severity: 0.025, 0.05, 0.075, 0.1 and 0.125 of full scale
    (Mintun et al., arXiv 2102.11273).
    """

    limits: ClassVar[str] = (
        "A normal field without edges or phase structure, unlike clutter and textures; above 224 pixels no finer grain."
    )

    contrast: float = knob(0.0, 0.4, "of full scale", "Root mean square of the noise.")
    exponent: float = setting(2.0, -3.0, 5.0, "of the frequency", "How fast the power falls with the frequency.")
    channels: Channels = Channels.independent

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's field."""
        layers = images.shape[1] if self.channels is Channels.independent else 1
        numbers = rng.normal("spectrum", layers, 2, 2 * MOST_CYCLES + 1, MOST_CYCLES + 1)
        return add_noise(images, fields.spectral(numbers, self.exponent, *images.shape[-2:]), self.contrast)


@register("perlin_noise")
@dataclass(frozen=True)
class PerlinNoise(PhotometricPerturbation):
    """Lays grey clouds of five octaves over the image.

    The image v becomes (1 - opacity) v + opacity c with clouds c = 1/2 + 3/4 the sum of gradient noise (Perlin 2002)
    over octaves, each of half the size and strength of the one before. `folded` sums absolute values, which makes the
    clouds bright with dark creases: ImageNet-C-bar's `perlin_noise`, whose severities 4.6, 5.2, 5.8, 7.6 and 8.8 are
    opacities 0.23, 0.26, 0.29, 0.38 and 0.44.
    """

    limits: ClassVar[str] = "Flat grey clouds in the image plane: no depth, light or colour, and no real thing is so."

    opacity: float = knob(0.0, 0.9, "of the image", "How much of each pixel's value comes from the clouds.")
    cell: float = setting(1 / 7, 0.02, 1.0, SHORT_SIDE, "Cell of the coarsest octave.")
    clouds: Clouds = Clouds.signed

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Mixes the image with its clouds."""
        height, width = images.shape[-2:]
        turns = [
            rng.uniform(f"octave {i}", 1, *fields.lattice_shape(height, width, self.cell / 2**i))
            for i in range(OCTAVES)
        ]
        noise = fields.octaves(turns, height, width, self.cell, self.clouds is Clouds.folded)
        return lay_over(images, noise.mul_(GAIN / 2).add_(0.5).clamp_(0.0, 1.0), self.opacity)


@register("plasma_noise")
@dataclass(frozen=True)
class PlasmaNoise(PhotometricPerturbation):
    """Lays a coloured plasma of bent sines over the image.

    The image v becomes (1 - opacity) v + opacity p with the plasma p between `floor` and 1. Its phase, its scale, its
    sharpness and how often it is bent are drawn. ImageNet-C-bar's `plasma_noise` has the floor -1, which darkens, and
    at severity 4.75, 7, 8.5, 9.25 and 10 the opacities 0.119, 0.176, 0.213, 0.232 and 0.251.
    """

    limits: ClassVar[str] = "A smooth synthetic pattern; no thing in the world casts it."

    opacity: float = knob(0.0, 0.8, "of the image", "How much of each pixel's value comes from the plasma.")
    floor: float = setting(0.0, -1.0, 0.0, "of full scale", "Darkest value of the plasma; its mean is (1 + floor) / 2.")
    scale: float | None = setting(None, 0.01, 1.0, SHORT_SIDE, "Unit of length of the sines; drawn in [0.075, 0.2].")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Mixes the image with its plasma."""
        time, scale, sharpness = (rng.uniform(name) for name in ("time", "scale", "sharpness"))
        scale = scale * 0.125 + 0.075 if self.scale is None else torch.full_like(scale, self.scale)
        rounds = rng.integers("rounds", 3) + 4
        height, width = images.shape[-2:]
        field = waves.plasma(height, width, scale, time * (6 * math.pi), rounds, sharpness / 2 + 0.5)
        field = field.mul_((1 - self.floor) / 2).add_((1 + self.floor) / 2)
        return lay_over(images, field[:, : images.shape[1]], self.opacity)
