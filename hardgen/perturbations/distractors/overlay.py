"""What see-through and painted distractors share: they lie on the image, behind the target unless told otherwise."""

from abc import abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.coverage import coverage
from hardgen.functional.layering import with_channels
from hardgen.knobs import setting
from hardgen.perturbation import Doses, Perturbation
from hardgen.perturbations.distractors.donors import protected
from hardgen.rng import SampleRng


@dataclass(frozen=True)
class Overlay(Perturbation):
    """Paints a picture over the image with an alpha of its own: x + alpha (picture - x).

    With `protect` nothing is painted over the target: the mask, else the boxes; for an image that has neither, a
    central rectangle. Doses: those of `coverage`, of the alpha.
    """

    protect: bool = True
    centre: float = setting(0.5, 0.0, 1.0, "of each side", "Central rectangle kept free where there is no target.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Paints each image."""
        target = protected(batch, self.centre)
        alpha, picture = self.paint(batch, rng, target)
        if self.protect:
            alpha = alpha * ~target
        picture = in_colours_of(batch, picture)
        images = torch.addcmul(batch.images, picture - batch.images, alpha)
        return batch.replace(images), coverage(batch, alpha.expand(len(batch), -1, -1, -1), target)

    @abstractmethod
    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """The alpha, B or 1 x 1 x H x W float32, and the picture, B or 1 x 1 or 3 x H or 1 x W or 1 float32."""


def in_colours_of(batch: Batch, picture: Tensor) -> Tensor:
    """A picture with as many channels as the batch, grey where an image is grey: B or 1 x C x h x w."""
    channels = batch.images.shape[1]
    coloured = with_channels(picture, channels)
    if picture.shape[1] == 1 or channels == 1 or not bool(batch.grey.any()):
        return coloured
    return torch.where(batch.grey[:, None, None, None], with_channels(picture, channels, grey=True), coloured)
