"""Few levels for each channel."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional import tone
from hardgen.knobs import Scale, knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("posterise")
@dataclass(frozen=True)
class Posterise(PhotometricPerturbation):
    """Rounds every channel to few levels, as with few bits per value.

    Levels are evenly spaced from black to white, both included: 256 of them are 8 bits, 2 are one bit. Neutral is 24
    bits, all that float32 tells apart.
    """

    limits: ClassVar[str] = "Levels are even in display values and the same for all channels; no dithering hides them."

    exemptions: ClassVar[dict[str, str]] = {
        "monotone": "A picture of middle greys lies nearer to three levels, one of which is mid grey, than to four; "
        "none of 16 photographs did.",
    }

    levels: int = knob(1 << 24, 2, "levels of each channel", "Values that a channel can take.", Scale.RECIPROCAL)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Rounds to the nearest level."""
        return tone.quantise(images, self.levels)
