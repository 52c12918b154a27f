"""Light that is not even: vignettes, gradients and shadows."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional.colour import POWER
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


def _places(images: Tensor) -> tuple[Tensor, Tensor]:
    """Row (H x 1) and column (1 x W) of pixel centres from the middle, in fractions of the short side."""
    height, width = images.shape[-2:]
    short = min(height, width)
    y = (torch.arange(height, device=images.device) + 0.5 - height / 2) / short
    x = (torch.arange(width, device=images.device) + 0.5 - width / 2) / short
    return y[:, None], x[None, :]


@register("vignette")
@dataclass(frozen=True)
class Vignette(PhotometricPerturbation):
    """Darkens the corners, as a poor lens or hood does.

    The light is multiplied by 2^-(r / radius)^2, with r the distance from the middle over that of the corners; display
    values stand for light by a power law of 2.2. A lens loses 1 to 4 stops at the corners, which is a radius of 1 to
    0.5; less is a peephole.
    """

    limits: ClassVar[str] = "Round and centred, by a power law of 2.2; not the fourth-power law of one lens."

    radius: float = knob(
        math.inf, 0.2, "of the way to the corners", "Where half of the light is left.", Scale.RECIPROCAL
    )

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Multiplies by a bell."""
        y, x = _places(images)
        far = (y.square() + x.square()) / (y[-1, 0] ** 2 + x[0, -1] ** 2).clamp(min=1e-6)
        return images * torch.exp2(far * (-1 / (POWER * self.radius**2)))


@register("uneven_light")
@dataclass(frozen=True)
class UnevenLight(PhotometricPerturbation):
    """Lets the light fall off across the image in a drawn direction, as from a window on one side.

    The light is multiplied by 2^(-stops t), where t goes evenly from 0 at one end to 1 at the other; display values
    stand for light by a power law of 2.2.
    """

    limits: ClassVar[str] = "A plain ramp of stops over the picture, blind to the scene's surfaces."

    stops: float = knob(0.0, 12.0, "stops", "Light that the dark end loses; each stop halves it.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Multiplies by a ramp."""
        y, x = _places(images)
        angle = (rng.uniform("angle") * (2 * math.pi))[:, None, None]
        along = angle.sin() * y + angle.cos() * x
        reach = (angle.sin() * y[-1, 0]).abs() + (angle.cos() * x[0, -1]).abs()
        dark = (0.5 + 0.5 * along / reach.clamp(min=1e-6)).clamp_(0.0, 1.0)
        return images * torch.exp2(dark.mul_(-self.stops / POWER))[:, None]


@register("shadow")
@dataclass(frozen=True)
class Shadow(PhotometricPerturbation):
    """Lays a shadow with a soft, straight edge over one side of the image.

    Display values in the shadow are multiplied by 1 - depth. The edge passes within 0.15 of the short side of the
    middle, at a drawn angle.
    """

    limits: ClassVar[str] = "A single straight edge, blind to the scene; no bluish light from the sky in the shadow."

    depth: float = knob(0.0, 0.95, "of the brightness", "Brightness that the shadow takes.")
    softness: float = setting(0.05, 0.005, 1.0, "of the short side", "Width of the edge.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Multiplies by a step."""
        y, x = _places(images)
        angle = (rng.uniform("angle") * (2 * math.pi))[:, None, None]
        offset = (rng.uniform("offset") * 0.3 - 0.15)[:, None, None]
        dark = ((angle.sin() * y + angle.cos() * x - offset) / self.softness + 0.5).clamp_(0.0, 1.0)
        return images * (1.0 - self.depth * dark)[:, None]
