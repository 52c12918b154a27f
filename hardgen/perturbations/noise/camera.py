"""Noise that cameras make: photons, read-out, gain, film, lines."""

import enum
import math
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import fields, tone
from hardgen.functional.noise import add_grain, add_noise
from hardgen.functional.photons import amplify, count
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import Doses, Perturbation, PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"
BASE_ISO = 100.0
FULL_WELL = 4000.0
"""Photons at white at base ISO: a small sensor's pixel."""
DARKEST = 1e-7
"""Light that is shown as black; the logarithm of nothing at all is slow."""


class Lines(enum.Enum):
    """Which lines of a sensor have an offset of their own."""

    rows = "rows"
    columns = "columns"
    both = "both"


@register("shot_noise")
@dataclass(frozen=True)
class ShotNoise(PhotometricPerturbation):
    """Counts the light in few photons, as a short exposure does, at unchanged mean brightness.

    Every value v becomes Poisson(v n) / n with n photons at white. Each value keeps its place in the distribution (the
    Poisson quantile of one normal number), so the same image meets the same noise at every n. ImageNet-C's `shot_noise`
    at severity 1 to 5 has 60, 25, 12, 5 and 3 photons; the noise is about (v / n)^(1/2).
    """

    limits: ClassVar[str] = (
        "Counts display values rather than linear light, as the published benchmark does, and has neither read-out "
        "noise nor darkening (see low_light and iso_noise)."
    )

    photons: float = knob(math.inf, 3.0, "photons at white", "Light that a white pixel stands for.", Scale.RECIPROCAL)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Counts the photons of every value."""
        return count(images, self.photons, rng.normal("shot", *images.shape[1:]))


@register("iso_noise")
@dataclass(frozen=True)
class IsoNoise(Perturbation):
    """Takes the picture at a high ISO setting: grain in the shadows and blotches of colour, at unchanged brightness.

    In linear light, a pixel counts 4000 photons at white at ISO 100 and fewer in proportion above. The variance in
    light L is L / photons + (read noise / photons)^2, less what ISO 100 has, so that nothing jumps at neutral. A share
    of it is the same in all channels and fresh in every pixel; the rest differs between channels and is smooth over
    blotches, as demosaicing and denoising leave it. Equal steps of hardness are equal steps in stops.
    """

    limits: ClassVar[str] = (
        "The noise is normal, not Poisson; no banding, hot pixels, loss of detail by denoising or shift of the colours."
    )

    iso: float = knob(BASE_ISO, 102400.0, "ISO", "Sensitivity that the camera is set to.", Scale.LOG)
    read_noise: float = setting(2.0, 0.0, 20.0, "electrons", "Standard deviation of the read-out.")
    colour: float = setting(0.4, 0.0, 1.0, "of the variance", "Share of the noise that differs between channels.")
    blotch: float = setting(0.008, 0.002, 0.2, SHORT_SIDE, "Half the width of the blotches of colour.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Adds the noise of the sensor in linear light."""
        channels, height, width = batch.shape[1:]
        nodes = rng.normal("blotches", channels, *fields.spline_shape(height, width, self.blotch))
        field = fields.spline(nodes, height, width, self.blotch).mul_(self.colour**0.5)
        field.add_(rng.normal("grain", 1, height, width), alpha=(1 - self.colour) ** 0.5)
        photons = FULL_WELL * BASE_ISO / self.iso
        light = amplify(batch.changed(tone.to_light), photons, FULL_WELL, field, self.read_noise)
        return batch.replace(tone.from_light(light.clamp_(DARKEST, 1.0))), {}


@register("film_grain")
@dataclass(frozen=True)
class FilmGrain(PhotometricPerturbation):
    """Adds grain of one colour and a size of its own, strongest in the mid tones, as fast film has.

    The standard deviation at value v is 2 sigma root(v (1 - v)): sigma at mid grey, none in black and white.
    """

    limits: ClassVar[str] = (
        "The grain is a smooth normal field and not silver crystals or dye clouds; it does not bleed into edges."
    )

    sigma: float = knob(0.0, 0.4, "of full scale", "Standard deviation of the grain at mid grey.")
    size: float = setting(0.005, 0.002, 0.1, SHORT_SIDE, "Half the width of a grain.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's grain."""
        height, width = images.shape[-2:]
        nodes = rng.normal("grain", 1, *fields.spline_shape(height, width, self.size))
        return add_grain(images, fields.spline(nodes, height, width, self.size), self.sigma)


@register("row_noise")
@dataclass(frozen=True)
class RowNoise(PhotometricPerturbation):
    """Adds an offset of its own to every line of the sensor, as read-out by rows does: banding.

    Offsets are normal and the same in all channels. With `both`, rows and columns each have half the variance.
    """

    limits: ClassVar[str] = "Offsets only, no gain of each line, and no drift from line to line or with time."

    sigma: float = knob(0.0, 0.5, "of full scale", "Standard deviation of the lines' offsets.")
    lines: Lines = Lines.rows
    width: float = setting(0.01, 0.0005, 0.5, SHORT_SIDE, "Width of a line; below a pixel, every pixel has its own.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the offsets."""
        height, width = images.shape[-2:]
        short = min(height, width)
        offsets = [
            fields.lines(rng.normal(name, fields.cells(size, short, self.width)), size, short, self.width)
            for name, size in (("rows", height), ("columns", width))
            if self.lines.name in (name, "both")
        ]
        if self.lines is Lines.both:
            field = (offsets[0][:, None, :, None] + offsets[1][:, None, None, :]) * 0.5**0.5
        else:
            field = offsets[0][:, None, :, None] if self.lines is Lines.rows else offsets[0][:, None, None, :]
        return add_noise(images, field, self.sigma)
