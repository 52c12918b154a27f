"""Linear maps about the centre: turned, slanted, stretched."""

import dataclasses
import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import flows
from hardgen.functional.sampling import Border
from hardgen.knobs import Scale, knob
from hardgen.perturbations.geometric.base import PlanarPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


def like(photographs: int, fall: float) -> str:
    """Why the RMSE need not rise, with what was measured on 30 photographs at ten steps of the knob."""
    return (
        f"what is moved may come to lie on its like: of 30 photographs the RMSE of {photographs} falls at some step, "
        f"by {fall:g} of full scale at most"
    )


def signs(rng: SampleRng) -> Tensor:
    """+1 or -1 for each image."""
    return rng.integers("sign", 2) * 2 - 1


@register("rotation")
@dataclass(frozen=True)
class Rotation(PlanarPerturbation):
    """Turns the image about its centre.

    Clockwise or counter-clockwise is drawn for each image. The frame keeps its size: corners that turn out of it are
    lost, and what turns in from outside is the mirrored image. Accuracy rises from about 135 degrees on: upside down,
    edges lie along the axes again and many things look like themselves.
    """

    limits: ClassVar[str] = (
        "A turn in the image plane only, with no change of viewpoint; the mirrored border shows what no camera sees."
    )
    exemptions: ClassVar[dict[str, str]] = {
        "monotone": "an image may come nearer to itself again as it turns: a square does at 90 degrees",
    }

    degrees: float = knob(0.0, 180.0, "degrees", "Angle of the turn.")

    def maps(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Turns by the angle, one way or the other."""
        return flows.turned(signs(rng) * self.degrees)


@register("shear")
@dataclass(frozen=True)
class Shear(PlanarPerturbation):
    """Slants the image, as a page that is pushed at its upper edge.

    x is taken from x + tan(degrees) y about the centre, or y from y + tan(degrees) x: which, and to which side, is
    drawn for each image. Areas are kept.
    """

    limits: ClassVar[str] = "A slant in the image plane: no camera makes it of a solid object but from very far."
    exemptions: ClassVar[dict[str, str]] = {"monotone.degrees": like(24, 0.046)}

    degrees: float = knob(0.0, 65.0, "degrees", "Angle by which upright (or level) lines lean.")
    border: Border = dataclasses.field(default=Border.blur, kw_only=True)

    def maps(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Slants rows or columns."""
        upright = rng.integers("axis", 2)
        slant = signs(rng) * math.tan(math.radians(self.degrees))
        one = torch.ones_like(slant)
        matrices = torch.stack((one, slant * upright, slant * (1 - upright), one), -1).view(-1, 2, 2)
        return flows.linear(matrices)


@register("stretch")
@dataclass(frozen=True)
class Stretch(PlanarPerturbation):
    """Stretches the image along one axis and squeezes it along the other, as a wrong aspect ratio does.

    Lengths grow by the root of the ratio along the drawn axis and shrink by it across: areas are kept.
    """

    limits: ClassVar[str] = "Along the frame's axes only; the squeezed axis is not filtered, so fine detail may alias."
    exemptions: ClassVar[dict[str, str]] = {"monotone.ratio": like(23, 0.054)}

    ratio: float = knob(1.0, 5.0, "to 1", "Aspect ratio that a square takes.", Scale.LOG)
    border: Border = dataclasses.field(default=Border.blur, kw_only=True)

    def maps(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Stretches along x or along y."""
        along = (rng.integers("axis", 2) - 0.5).float()
        matrices = torch.diag_embed(torch.stack((self.ratio**along, self.ratio**-along), -1))
        return flows.linear(matrices)
