"""Lost rows, and halos of too much sharpening."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.filters import gaussian_blur
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import Doses, Perturbation, PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

BANDS = 224
"""Rows of the transmitted picture; an image of another height shares them out evenly."""


@register("dropped_rows")
@dataclass(frozen=True)
class DroppedRows(Perturbation):
    """Blacks out rows, as after lost lines of a transmission.

    The picture has 224 rows whatever its height in pixels, dropped in a drawn order, so that more include fewer.
    """

    limits: ClassVar[str] = "Rows are lost one by one, not in bursts, and nothing conceals them."

    share: float = knob(0.0, 0.95, "of the rows", "Rows that are lost.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Drops rows; `covered` is the share of the image's rows that are lost."""
        height = batch.images.shape[2]
        bands = torch.arange(height, device=batch.images.device).mul(BANDS).add(BANDS // 2) // height
        lost = (rng.permutation("order", BANDS) < round(self.share * BANDS))[:, bands.clamp(max=BANDS - 1)]
        images = batch.images.masked_fill(lost[:, None, :, None], 0.0)
        return batch.replace(images), {"covered": lost.float().mean(1)}


@register("over_sharpen")
@dataclass(frozen=True)
class OverSharpen(PhotometricPerturbation):
    """Sharpens too much, with halos along edges.

    An unsharp mask: every value v becomes m + detail (v - m), with m the mean about the pixel under a Gaussian whose
    standard deviation is `radius`.
    """

    limits: ClassVar[str] = "Detail of one scale, in display values; noise is not held back."

    detail: float = knob(1.0, 16.0, "times", "By how much detail is multiplied.", Scale.LOG)
    radius: float = setting(0.007, 0.003, 0.1, "of the short side", "Standard deviation of the Gaussian.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Goes away from the blurred image."""
        mean = gaussian_blur(images, self.radius * min(images.shape[-2:]))
        return torch.lerp(mean, images, self.detail)
