"""Blur that grows over the image: towards the edges of the field, away from a plane in focus."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional.varying import varying_blur
from hardgen.functional.waves import coordinates
from hardgen.knobs import knob, setting
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"


@register("lens_blur")
@dataclass(frozen=True)
class LensBlur(PhotometricPerturbation):
    """Blurs more and more from the centre to the corners, as a lens with a curved field does.

    The standard deviation of the Gaussian blur is that of the knob in the corners and falls with the square of the
    distance from the centre.
    """

    limits: ClassVar[str] = (
        "A round Gaussian at every place: no coma, astigmatism, colour fringes or vignette, and the centre stays sharp."
    )

    sigma: float = knob(0.0, 0.15, SHORT_SIDE, "Standard deviation of the blur in the corners.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Blurs by the distance from the centre."""
        height, width = images.shape[-2:]
        x, y = coordinates(height, width, images.device)
        reach = torch.tensor([height, width]) / (2 * min(height, width))
        square = (x - reach[1].item()).square() + (y - reach[0].item()).square()
        share = square[None, None] / float(reach.square().sum())
        return varying_blur(images, share, self.sigma * min(height, width))


@register("tilt_shift")
@dataclass(frozen=True)
class TiltShift(PhotometricPerturbation):
    """Blurs more and more away from a sharp band, as a tilted lens or a shallow focus across a plane does.

    The band's direction and place (in the middle half of the image) are drawn, unless the angle is set. The standard
    deviation of the Gaussian blur grows with the distance from the band, up to that of the knob at one half of the
    short side.
    """

    limits: ClassVar[str] = "Blur follows a straight gradient over the picture and knows nothing of the scene's depth."

    sigma: float = knob(0.0, 0.12, SHORT_SIDE, "Standard deviation of the blur half a short side from the band.")
    angle: float | None = setting(None, 0.0, 180.0, "degrees", "Direction of the band, counter-clockwise from level.")
    band: float = setting(0.1, 0.0, 1.0, SHORT_SIDE, "Width of the sharp band.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Blurs by the distance from the band."""
        height, width = images.shape[-2:]
        short = min(height, width)
        turn = rng.uniform("angle") * 180.0
        angle = torch.deg2rad(turn if self.angle is None else torch.full_like(turn, self.angle))[:, None, None]
        place = rng.uniform("place", 2)
        x, y = coordinates(height, width, images.device)
        x = x - ((place[:, 0] / 2 + 0.25) * (width / short))[:, None, None]
        y = y - ((place[:, 1] / 2 + 0.25) * (height / short))[:, None, None]
        away = (x * angle.sin() + y * angle.cos()).abs_().sub_(self.band / 2).clamp_(min=0.0)
        return varying_blur(images, away.mul_(2.0).clamp_(max=1.0)[:, None], self.sigma * short)
