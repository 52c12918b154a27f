"""The negative of an image."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional import tone
from hardgen.knobs import knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("invert")
@dataclass(frozen=True)
class Invert(PhotometricPerturbation):
    """Blends to the negative of the image.

    Every value v goes toward 1 - v; half way every image is flat grey. So accuracy rises again beyond 0.5, from
    chance to that of negatives: ResNets on CIFAR-10 go from 10% at 0.5 to 60% at 1 (`experiments/catalogue`).
    """

    limits: ClassVar[str] = "Inverts display values; no orange mask or tone curve of a film negative."

    blend: float = knob(0.0, 1.0, "of the inversion", "Share of the way to the negative.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Goes toward the negative."""
        return tone.lift(images, 1.0 - 2.0 * self.blend, self.blend)
