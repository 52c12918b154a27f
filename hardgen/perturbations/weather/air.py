"""Air and water between the scene and the camera: fog, haze, smoke, deep water."""

import enum
import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import clouds
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import Doses, Perturbation
from hardgen.perturbations.weather.coating import tint
from hardgen.registry import register
from hardgen.rng import SampleRng

RATES = (0.35, 0.10, 0.12)
"""Attenuation of red, green and blue in water, per metre."""


class Depth(enum.Enum):
    """How far away the scene is taken to be."""

    uniform = "uniform"
    ground = "ground"


def veil(batch: Batch, transmission: Tensor, light: Tensor) -> tuple[Batch, Doses]:
    """Scattering after Koschmieder (1924): x t + A (1 - t); the dose `transmission` is the image's mean t."""
    images = torch.lerp(light.expand_as(batch.images), batch.images, transmission)
    return batch.replace(images), {"transmission": transmission.flatten(1).mean(1)}


@register("fog")
@dataclass(frozen=True)
class Fog(Perturbation):
    """Veils the image in drifting banks of fog, as water droplets in the air do.

    Koschmieder's law, x t + A (1 - t) with t = T^c: T is the transmission at the mean optical depth, -ln T; c is one
    fractal cloud for each image, with a mean of about 1 wherever the knob stands; A is the airlight. ImageNet-C's fog
    adds such a cloud and then rescales by the image's maximum, x + a c over its new maximum: a severity there is no one
    transmission, and its contrast factors are about 0.40 to 0.25.
    """

    limits: ClassVar[str] = "Fog does not follow the depth of the scene, nor blur by multiple scattering."

    transmission: float = knob(1.0, 0.08, "of the scene's light", "Light that comes through at the mean optical depth.")
    patchiness: float = setting(
        0.35, 0.0, 1.0, "of the mean", "Standard deviation of the optical depth over the image."
    )
    airlight: float = setting(0.85, 0.0, 1.0, "of full scale", "Brightness of dense fog.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Veils each image behind its cloud."""
        height, width = batch.images.shape[-2:]
        field = clouds.clouds(rng.normal("cloud", clouds.NUMBERS), height, width, roughness=0.55)
        density = field.mul_(self.patchiness).add_(1.0).clamp_(min=0.1)
        return veil(batch, density.mul_(math.log(self.transmission)).exp_(), tint(batch, (self.airlight,) * 3))


@register("haze")
@dataclass(frozen=True)
class Haze(Perturbation):
    """Washes out what is far away, as thin dust or moisture in the air does.

    Koschmieder's law, x t + A (1 - t) with t = exp(-tau d). With `depth=ground` the camera stands on a plane: distance
    rises from the foot of the image to 1 at the horizon, a third of the way down, and stays there; with `uniform` it is
    1 everywhere. A is a pale blue; `airlight` is its brightness.
    """

    limits: ClassVar[str] = "Depth is guessed from the height in the frame, not from what the picture shows."

    tau: float = knob(0.0, 4.0, "of optical depth", "Optical depth at the horizon.")
    depth: Depth = Depth.ground
    airlight: float = setting(0.8, 0.0, 1.0, "of full scale", "Brightness of dense haze.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Veils each row by its distance."""
        height, device = batch.images.shape[-2], batch.images.device
        down = (torch.arange(height, device=device, dtype=torch.float32) + 0.5) / height
        near = 0.25 / (0.25 + (down - 0.33).clamp(min=0.0))
        distance = torch.ones_like(near) if self.depth is Depth.uniform else near
        transmission = (-self.tau * distance).exp()[None, None, :, None].expand(len(batch), -1, -1, -1)
        light = (0.96 * self.airlight, self.airlight, min(1.05 * self.airlight, 1.0))
        return veil(batch, transmission, tint(batch, light))


@register("smoke")
@dataclass(frozen=True)
class Smoke(Perturbation):
    """Hides the scene behind billows of smoke, as from a fire.

    x t + A (1 - t) with t = exp(-tau c), where c is a fractal cloud that is zero over part of the image, so that gaps
    stay clear. A is `brightness`, dark for burning oil and light for damp wood.
    """

    limits: ClassVar[str] = "Smoke is flat and lit evenly: billows neither cast shadows nor rise from a source."

    tau: float = knob(0.0, 8.0, "of optical depth", "Optical depth of a dense billow.", Scale.LINEAR)
    brightness: float = setting(0.15, 0.0, 1.0, "of full scale", "Brightness of dense smoke.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Veils each image behind its billows."""
        height, width = batch.images.shape[-2:]
        field = clouds.clouds(rng.normal("billows", clouds.NUMBERS), height, width, roughness=0.6)
        density = field.add_(0.8).mul_(0.45).clamp_(0.0, 1.0)
        return veil(batch, density.mul_(-self.tau).exp_(), tint(batch, (self.brightness,) * 3))


@register("underwater")
@dataclass(frozen=True)
class Underwater(Perturbation):
    """Turns the image blue-green and dim, as water between scene and camera does.

    x t + B (1 - t) with t = exp(-k z) for each colour: k is 0.35, 0.10 and 0.12 per metre for red, green and blue,
    chosen for clear coastal water, where red goes first; B is a blue-green backscatter. The way z follows from the red
    light that is left: 2 metres leave a half, 4 a quarter, 12 metres 0.015.
    """

    limits: ClassVar[str] = "All of the scene is equally far away, and the light from above loses no colour."

    red: float = knob(1.0, 0.015, "of the red light", "Red light that comes through the water.")

    @property
    def metres(self) -> float:
        """Way through the water."""
        return -math.log(self.red) / RATES[0]

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Absorbs each colour by its own length; grey images by that of green."""
        rates = torch.tensor(RATES, device=batch.images.device)[None, :, None, None]
        if batch.images.shape[1] == 1:
            rates = torch.full_like(rates[:, :1], RATES[1])
        rates = torch.where(batch.grey[:, None, None, None], torch.full_like(rates, RATES[1]), rates)
        return veil(batch, (-self.metres * rates).exp(), tint(batch, (0.04, 0.32, 0.38)))
