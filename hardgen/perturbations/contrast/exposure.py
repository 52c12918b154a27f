"""Contrast and brightness: the same scene in less, or too much, light."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional import tone
from hardgen.functional.photons import thin
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import Doses, PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

FULL_EXPOSURE = 10000.0
"""Photons at white in a picture taken in good light."""


class Direction(enum.Enum):
    """Which way brightness goes."""

    both = "both"
    darker = "darker"
    brighter = "brighter"


class About(enum.Enum):
    """The level that contrast is lowered about."""

    image = "image"
    channel = "channel"
    grey = "grey"


@register("contrast")
@dataclass(frozen=True)
class Contrast(PhotometricPerturbation):
    """Lowers contrast about the image's mean grey level, which stays.

    Every value v becomes mean + factor (v - mean), with one mean per image over pixels and channels: a half-black,
    half-white image at 0.1 has the 8-bit values 115 and 140, and at 0 every image is flat grey. ImageNet-C's `contrast`
    at severity 1 to 5 has factors 0.4, 0.3, 0.2, 0.1 and 0.05, about each channel's own mean (`about=channel`);
    Geirhos et al. lower contrast about mid grey (`about=grey`).
    """

    limits: ClassVar[str] = (
        "Contrast falls evenly over the image and in display values; haze, glare and veiling light depend on depth and "
        "place and also raise the black level."
    )

    factor: float = knob(1.0, 0.0, "of the original contrast", "Contrast that is left.", Scale.QUADRATIC)
    about: About = About.image

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Brings values nearer to the mean."""
        if self.about is About.image:
            return tone.scale_contrast(images, self.factor)
        level = images.mean((2, 3), keepdim=True) if self.about is About.channel else images.new_tensor(0.5)
        return level.mul(1.0 - self.factor).add(images, alpha=self.factor)

    def dose(self, images: Tensor) -> Doses:
        """`rms_contrast`: standard deviation of the brightness."""
        return {"rms_contrast": tone.brightness(images)[1]}


@register("brightness")
@dataclass(frozen=True)
class Brightness(PhotometricPerturbation):
    """Over- or underexposes, by photographic stops of light.

    Display values become linear light by the sRGB curve, are multiplied by 2 to the power of the stops, clipped at
    white, and go back. Whether an image goes darker or brighter is drawn, unless the direction is set.
    """

    limits: ClassVar[str] = (
        "What the picture clipped stays lost, shadows gain no noise (see low_light), and no camera's own tone curve "
        "rolls highlights off."
    )

    stops: float = knob(0.0, 4.0, "stops", "Change of exposure; each stop halves or doubles the light.")
    direction: Direction = Direction.both

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Multiplies the light."""
        if self.direction is Direction.both:
            return tone.expose(images, (rng.integers("direction", 2) * 2 - 1) * self.stops)
        sign = 1.0 if self.direction is Direction.brighter else -1.0
        return tone.expose(images, torch.full((len(images),), sign * self.stops, device=images.device))

    def dose(self, images: Tensor) -> Doses:
        """`mean_luminance`: mean brightness in display values."""
        return {"mean_luminance": tone.brightness(images)[0]}


@register("low_light")
@dataclass(frozen=True)
class LowLight(PhotometricPerturbation):
    """Takes the picture with fewer photons: darker, with shot noise and read noise.

    Works in linear light. The picture is taken as the read-out of 10000 photons at white. Of n photons per channel and
    pixel at white, counts are Poisson and come out as whole electrons, to which read-out adds Gaussian noise; what the
    full exposure already had is taken off, so that nothing jumps at neutral. The camera's gain gives back a share of
    the lost stops of brightness. Each image keeps its noise, as quantiles, at every number of photons. Grey images get
    one noise for all channels.
    """

    version: ClassVar[int] = 2
    limits: ClassVar[str] = (
        "No demosaicing, white balance, denoising, fixed-pattern noise, hot pixels or longer exposure with its motion "
        "blur; every channel counts its own photons at its own brightness."
    )

    photons: float = knob(
        FULL_EXPOSURE, 1.0, "photons at white", "Light that reaches a white pixel in the exposure.", Scale.LOG
    )
    read_noise: float = setting(2.0, 0.0, 20.0, "electrons", "Standard deviation of the read-out.")
    gain: float = setting(0.75, 0.0, 1.0, "of the lost stops", "Brightness that the camera gives back.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Measures the light again with fewer photons."""
        shape = images.shape[1:]
        shot, read = rng.normal("shot", *shape), rng.normal("read", *shape)
        light = thin(tone.to_light(images), self.photons, FULL_EXPOSURE, shot, read, self.read_noise)
        left = (self.photons / FULL_EXPOSURE) ** (1.0 - self.gain)
        return tone.from_light(light.mul_(left).clamp_(0.0, 1.0))

    def dose(self, images: Tensor) -> Doses:
        """`mean_luminance`: mean brightness in display values."""
        return {"mean_luminance": tone.brightness(images)[0]}
