"""Patterns added to the image: gratings, rings, Voronoi cells."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional import waves
from hardgen.functional.noise import add_noise
from hardgen.knobs import knob, setting
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"


class Profile(enum.Enum):
    """How brightness goes from one ring to the next."""

    sine = "sine"
    ramp = "ramp"


class Cells(enum.Enum):
    """What Voronoi cells look like."""

    flat = "flat"
    domed = "domed"


def drawn_between(share: Tensor, low: float, high: float, value: float | None) -> Tensor:
    """A number for each image: the value where it is set, else drawn between two on a logarithmic scale."""
    return low * (high / low) ** share if value is None else torch.full_like(share, value)


@register("grating")
@dataclass(frozen=True)
class Grating(PhotometricPerturbation):
    """Adds a grey sinusoid of one spatial frequency, as masking experiments do.

    Frequency (evenly over octaves from 2 to 32 cycles per short side), direction and phase are drawn where they are not
    set. The root mean square contrast is the amplitude / root 2. ImageNet-C-bar's `single_frequency_greyscale` has the
    amplitude 0.0769 for each unit of its severity (0.077, 0.115, 0.154, 0.346 and 0.384 of full scale) and frequencies
    up to the pixels' limit.
    """

    limits: ClassVar[str] = (
        "One unmodulated frequency that keeps its phase over the whole image; above half the pixels it aliases."
    )

    amplitude: float = knob(0.0, 0.8, "of full scale", "Amplitude of the sinusoid: from its middle to its peak.")
    frequency: float | None = setting(None, 0.0, 512.0, "cycles per short side", "Spatial frequency.")
    angle: float | None = setting(None, 0.0, 180.0, "degrees", "Direction of the wave, counter-clockwise from level.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's sinusoid."""
        turn = rng.uniform("angle") * 180.0
        frequency = drawn_between(rng.uniform("frequency"), 2.0, 32.0, self.frequency)
        angle = turn if self.angle is None else torch.full_like(turn, self.angle)
        field = waves.grating(images.shape[-2], images.shape[-1], frequency, angle, rng.uniform("phase"))
        return add_noise(images, field, self.amplitude)


@register("concentric_waves")
@dataclass(frozen=True)
class ConcentricWaves(PhotometricPerturbation):
    """Adds grey rings around a point, bent into lobes.

    Centre, number of lobes (0 to 9) and their depth (up to 0.1 of the short side) are drawn, and the distance from ring
    to ring where it is not set (from 0.02 to 0.1 of the short side). ImageNet-C-bar's `cocentric_sine_waves` has the
    `ramp` profile and the amplitude 0.0251 for each unit of its severity: 0.075, 0.126, 0.201, 0.226 and 0.251.
    """

    limits: ClassVar[str] = "Grey rings of one width and strength, which fade nowhere; fine rings alias on few pixels."

    amplitude: float = knob(0.0, 0.4, "of full scale", "Amplitude of the waves: from their middle to their peak.")
    period: float | None = setting(None, 0.005, 2.0, SHORT_SIDE, "From ring to ring.")
    profile: Profile = Profile.sine

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's rings."""
        period = drawn_between(rng.uniform("period"), 0.02, 0.1, self.period)
        lobes, wobble = rng.integers("lobes", 10).float(), rng.uniform("wobble") * 0.1
        field = waves.rings(images.shape[-2], images.shape[-1], rng.uniform("centre", 2), period, lobes, wobble)
        field = field.sub_(field.floor())
        field = field.mul_(2 * torch.pi).sin_() if self.profile is Profile.sine else field.mul_(2.0).sub_(1.0)
        return add_noise(images, field, self.amplitude)


@register("voronoi_noise")
@dataclass(frozen=True)
class VoronoiNoise(PhotometricPerturbation):
    """Adds a mosaic of grey Voronoi cells.

    `flat` cells have a drawn offset each, uniform in +- amplitude. `domed` ones go from one sign at their site to the
    other at a distance of one grid cell, which sign is drawn, as in the `voronoi_noise` behind ImageNet-C-bar (whose
    intensity of 255 grey levels is the amplitude 0.5). The grid that the sites stray in has cells of a size drawn from
    0.05 to 0.2 of the short side where it is not set.
    """

    limits: ClassVar[str] = "Sites stray about a square grid, so cells are of like size; edges are hard and not smooth."

    amplitude: float = knob(0.0, 0.8, "of full scale", "Greatest offset of a cell.")
    size: float | None = setting(None, 0.01, 1.0, SHORT_SIDE, "Size of the cells.")
    cells: Cells = Cells.flat

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's mosaic."""
        size = drawn_between(rng.uniform("size"), 0.05, 0.2, self.size)
        levels = rng.uniform("levels", waves.SITES, waves.SITES)
        offsets = rng.uniform("offsets", 2, waves.SITES, waves.SITES)
        distance, level = waves.voronoi(images.shape[-2], images.shape[-1], size, offsets, levels)
        if self.cells is Cells.flat:
            return add_noise(images, level.mul_(2.0).sub_(1.0), self.amplitude)
        sign = (rng.integers("sign", 2) * 2.0 - 1.0)[:, None, None, None]
        return add_noise(images, distance.clamp_(max=1.0).mul_(2.0).sub_(1.0).mul_(sign), self.amplitude)
