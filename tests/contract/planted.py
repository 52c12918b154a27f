"""A good perturbation, and one for every fault of pixels, draws and words that the contract suite has to catch."""

import random
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.knobs import knob
from hardgen.perturbation import Doses, PhotometricPerturbation, PointwisePerturbation
from hardgen.rng import SampleRng


@dataclass(frozen=True)
class Good(PhotometricPerturbation):
    """Adds noise, the same for every channel."""

    limits: ClassVar[str] = "The noise is white."

    sigma: float = knob(0.0, hardest=0.3, unit="of full scale", doc="Noise standard deviation.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + self.sigma * rng.normal("noise", 1, *images.shape[2:])


class TorchGlobal(Good):
    """Takes its noise from torch's global generator."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + self.sigma * torch.randn_like(images[:, :1])


class NumpyGlobal(Good):
    """Takes its noise from numpy's global generator."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + self.sigma * float(np.random.standard_normal())


class PythonGlobal(Good):
    """Takes its noise from random's global generator."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + self.sigma * random.random()


class SeedsGlobal(Good):
    """Seeds the global generator before it uses it."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        torch.manual_seed(0)
        return images + self.sigma * torch.randn(1, 1, *images.shape[2:])


class WritesInput(Good):
    """Adds its noise in place."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images.add_(self.sigma * rng.normal("noise", 1, *images.shape[2:]))


class WrongNeutral(Good):
    """Darkens by a tenth and more as soon as it is not neutral."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images * (0.8 - self.sigma)


class FallsBack(Good):
    """Is strongest half way."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images * (1 - self.sigma * (0.31 - self.sigma) * 20)


class UsesBatchMean(Good):
    """Pulls images to the mean of the batch."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + self.sigma * (images.mean() - images)


class UsesIndex(Good):
    """Brightens images by their place in the batch."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + self.sigma * torch.linspace(0, 1, len(images) + 1)[1:, None, None, None]


class DrawsByKnob(Good):
    """Draws as many numbers as the knob says."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        n = 1 + round(self.sigma * 20)
        return images * (1 - self.sigma * rng.uniform("dots", n).mean(1)[:, None, None, None])


class NamesDrawByKnob(Good):
    """Draws anew for every value of the knob."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + self.sigma * rng.normal(f"noise{self.sigma}", 1, *images.shape[2:])


class NotANumber(Good):
    """Divides nought by nought where the image is black."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return (1 - self.sigma) * images * images / images


class DoublePrecision(Good):
    """Gives float64."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images * float(1 - self.sigma) * torch.ones(1, dtype=torch.float64)


class SpoilsDraw(Good):
    """Scales a draw in place, which the next condition then meets."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + rng.normal("noise", 1, *images.shape[2:]).mul_(self.sigma)


class Nothing(Good):
    """Gives back a copy."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images.clone()


class IgnoresSeed(Good):
    """Draws, and does not use what it drew."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        rng.uniform("unused")
        return images * (1 - self.sigma)


class IgnoresSlot(Good):
    """Draws under a slot of its own."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        rng.uniform("unused")
        return images + self.sigma * SampleRng(rng.seed, "mine", rng.ids).normal("noise", 1, *images.shape[2:])


class NeedsSquare(Good):
    """Adds the transposed image."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + self.sigma * images.transpose(2, 3)


class NeedsColour(Good):
    """Uses the third channel."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images + self.sigma * images[:, 2:3]


class BatchDose(Good):
    """Gives one dose for the whole batch."""

    def dose(self, after: Batch) -> Doses:
        return {"mean": after.images.mean()}


class Counts(Good):
    """Darkens more with every call, so that no two devices would agree."""

    calls: ClassVar[list[int]] = [0]

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        self.calls[0] += 1
        return images - 0.1 * (self.calls[0] % 2)


@dataclass(frozen=True)
class UsesPlaces(PointwisePerturbation):
    """Calls a curve what looks at where a value lies."""

    limits: ClassVar[str] = "None."

    depth: float = knob(0.0, hardest=0.5, unit="of full scale", doc="How dark the right edge is.")

    def curve(self, values: Tensor, batch: Batch, rng: SampleRng) -> Tensor:
        return values - self.depth * torch.linspace(0, 1, values.shape[3])


@dataclass(frozen=True)
class NoWords(Good):
    limits: ClassVar[str] = "None."


class NoLimits(Good):
    """Says nothing of what it leaves out."""

    limits: ClassVar[str] = ""


@dataclass(frozen=True)
class NoUnit(Good):
    """Has a knob without a unit."""

    sigma: float = knob(0.0, hardest=0.3, unit="", doc="Noise standard deviation.")


@dataclass(frozen=True)
class Unchecked(Good):
    """Takes any value."""

    def __post_init__(self) -> None:
        pass


@dataclass(frozen=True)
class HoldsFunction(Good):
    """Holds what neither JSON nor a worker takes."""

    way: object = field(default_factory=lambda: lambda: 0)
