"""What the colour perturbations share: a matrix for each image."""

from abc import abstractmethod

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.colour import mix, mixing
from hardgen.functional.sources import Making
from hardgen.perturbation import Doses, PhotometricPerturbation
from hardgen.rng import SampleRng


class ColourMatrix(PhotometricPerturbation):
    """Multiplies R, G and B by a matrix; grey images have no colour to change and stay as they are."""

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Leaves grey images out."""
        after, doses = super().apply(batch, rng)
        if after.source is None and bool(batch.grey.any()):
            after = batch.replace(torch.where(batch.grey[:, None, None, None], batch.images, after.images))
        return after, doses

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Mixes the channels."""
        return mix(images, self._each(rng, len(images)).to(images.device))

    def making(self, batch: Batch, rng: SampleRng) -> Making | None:
        """Mixes the channels of one image; a grey one's by no matrix."""
        if batch.shape[1] == 1:
            return None
        matrices = self._each(rng, len(batch))
        return mixing(torch.where(batch.grey[:, None, None], torch.eye(3), matrices))

    def _each(self, rng: SampleRng, count: int) -> Tensor:
        return self.matrices(rng, count).expand(count, 3, 3).contiguous()

    @abstractmethod
    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """3 x 3 or count x 3 x 3 float32: output channel by input channel."""
