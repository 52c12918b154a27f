"""Ripples beside edges."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional.cosines import sharp_low_pass
from hardgen.knobs import Scale, knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

MOST = 128.0
"""Cutoff at which an image counts as whole, in cycles per short side: two pixels a cycle at 256."""
EASE = 1 / 8
"""Share of the most over which fine detail fades out."""


@register("ringing")
@dataclass(frozen=True)
class Ringing(PhotometricPerturbation):
    """Draws ripples beside edges (Gibbs ringing), as a filter with a sharp cutoff, few samples or coarse coding do.

    Frequencies above the cutoff are lost in all directions alike: the image is convolved with a circular sinc, its
    borders mirrored, whose side lobes are the ripples, an overshoot of 9% of a straight edge and its echoes. They lie
    1 / (2 cutoff) apart. A cutoff that the image's pixels cannot hold changes nothing; from 128 to 112 cycles what is
    finer fades out, so that nothing jumps.
    """

    limits: ClassVar[str] = "The whole image by one filter, so detail goes too: a codec's ringing stays in its blocks."

    cutoff: float = knob(
        MOST, 5.0, "cycles per short side", "Frequency above which nothing is left of the image.", Scale.LOG
    )

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Takes the cosines above the cutoff away."""
        return sharp_low_pass(images, self.cutoff, min((MOST - self.cutoff) / (MOST * EASE), 1.0))
