"""View and lens: the picture plane tilted or bent."""

import dataclasses
import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import flows, radial_flows
from hardgen.functional.sampling import Border
from hardgen.knobs import Scale, knob
from hardgen.perturbations.geometric.affine import like, signs
from hardgen.perturbations.geometric.base import FewFlows, PlanarPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"


class Bend(enum.Enum):
    """Which way a lens bends straight lines."""

    drawn = "drawn"
    barrel = "barrel"
    pincushion = "pincushion"


@register("perspective")
@dataclass(frozen=True)
class Perspective(PlanarPerturbation):
    """Draws the image as a flat sheet seen aslant.

    Each corner moves into the frame, by a share of `shift` drawn evenly for x and for y, as torchvision's
    `RandomPerspective` does (its `distortion_scale` is twice `shift` for square images); below 0.5 the sheet never
    folds.
    """

    limits: ClassVar[str] = "The scene is a flat sheet: nothing hides anything as the viewpoint moves."
    exemptions: ClassVar[dict[str, str]] = {"monotone.shift": like(21, 0.025)}

    shift: float = knob(0.0, 0.45, SHORT_SIDE, "Greatest way of a corner, in x and in y.")
    border: Border = dataclasses.field(default=Border.blur, kw_only=True)

    def maps(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Moves the four corners."""
        height, width = batch.shape[-2:]
        inward = torch.tensor([[1, 1], [-1, 1], [-1, -1], [1, -1]], device=batch.device)
        right, bottom = max(width - 1, 1), max(height - 1, 1)
        frame = torch.tensor([[0, 0], [right, 0], [right, bottom], [0, bottom]], device=batch.device)
        way = self.shift * min(right, bottom)
        return flows.aslant(height, width, frame + inward * rng.uniform("corners", 4, 2) * way)


@register("lens_distortion")
@dataclass(frozen=True)
class LensDistortion(FewFlows):
    """Bends straight lines outward (barrel) or inward (pincushion), as a simple lens does.

    The first radial term of the Brown-Conrady model, r the distance from the centre in half diagonals: a pixel at r is
    taken from r (1 + k r^2) for barrel and from r / (1 + k r^2) for pincushion. Which is drawn unless `bend` says.
    """

    limits: ClassVar[str] = (
        "One radial term about the centre of the image: no tangential part, no other colour fringes."
    )
    exemptions: ClassVar[dict[str, str]] = {"monotone.coefficient": like(12, 0.027)}

    coefficient: float = knob(0.0, 2.0, "at the corner", "Radial coefficient k.")
    bend: Bend = Bend.drawn
    border: Border = dataclasses.field(default=Border.blur, kw_only=True)

    def sizes(self, rng: SampleRng) -> Tensor:
        """The coefficient, negative for pincushion."""
        drawn = signs(rng)
        if self.bend is not Bend.drawn:
            drawn = torch.full_like(drawn, 1 if self.bend is Bend.barrel else -1)
        return drawn * self.coefficient

    def flows(self, height: int, width: int, sizes: Tensor) -> Tensor:
        """Bends by coefficients."""
        return radial_flows.lens(height, width, sizes)


@register("fisheye")
@dataclass(frozen=True)
class Fisheye(FewFlows):
    """Swells the middle and crowds the edge, as a fisheye lens does.

    The image is taken as the flat picture of a scene over its diagonal field of view and shown in equidistant
    projection: a pixel at r half diagonals is taken from tan(r t) / tan(t), t half the field of view. Corners stay.
    """

    limits: ClassVar[str] = "Shows no more of the scene than the flat image held; the crowded corners are not filtered."
    exemptions: ClassVar[dict[str, str]] = {"monotone.field": like(17, 0.108)}

    field: float = knob(0.0, 172.0, "degrees", "Diagonal field of view.", Scale.QUADRATIC)

    def sizes(self, rng: SampleRng) -> Tensor:
        """The same for every image."""
        return torch.full((len(rng.ids),), self.field, device=rng.device)

    def flows(self, height: int, width: int, sizes: Tensor) -> Tensor:
        """The one flow."""
        return radial_flows.fisheye(height, width, self.field, sizes.device)
