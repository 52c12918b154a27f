"""Colours as people with a colour vision deficiency see them."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional import tone
from hardgen.functional.colour import toward
from hardgen.knobs import knob
from hardgen.perturbations.colour.base import ColourMatrix
from hardgen.registry import register
from hardgen.rng import SampleRng


class Deficiency(enum.Enum):
    """Which cones are missing."""

    protanopia = "protanopia"
    deuteranopia = "deuteranopia"
    tritanopia = "tritanopia"


MATRICES = {
    Deficiency.protanopia: (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    Deficiency.deuteranopia: (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    Deficiency.tritanopia: (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Matrices of linear light at severity 1 (Machado, Oliveira and Fernandes 2009)."""


@register("colour_blindness")
@dataclass(frozen=True)
class ColourBlindness(ColourMatrix):
    """Shows colours as a person who lacks one kind of cone sees them.

    Linear light goes toward the matrix of Machado et al. (2009) at severity 1, in a straight line; their own matrices
    for severities between follow a curve near it. It ends at severity 1: a cone that is missing cannot be missing more
    (`desaturation` goes on, to no colour at all).
    """

    limits: ClassVar[str] = "Severities between 0 and 1 are blends, not shifted cone sensitivities."

    severity: float = knob(0.0, 1.0, "of the deficiency", "Share of the way to a missing cone.")
    deficiency: Deficiency = Deficiency.deuteranopia

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Mixes light."""
        return tone.from_light(super().perturb(tone.to_light(images), rng).clamp_(0.0, 1.0))

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """On the way to the deficiency."""
        return toward(torch.tensor(MATRICES[self.deficiency]), self.severity)
