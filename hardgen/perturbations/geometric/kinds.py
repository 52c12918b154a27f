"""Flows of few kinds: one for every size of a draw, that images share."""

from abc import abstractmethod

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.motions import Motion
from hardgen.perturbation import GeometricPerturbation
from hardgen.rng import SampleRng


class FewFlows(GeometricPerturbation):
    """Moves along a flow that one number sets, drawn from so few that several images of a batch share it."""

    def motion(self, batch: Batch, rng: SampleRng) -> Motion:
        """Makes each flow once."""
        height, width = batch.images.shape[-2:]
        sizes, places = torch.unique(self.sizes(rng), return_inverse=True)
        return Motion(self.flows(height, width, sizes), places)

    def flow(self, images: Tensor, rng: SampleRng) -> Tensor:
        """A flow for each image."""
        return self.flows(images.shape[-2], images.shape[-1], self.sizes(rng))

    @abstractmethod
    def sizes(self, rng: SampleRng) -> Tensor:
        """The number of each image, B."""

    @abstractmethod
    def flows(self, height: int, width: int, sizes: Tensor) -> Tensor:
        """The flows of numbers, as many x height x width x 2."""
