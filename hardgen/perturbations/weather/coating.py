"""What every covering layer shares: an order of pixels, and what the layer shows."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.coating import coat, covered_by_rank
from hardgen.functional.coverage import coverage
from hardgen.functional.layering import with_channels
from hardgen.knobs import knob
from hardgen.perturbation import Doses, Perturbation
from hardgen.rng import SampleRng


@dataclass(frozen=True)
class Coating(Perturbation):
    """Covers an exact fraction of the image, pixel after pixel in an order drawn for each image."""

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels that is covered.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Covers each image, and says how much of it and of its target is covered."""
        ranks = self.ranks(batch, rng)
        covered = covered_by_rank(ranks, self.fraction)
        images = coat(self.beneath(batch), self.layer(batch, rng, ranks[:, None]), covered, self.edge)
        return batch.replace(images), coverage(batch, covered)

    @property
    def edge(self) -> float:
        """Width of the soft edge, of the short side."""
        return 0.0

    def beneath(self, batch: Batch) -> Tensor:
        """The images that are covered: as they are, unless overridden."""
        return batch.images

    @abstractmethod
    def ranks(self, batch: Batch, rng: SampleRng) -> Tensor:
        """The order in which pixels are covered, B x H x W float32."""

    @abstractmethod
    def layer(self, batch: Batch, rng: SampleRng, ranks: Tensor) -> Tensor:
        """What the layer shows wherever it may lie, whatever the fraction: broadcasts to B x C x H x W.

        Args:
            batch: What is covered.
            rng: Draws.
            ranks: B x 1 x H x W, as `ranks` gave them.
        """


def tint(batch: Batch, colour: tuple[float, float, float]) -> Tensor:
    """A colour for each image, B x C x 1 x 1; grey images get its brightness."""
    canvas, channels = torch.tensor(colour, device=batch.images.device)[None, :, None, None], batch.images.shape[1]
    grey = batch.grey[:, None, None, None]
    return torch.where(grey, with_channels(canvas, channels, grey=True), with_channels(canvas, channels))


def stacked(rows: list[NDArray[np.float32]], batch: Batch) -> Tensor:
    """Fields of all images, B x H x W, on the batch's device."""
    return torch.from_numpy(np.stack(rows)).to(batch.images.device)
