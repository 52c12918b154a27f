"""Kinds of motion that are quicker than a flow for each image: of flat sheets, and along flows that images share."""

from abc import abstractmethod

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.motions import Motion, Planar
from hardgen.perturbation import GeometricPerturbation
from hardgen.rng import SampleRng


class PlanarPerturbation(GeometricPerturbation):
    """Moves the image as a flat sheet: by a projective map, which is quicker than a flow."""

    def motion(self, batch: Batch, rng: SampleRng) -> Planar:
        """By `maps`."""
        return Planar(self.maps(batch, rng), (batch.shape[-2], batch.shape[-1]))

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """The flow of `maps`."""
        return self.motion(batch, rng).flow()

    @abstractmethod
    def maps(self, batch: Batch, rng: SampleRng) -> Tensor:
        """From (x, y, 1) in the moved image to where it is taken from, in pixels from the centre: B x 3 x 3 float32."""


class FewFlows(GeometricPerturbation):
    """Moves along a flow that one number sets, drawn from so few that several images of a batch share it."""

    def motion(self, batch: Batch, rng: SampleRng) -> Motion:
        """Makes each flow once."""
        height, width = batch.shape[-2:]
        sizes, places = torch.unique(self.sizes(rng), return_inverse=True)
        return Motion(self.flows(height, width, sizes), places)

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """A flow for each image."""
        return self.motion(batch, rng).flow()

    @abstractmethod
    def sizes(self, rng: SampleRng) -> Tensor:
        """The number of each image, B."""

    @abstractmethod
    def flows(self, height: int, width: int, sizes: Tensor) -> Tensor:
        """The flows of numbers, as many x height x width x 2."""
