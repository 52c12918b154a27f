"""Colours that a lens does not bring to one place."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional.sampling import Border, resample
from hardgen.knobs import knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("chromatic_aberration")
@dataclass(frozen=True)
class ChromaticAberration(PhotometricPerturbation):
    """Magnifies red and blue differently from green, so that edges have coloured fringes, more so far from the middle.

    As transverse (lateral) chromatic aberration of a simple lens: at half the short side from the middle, red lies
    outside of green by the displacement and blue inside by as much, or the other way round as drawn. Grey images, whose
    three channels are one, stay as they are. ImageNet-C-bar's `transverse_chromatic_abberation` (arXiv 2102.11273)
    magnifies three channels in drawn order by 1, 1 + s / 40 and 1 + s / 20 at severity s, which is 0.0125 s.
    """

    limits: ClassVar[str] = "Three wavelengths stand for all; no axial aberration, whose fringes are blurs."

    displacement: float = knob(0.0, 0.125, "of the short side", "Way of red and of blue from green.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Samples red and blue at another magnification."""
        if images.shape[1] == 1:
            return images
        height, width = images.shape[-2:]
        y, x = (torch.arange(n, device=images.device) - (n - 1) / 2 for n in (height, width))
        away = torch.stack((x.expand(height, width), y[:, None].expand(height, width)), -1)
        centre = torch.tensor([(width - 1) / 2, (height - 1) / 2], device=images.device)
        sign = (rng.integers("direction", 2) * 2 - 1)[:, None, None, None]
        channels = [images[:, 1:2]]
        for place, side in ((0, -1), (2, 1)):
            flow = away * (1 + side * sign * 2 * self.displacement) + centre
            moved = resample(images[:, place : place + 1].contiguous(), flow, border=Border.edge)
            channels.insert(place, moved)
        fringed = torch.cat(channels, 1)
        same = (images == images[:, :1]).flatten(1).all(1)[:, None, None, None]
        return torch.where(same, images, fringed)
