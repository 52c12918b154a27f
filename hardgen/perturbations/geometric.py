"""Geometry: the scene from elsewhere; boxes and masks move along."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional import flows
from hardgen.knobs import knob
from hardgen.perturbation import GeometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("rotation")
@dataclass(frozen=True)
class Rotation(GeometricPerturbation):
    """Turns the image about its centre.

    Clockwise or counter-clockwise is drawn for each image. The frame keeps its size: corners that turn out of it are
    lost, and what turns in from outside is the mirrored image.
    """

    limits: ClassVar[str] = (
        "A turn in the image plane only, with no change of viewpoint; the mirrored border shows what no camera sees."
    )
    exemptions: ClassVar[dict[str, str]] = {
        "monotone": "an image may come nearer to itself again as it turns: a square does at 90 degrees",
    }

    degrees: float = knob(0.0, 180.0, "degrees", "Angle of the turn.")

    def flow(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Turns by the angle, one way or the other."""
        signs = rng.integers("sign", 2) * 2 - 1
        height, width = images.shape[-2:]
        return flows.rotation(height, width, signs * self.degrees)
