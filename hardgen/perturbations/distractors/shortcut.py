"""The watermark of ImageNet-W."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.strokes import written
from hardgen.knobs import knob, setting
from hardgen.perturbations.distractors.overlay import Overlay
from hardgen.registry import register
from hardgen.rng import SampleRng

TEXT = "捷径" * 3


@register("shortcut_watermark")
@dataclass(frozen=True)
class ShortcutWatermark(Overlay):
    """White Chinese characters across the left and middle of every image, more or less see-through.

    After ImageNet-W (Li et al. 2023, "A whac-a-mole dilemma", arXiv:2212.04825): the word for shortcut three times,
    with opacity 0.5, upper left corner at 0.01 of the width and 0.4 of the height, characters 1 / 6.22 of the side
    high. Networks take this mark, common on pictures of cartons, for a sign of the class carton. The characters are
    drawn from strokes of this package, not set in the original's font. It lies over the object, as there.
    """

    limits: ClassVar[str] = (
        "Strokes of one thickness stand for the original's font, and every image bears the same mark."
    )

    opacity: float = knob(0.0, 1.0, "of full", "How far the mark replaces the image.")
    size: float = setting(1 / 6.22, 0.02, 0.5, "of the short side", "Side of a character.")
    x: float = setting(0.01, 0.0, 0.9, "of the width", "Left edge of the mark.")
    y: float = setting(0.4, 0.0, 0.9, "of the height", "Upper edge of the mark.")
    protect: bool = False

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Writes the mark, once for all images."""
        height, width = batch.images.shape[-2:]
        mark = written(TEXT, max(round(self.size * min(height, width)), 1))
        top, left = min(int(self.y * height), height - 1), min(int(self.x * width), width - 1)
        h, w = min(mark.shape[0], height - top), min(mark.shape[1], width - left)
        alpha = torch.zeros(1, 1, height, width)
        alpha[0, 0, top : top + h, left : left + w] = torch.from_numpy(np.array(mark[:h, :w]))
        return (alpha * self.opacity).to(target.device), torch.ones(1, 1, 1, 1, device=target.device)
