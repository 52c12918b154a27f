"""Warps: smooth random displacements."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import flows, smooth_fields, wave_flows
from hardgen.knobs import knob, setting
from hardgen.perturbation import GeometricPerturbation
from hardgen.perturbations.geometric.affine import like
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"


def field(batch: Batch, rng: SampleRng, length: float, name: str = "field") -> Tensor:
    """A drawn smooth displacement field, B x H x W x 2, each component of unit variance over the draws."""
    height, width = batch.shape[-2:]
    short = min(height, width)
    shape = [smooth_fields.nodes(side, short, length) for side in (height, width)]
    return smooth_fields.smooth(rng.normal(name, 2, *shape), height, width, length)


def displaced(batch: Batch, field: Tensor, rms: float) -> Tensor:
    """The flow along a field (which is used up), scaled to an RMS way in fractions of the short side."""
    height, width = batch.shape[-2:]
    flow = smooth_fields.unit_rms(field).mul_(rms * min(height, width))
    return flow.add_(flows.still(height, width, batch.device))


@register("elastic")
@dataclass(frozen=True)
class Elastic(GeometricPerturbation):
    """Warps the image smoothly, as a print on rubber.

    A Gaussian random field (after Simard et al. 2003, ICDAR: smoothed random displacements), of exactly the RMS way
    asked for in every image. ImageNet-C's smooths uniform noise instead and adds a
    random linear map, so that none of its severities is one value of this knob.
    """

    limits: ClassVar[str] = "The whole picture is one sheet: parts of a thing do not move against each other."
    exemptions: ClassVar[dict[str, str]] = {"monotone.rms": like(1, 0.004)}

    rms: float = knob(0.0, 0.12, SHORT_SIDE, "Root mean square displacement.")
    length: float = setting(0.15, 0.02, 1.0, SHORT_SIDE, "Correlation length of the displacements.")

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Displaces along the drawn field."""
        return displaced(batch, field(batch, rng, self.length), self.rms)


@register("turbulence")
@dataclass(frozen=True)
class Turbulence(GeometricPerturbation):
    """Lets the image shimmer, as hot air over a road does.

    Fine displacements of three scales: the coarsest has the correlation length `length`, each next half of it and
    2^(-1/3) times the size, as eddies in Kolmogorov's turbulence do.
    """

    limits: ClassVar[str] = "One moment of still pictures: no blur over the exposure, no dependence on distance."

    rms: float = knob(0.0, 0.05, SHORT_SIDE, "Root mean square displacement.")
    length: float = setting(0.1, 0.04, 1.0, SHORT_SIDE, "Correlation length of the coarsest displacements.")

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Displaces along the sum of three fields."""
        total = field(batch, rng, self.length, "eddies0")
        for octave in (1, 2):
            finer = field(batch, rng, self.length / 2**octave, f"eddies{octave}")
            total.add_(finer, alpha=2 ** (-octave / 3))
        return displaced(batch, total, self.rms)


@register("thin_plate")
@dataclass(frozen=True)
class ThinPlate(GeometricPerturbation):
    """Bends the image as a thin plate whose pins have been moved.

    A grid of pins over the frame, corners included, each moved by a drawn normal way; between them the thin plate
    spline (Bookstein 1989). The displacement is scaled to the RMS way asked for.
    """

    limits: ClassVar[str] = "The whole picture is one sheet: parts of a thing do not move against each other."

    rms: float = knob(0.0, 0.12, SHORT_SIDE, "Root mean square displacement.")
    pins: int = setting(4, 2, 8, "pins", "Pins along each side.")

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Displaces along the spline through the moved pins."""
        pins = int(self.pins)
        height, width = batch.shape[-2:]
        return displaced(batch, wave_flows.spline(height, width, rng.normal("pins", pins, pins, 2)), self.rms)


@register("ripple")
@dataclass(frozen=True)
class Ripple(GeometricPerturbation):
    """Ripples the image along both axes, as shallow water over it does.

    x is taken from x + a sin(2 pi y / wavelength + phase) and y likewise, with drawn phases. The effect, not
    the parameters, of `ripple` in ImageNet-C-bar (Mintun et al. 2021).
    """

    limits: ClassVar[str] = "Displacement only: water also reflects, focuses light and colours."
    exemptions: ClassVar[dict[str, str]] = {"monotone.amplitude": like(1, 0.0005)}

    amplitude: float = knob(0.0, 0.08, SHORT_SIDE, "Greatest displacement along each axis.")
    wavelength: float = setting(0.12, 0.02, 1.0, SHORT_SIDE, "Length of a wave.")

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Shifts rows and columns."""
        height, width = batch.shape[-2:]
        short = min(height, width)
        phase_x, phase_y = rng.uniform("phase", 2).unbind(1)
        size = self.amplitude * short
        length = self.wavelength * short
        x, y = wave_flows.sine(height, length, phase_x), wave_flows.sine(width, length, phase_y)
        return wave_flows.sideways(height, width, x * size, y * size)


@register("wave")
@dataclass(frozen=True)
class Wave(GeometricPerturbation):
    """Sways the image in one long wave, as a flag or a rolling shutter on a shaking camera does.

    Rows slide along x, or columns along y: which, and where the wave starts, is drawn.
    """

    limits: ClassVar[str] = "Displacement only: cloth in the wind also has folds, shadows and perspective."
    exemptions: ClassVar[dict[str, str]] = {"monotone.amplitude": like(6, 0.003)}

    amplitude: float = knob(0.0, 0.3, SHORT_SIDE, "Greatest displacement.")
    wavelength: float = setting(0.5, 0.05, 4.0, SHORT_SIDE, "Length of the wave.")

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Shifts rows or columns."""
        height, width = batch.shape[-2:]
        short = min(height, width)
        axis, phase = rng.integers("axis", 2)[:, None], rng.uniform("phase")
        length, size = self.wavelength * short, self.amplitude * short
        x, y = (wave_flows.sine(side, length, phase) * size for side in (height, width))
        return wave_flows.sideways(height, width, x * axis, y * (1 - axis))
