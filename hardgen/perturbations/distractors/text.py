"""Written words over the image: a caption that lies, a watermark."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.errors import HardgenError, shown
from hardgen.functional.coverage import coverage
from hardgen.functional.layering import Stamp, quiet_place, stamp
from hardgen.functional.text import drawable, word_mask
from hardgen.knobs import knob, setting
from hardgen.perturbation import Doses, Perturbation
from hardgen.perturbations.distractors.donors import protected
from hardgen.registry import register
from hardgen.rng import SampleRng

TALLEST = 0.3
PLACES = 16

PLAIN_WORDS = """
about above again almost along always among answer because before begin better between bring carry change
close common cover decide early either enough every expect family follow forget general happen idea important
instead itself later learn listen maybe member mention minute nature never number often other perhaps please
problem question rather reason remember result second should simple special thank through together tomorrow
usual value
"""
"""Words that name nothing one can see."""


class Words(enum.Enum):
    """What is written."""

    wrong_label = "wrong_label"
    label = "label"
    random_word = "random_word"


def word_at(text: str, height: int, size: tuple[int, int], place: tuple[float, float]) -> Stamp:
    """A word whose room in the frame is divided by the shares `place` (above, left of it) in [0, 1]."""
    outline, letters = (torch.from_numpy(a.astype(np.float32) / 255) for a in word_mask(text, height, size[1]))
    h, w = letters.shape
    return Stamp(outline, letters, max(round((size[0] - h) * place[0]), 0), round((size[1] - w) * place[1]))


@register("text_overlay")
@dataclass(frozen=True)
class TextOverlay(Perturbation):
    """A word written over the image, white with a dark outline: a typographic attack.

    After Goh et al. (2021, "Multimodal neurons in artificial neural networks", Distill). The word is drawn for each
    image: another class's name, the image's own, or a plain word that names nothing; of a class's names the first
    before a comma counts. It is written in capitals, whose height the knob gives; the outline comes on top, and a word
    too wide for the frame is condensed to it. Of 16 drawn places the first counts that keeps the tallest text's
    rectangle at most `overlap` of the target (the mask, else the boxes, else a central rectangle), or else the one
    with the least; so the place is the same at every height and a taller text's rectangle holds a smaller one's.

    Doses: `text_height` of the short side, and those of `coverage`.
    """

    limits: ClassVar[str] = (
        "Flat text in one sans-serif font of plain Latin capitals, not part of the scene; "
        "a class name in another script is written as 'CLASS' and its number."
    )
    exemptions: ClassVar[dict[str, str]] = {
        "monotone.height": "letters shift over the ground as they grow: on photographs 1 step of 0.05 in 100 brings an "
        "image a little (0.004 of full scale) nearer the clean one",
    }

    height: float = knob(0.0, hardest=TALLEST, unit="of the short side", doc="Height of the capital letters.")
    words: Words = Words.wrong_label
    overlap: float = setting(0.1, 0.0, 1.0, "of the target", "Share of the target that the text should not exceed.")
    centre: float = setting(0.5, 0.0, 1.0, "of each side", "Central rectangle kept free where there is no target.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Draws each image's word and place, and writes it."""
        size = (batch.images.shape[-2], batch.images.shape[-1])
        short = min(size)
        pixels = round(self.height * short)
        target = protected(batch, self.centre)
        stamps: list[Stamp | None] = [None] * len(batch)
        if pixels:
            places = rng.uniform("places", PLACES, 2).tolist()
            stamps = [
                word_at(text, pixels, size, self._place(text, mask, row))
                for text, mask, row in zip(self._texts(batch, rng), target, places, strict=True)
            ]
        images, alpha = stamp(batch.images, stamps)
        return batch.replace(images), {
            "text_height": torch.full((len(batch),), pixels / short, device=images.device),
            **coverage(batch, alpha, target),
        }

    def _place(self, text: str, target: Tensor, places: list[list[float]]) -> tuple[float, float]:
        """The first drawn place that keeps the tallest text off the target, or else the one that covers least of it."""
        height, width = target.shape[-2:]
        tallest = max(round(TALLEST * min(height, width)), 1)
        h, w = (min(a, b) for a, b in zip(word_mask(text, tallest, width)[0].shape, (height, width), strict=True))
        return quiet_place(target[0], h, w, places, self.overlap)

    def _texts(self, batch: Batch, rng: SampleRng) -> list[str]:
        draws = rng.uniform("word").tolist()
        if self.words is Words.random_word:
            plain = drawable(PLAIN_WORDS).split()
            return [plain[int(draw * len(plain))] for draw in draws]
        owner = f"{self.name}.words={self.words.name}"
        if not batch.classes:
            raise HardgenError(f"{owner} needs data with class names; these have none (use words=random_word)")
        names = [drawable(name.split(",")[0]) or f"CLASS {i}" for i, name in enumerate(batch.classes)]
        texts = []
        for sample, label, draw in zip(batch.ids, batch.labels, draws, strict=True):
            if not 0 <= label < len(names):
                raise HardgenError(f"{owner} needs labelled data; sample {sample!r} has no class (use random_word)")
            own = names[label]
            choice = [own] if self.words is Words.label else [name for name in names if name != own]
            if not choice:
                raise HardgenError(f"{owner} needs a second class; there is only {own!r} (use random_word)")
            texts.append(choice[int(draw * len(choice))])
        return texts


LONGEST = 100
"""Characters of a watermark."""


@register("watermark")
@dataclass(frozen=True)
class Watermark(Perturbation):
    """One word written through the middle of every image, more or less see-through.

    After the watermark shortcut of ImageNet-W (Li et al. 2023, "A whac-a-mole dilemma", arXiv:2212.04825: white text
    across the image, half opaque, letters 0.16 of the side high). The word is white with a dark outline, in capitals;
    its middle is the image's middle, and one too wide for the frame is condensed to it. The image is
    x + opacity (marked - x), so that every opacity shows the same mark.

    Doses: those of `coverage`, whatever the opacity.
    """

    limits: ClassVar[str] = "The same word at the same place in every image, whatever its class; plain Latin capitals."

    opacity: float = knob(0.0, hardest=1.0, unit="of full", doc="How far the mark replaces the image.")
    height: float = setting(0.16, 0.02, 0.5, "of the short side", "Height of the capital letters.")
    text: str = "SAMPLE"

    def __post_init__(self) -> None:
        """Checks the text with the other fields."""
        super().__post_init__()
        if not drawable(self.text) or len(self.text) > LONGEST:
            allowed = f"at most {LONGEST} characters, one of plain Latin script among them"
            raise HardgenError(f"{self.name}.text must be {allowed}; got {shown(self.text)}")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Writes the word and blends it in."""
        size = (batch.images.shape[-2], batch.images.shape[-1])
        word = word_at(drawable(self.text), max(round(self.height * min(size)), 1), size, (0.5, 0.5))
        marked, alpha = stamp(batch.images, [word] * len(batch))
        return batch.replace(torch.lerp(batch.images, marked, self.opacity)), coverage(batch, alpha)
