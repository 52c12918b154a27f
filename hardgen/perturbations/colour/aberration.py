"""Colours that a lens does not bring to one place."""

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import flows
from hardgen.functional.motions import Planar
from hardgen.functional.sampling import Border, Picture
from hardgen.functional.sources import Making
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
        red, blue = (
            sheet.move(images[:, c : c + 1].contiguous(), Border.edge) for c, sheet in self._sheets(images, rng)
        )
        same = (images == images[:, :1]).flatten(1).all(1)[:, None, None, None]
        return torch.where(same, images, torch.cat((red, images[:, 1:2], blue), 1))

    def making(self, batch: Batch, rng: SampleRng) -> Making | None:
        """The same for one image."""
        if batch.shape[1] == 1:
            return None
        grey = batch.grey.tolist()
        moves = [(c, sheet.making(Border.edge).floats) for c, sheet in self._sheets(batch, rng)]

        def one(image: Picture, i: int) -> Picture:
            if grey[i]:
                return image
            channels: list[Picture] = list(cv2.split(image))
            for c, move in moves:
                channels[c] = move(channels[c], i)
            return np.asarray(cv2.merge(channels))

        return Making(one, one)

    def _sheets(self, of: Tensor | Batch, rng: SampleRng) -> list[tuple[int, Planar]]:
        """How red and blue move, each by the number of its channel."""
        sign = (rng.integers("direction", 2) * 2 - 1).float()[:, None, None]
        sides = ((0, -1), (2, 1))
        eye = torch.eye(2, device=of.device)
        maps = [(c, flows.linear(eye * (1 + side * sign * 2 * self.displacement))) for c, side in sides]
        return [(c, Planar(each, (of.shape[-2], of.shape[-1]))) for c, each in maps]
