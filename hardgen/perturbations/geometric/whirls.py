"""Whirls: the middle of the image turned or drawn together."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional import radial_flows
from hardgen.knobs import knob, setting
from hardgen.perturbations.geometric.affine import like, signs
from hardgen.perturbations.geometric.base import FewFlows
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("swirl")
@dataclass(frozen=True)
class Swirl(FewFlows):
    """Twists the image about its centre, as coffee that is stirred.

    The turn is `degrees` at the centre and falls as (1 - r / radius)^2 to none at the radius, one way or the other.
    """

    limits: ClassVar[str] = "A twist in the image plane that no camera or scene makes: a test of shape, not of weather."
    exemptions: ClassVar[dict[str, str]] = {"monotone.degrees": like(24, 0.041)}

    degrees: float = knob(0.0, 360.0, "degrees", "Turn at the centre.")
    radius: float = setting(0.7, 0.05, 4.0, "of the short side", "Where the turn ends.")

    def sizes(self, rng: SampleRng) -> Tensor:
        """The turn, one way or the other."""
        return signs(rng) * self.degrees

    def flows(self, height: int, width: int, sizes: Tensor) -> Tensor:
        """Twists by turns."""
        return radial_flows.swirl(height, width, sizes, self.radius * min(height, width))


@register("pinch")
@dataclass(frozen=True)
class Pinch(FewFlows):
    """Draws the middle of the image together and twists it, as cloth that is pinched.

    A pixel at distance d (in radii) is taken from d sin(pi d / 2)^-amount and turned by amount * twist (1 - d)^2, one
    way or the other. The effect, not the parameters, of `pinch_and_twirl` in ImageNet-C-bar (Mintun et al. 2021).
    """

    limits: ClassVar[str] = (
        "A twist in the image plane that no camera or scene makes; the small middle is not filtered."
    )
    exemptions: ClassVar[dict[str, str]] = {"monotone.amount": like(5, 0.014)}

    amount: float = knob(0.0, 0.9, "of a full pinch", "Exponent of the pinch: 1 would draw the rim to the centre.")
    twist: float = setting(180.0, 0.0, 720.0, "degrees", "Turn at the centre of a full pinch.")
    radius: float = setting(0.6, 0.05, 4.0, "of the short side", "Where the pinch ends.")

    def sizes(self, rng: SampleRng) -> Tensor:
        """The turn, one way or the other."""
        return signs(rng) * (self.amount * self.twist)

    def flows(self, height: int, width: int, sizes: Tensor) -> Tensor:
        """Pinches, and twists by turns."""
        return radial_flows.pinch(height, width, self.amount, sizes, self.radius * min(height, width))
