"""Morphology: bright parts grow at the cost of dark ones, or the other way round."""

import enum
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional.extremes import spread_extremes
from hardgen.knobs import knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


class Spreading(enum.Enum):
    """What grows; drawn for each image if both."""

    both = "both"
    dark = "dark"
    bright = "bright"


@register("morphology")
@dataclass(frozen=True)
class Morphology(PhotometricPerturbation):
    """Lets the dark or the bright parts grow over the others, as ink that runs or as overexposed lettering does.

    Erosion or dilation of each channel: every value becomes the least or the greatest of a square window (Serra 1982).
    Which of the two is drawn for each image. A window of k x k pixels, as other libraries ask for one, has the radius
    (k - 1) / 2 pixels.
    """

    limits: ClassVar[str] = "One square window for all of the picture and each channel by itself; ink runs in blots."

    radius: float = knob(0.0, 0.03, "of the short side", "How far the parts grow.")
    spreading: Spreading = Spreading.both

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Spreads the darkest or the brightest values."""
        bright = [self.spreading is Spreading.bright] * len(images)
        if self.spreading is Spreading.both:
            bright = [bool(draw) for draw in rng.integers("bright", 2).tolist()]
        return spread_extremes(images, self.radius * min(images.shape[-2:]), bright)
