"""What the colour perturbations share: a matrix for each image."""

from abc import abstractmethod

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.colour import mix
from hardgen.perturbation import Doses, PhotometricPerturbation
from hardgen.rng import SampleRng


class ColourMatrix(PhotometricPerturbation):
    """Multiplies R, G and B by a matrix; grey images have no colour to change and stay as they are."""

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Leaves grey images out."""
        images = self.perturb(batch.images, rng)
        if bool(batch.grey.any()):
            images = torch.where(batch.grey[:, None, None, None], batch.images, images)
        return batch.replace(images), {}

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Mixes the channels."""
        return mix(images, self.matrices(rng, len(images)).to(images.device).expand(len(images), 3, 3).contiguous())

    @abstractmethod
    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """3 x 3 or count x 3 x 3 float32: output channel by input channel."""
