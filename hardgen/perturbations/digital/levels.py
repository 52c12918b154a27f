"""Few levels for each channel."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import tone
from hardgen.knobs import Scale, knob
from hardgen.perturbation import PointwisePerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("posterise")
@dataclass(frozen=True)
class Posterise(PointwisePerturbation):
    """Rounds every channel to few levels, as with few bits per value.

    Levels are evenly spaced from black to white, both included: 256 of them are 8 bits, 2 are one bit.
    """

    limits: ClassVar[str] = "Levels are even in display values and the same for all channels; no dithering hides them."

    levels: int = knob(256, 2, "levels of each channel", "Values that a channel can take.", Scale.LOG)

    def curve(self, values: Tensor, batch: Batch, rng: SampleRng) -> Tensor:
        """Rounds to the nearest level."""
        return tone.quantise(values, self.levels)
