"""A good geometric perturbation, and faults with boxes and masks that the contract suite has to catch."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.knobs import knob
from hardgen.perturbation import Doses, GeometricPerturbation
from hardgen.rng import SampleRng
from tests.contract.planted import Good


@dataclass(frozen=True)
class Shift(GeometricPerturbation):
    """Moves the image to the right."""

    limits: ClassVar[str] = "The border is mirrored."
    exemptions: ClassVar[dict[str, str]] = {"monotone": "what is moved may come to lie on its like"}

    distance: float = knob(0.0, hardest=0.2, unit="of the short side", doc="How far the image moves.")

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        height, width = batch.shape[-2:]
        y, x = torch.meshgrid(torch.arange(float(height)), torch.arange(float(width)), indexing="ij")
        flow = torch.stack((x - self.distance * min(height, width), y), -1)
        return flow.expand(len(batch), -1, -1, -1).contiguous().to(batch.device)


class MovesBoxesTooFar(Shift):
    """Moves boxes three pixels on."""

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        after, doses = super().apply(batch, rng)
        assert after.boxes is not None
        for rows in after.boxes:
            rows[:, ::2] += 3
        return after, doses


class LeavesMasks(Shift):
    """Moves the image and not the mask."""

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        after, doses = super().apply(batch, rng)
        assert after.masks is not None
        assert batch.masks is not None
        after.masks.copy_(batch.masks)
        return after, doses


class MovesMasks(Good):
    """Changes pixel values and, of all things, the masks."""

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        after, doses = super().apply(batch, rng)
        object.__setattr__(after, "masks", torch.zeros_like(batch.masks))
        return after, doses
