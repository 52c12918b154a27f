"""Tone curves: gamma, veiling light, solarisation and equalised histograms."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional import tone
from hardgen.knobs import knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("gamma")
@dataclass(frozen=True)
class Gamma(PhotometricPerturbation):
    """Bends the tone curve, as a screen or a file of the wrong gamma does.

    Every value v becomes v to the power of 2 to the octaves, or to minus the octaves: darker or brighter is drawn.
    Black and white stay.
    """

    limits: ClassVar[str] = "A pure power law of display values, the same for all channels."

    octaves: float = knob(0.0, 3.0, "octaves of the exponent", "How often the exponent is doubled or halved.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Raises values to a power."""
        direction = (rng.integers("direction", 2) * 2 - 1) * self.octaves
        return tone.bend(images, torch.exp2(direction.double()))


@register("glare")
@dataclass(frozen=True)
class Glare(PhotometricPerturbation):
    """Lays an even veil of white light over the image, as a lamp beside the field of view or a dirty lens does.

    Every value v becomes v + veil (1 - v): contrast falls and black rises.
    """

    limits: ClassVar[str] = "The veil is even, white and in display values; it has no shape and no ghosts."

    veil: float = knob(0.0, 0.98, "of white", "How bright black becomes.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Goes toward white."""
        return tone.lift(images, 1.0 - self.veil, self.veil)


@register("solarise")
@dataclass(frozen=True)
class Solarise(PhotometricPerturbation):
    """Turns bright values over, as in a picture that was exposed to light while it was developed.

    Values above the threshold t go down again as steeply as they rose: v becomes 2 t - v, and no less than 0. Unlike
    the usual 1 - v, which jumps at the threshold, this is continuous.
    """

    limits: ClassVar[str] = "No Mackie lines along edges; every channel turns over by itself."

    threshold: float = knob(1.0, 0.3, "of white", "Brightness at which values turn over.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Folds at the threshold."""
        return tone.fold(images, self.threshold)


@register("equalise")
@dataclass(frozen=True)
class Equalise(PhotometricPerturbation):
    """Blends to the image with an equalised histogram in each channel, as from crude automatic contrast.

    The target of a value is the share of its channel's values, in 256 bins, that are no greater; the darkest bin of
    each channel becomes black.
    """

    limits: ClassVar[str] = "One histogram for the whole picture; no adaptive equalisation by tiles."

    blend: float = knob(0.0, 1.0, "of the equalisation", "Share of the way to even histograms.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """On the way to equalised channels."""
        return tone.equalise(images, self.blend)
