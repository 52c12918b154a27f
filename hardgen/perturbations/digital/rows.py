"""Lost rows, and halos of too much sharpening."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.knobs import knob
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

    Every value v becomes v + gain (v - mean), with the mean over a square around the pixel of 0.02 of the short side.
    """

    limits: ClassVar[str] = "A square neighbourhood at one scale, in display values; noise is not held back."

    gain: float = knob(0.0, 20.0, "of the detail", "How much of the detail is added.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds what differs from the neighbourhood."""
        reach = max(1, round(0.01 * min(images.shape[-2:])))
        padded = torch.nn.functional.pad(images, (reach,) * 4, mode="replicate")
        mean = torch.nn.functional.avg_pool2d(padded, 2 * reach + 1, stride=1)
        return images.mul(1.0 + self.gain).sub_(mean, alpha=self.gain)
