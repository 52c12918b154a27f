"""Blur by motion about the centre of the image: zooming and turning while the shutter is open."""

import enum
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional.warps import turn_mean, zoom_mean
from hardgen.knobs import knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


class Range(enum.Enum):
    """Where the image stands in the range of zooms."""

    middle = "middle"
    start = "start"


@register("zoom_blur")
@dataclass(frozen=True)
class ZoomBlur(PhotometricPerturbation):
    """Smears away from the centre, as a lens that zooms evenly while the shutter is open does.

    The mean over all zooms of a range, to the pixel. In the `middle` of its range the image moves nowhere on average:
    zooms go from 2 / (1 + zoom) to 2 zoom / (1 + zoom). With `start` they go from 1 to the greatest, as in ImageNet-C,
    whose `zoom_blur` ends at 1.11, 1.16, 1.21, 1.26 and 1.31; that moves things outward.
    """

    limits: ClassVar[str] = (
        "Zooms about the centre of the image at even speed, without parallax; a zoom below 1 shows the replicated "
        "border; works on display values."
    )

    zoom: float = knob(1.0, 1.4, "times", "Greatest zoom of the exposure over the least.")
    image: Range = Range.middle

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Averages over the zooms."""
        low = 2 / (1 + self.zoom) if self.image is Range.middle else 1.0
        return zoom_mean(images, low, low * self.zoom)


@register("circular_motion_blur")
@dataclass(frozen=True)
class CircularMotionBlur(PhotometricPerturbation):
    """Smears along circles about the centre, as a camera that turns about its axis while the shutter is open does.

    The mean over all turns of an arc, half of it to either side. ImageNet-C-bar's `circular_motion_blur` weights 21
    turns within +- 1.5 degrees for each unit of its severity by a normal distribution; its spread is that of an arc of
    2.3 degrees for each unit.
    """

    limits: ClassVar[str] = (
        "Turns about the centre of the image at even speed; what turns in from outside is the replicated border; works "
        "on display values."
    )

    arc: float = knob(0.0, 30.0, "degrees", "Angle that the image turns through.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Averages over the turns."""
        return turn_mean(images, self.arc)
