"""Silhouettes: the outline is all there is."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.layering import share
from hardgen.functional.sampling import boxes_to_mask
from hardgen.functional.segment import figure
from hardgen.knobs import knob
from hardgen.perturbation import Doses, Perturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("silhouette")
@dataclass(frozen=True)
class Silhouette(Perturbation):
    """Fades into a black shape on white.

    The shape is the image's mask; where it has none, its boxes, which are rectangles; where it has neither, a guess by
    brightness alone: the side of Otsu's (1979) threshold that touches the frame less, which is often not the object.
    The stimuli `silhouette` of Geirhos et al. (2019, arXiv 1811.12231) are cut out by hand.

    Doses: `figure`, the black share of the image; `guessed`, 1 where the shape is a guess and 0 where it was known.
    """

    limits: ClassVar[str] = (
        "Without masks the shape is a rectangle or a guess from brightness, with no notion of an object; the shape's "
        "edge is hard, and all that lies inside it and round it is lost alike."
    )

    amount: float = knob(0.0, 1.0, "of the way", "How far the image goes to the silhouette.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Blends to black on white."""
        shape, guessed = _shape(batch)
        images = torch.lerp(batch.images, (~shape).to(batch.images.dtype), self.amount)
        return batch.replace(images), {"figure": share(shape), "guessed": guessed.float()}


def _shape(batch: Batch) -> tuple[Tensor, Tensor]:
    """The shape, B x 1 x H x W bool, and for each image whether it is a guess, B bool."""
    known = torch.zeros_like(batch.images[:, :1], dtype=torch.bool)
    if batch.masks is not None:
        known |= batch.masks
    missing = ~known.flatten(1).any(1)
    if batch.boxes is not None and bool(missing.any()):
        boxes = boxes_to_mask(batch.boxes, *batch.images.shape[-2:]).to(batch.images.device)
        known |= boxes & missing[:, None, None, None]
        missing = ~known.flatten(1).any(1)
    if bool(missing.any()):
        known[missing] = figure(batch.images[missing])
    return known, missing
