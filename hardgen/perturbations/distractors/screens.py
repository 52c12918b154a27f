"""Distractors that frame the image: a border, a caption's bars, the buttons and bars of an app."""

import functools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import screens
from hardgen.functional.text import drawable, word_mask
from hardgen.knobs import knob
from hardgen.perturbations.distractors.overlay import Overlay
from hardgen.registry import register
from hardgen.rng import SampleRng

CAPTIONS = """
when you see it|nobody|meanwhile|that moment when|every single time|not again|one does not simply|
wait for it|well well well|i have no idea|just one more|this is fine|no context|before coffee|after work
"""
"""Words for captions, which name nothing one can see."""


@register("frame")
@dataclass(frozen=True)
class Frame(Overlay):
    """A border round the image, as a picture frame, behind the object.

    It grows inward from the edge, in a drawn colour, with a bright and a dark groove at fixed distances from the edge.
    """

    limits: ClassVar[str] = "A flat border: no shadow on the picture, no wood or gilding."

    width: float = knob(0.0, 0.25, "of the short side", "Width of the border on each side.")

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Borders each image."""
        height, width = batch.images.shape[-2:]
        depth = screens.from_edges(height, width).to(target.device)
        short = min(height, width)
        alpha = (self.width * short - depth + 0.5).clamp(0, 1)
        groove = screens.grooves(depth / short)
        colour = (0.1 + 0.7 * rng.uniform("colour", 3))[:, :, None, None]
        return alpha[None, None], (colour + groove).clamp(0, 1)


@register("meme_frame")
@dataclass(frozen=True)
class MemeFrame(Overlay):
    """Black or white bars above and below the image with a caption in each, as a meme is made.

    The bars come in from the edges; their captions stay where they are, so that narrow bars cut them. Captions are
    drawn of a list of phrases that name nothing one can see.
    """

    limits: ClassVar[str] = "Bars lie over the image, which is not scaled down; phrases in plain Latin capitals only."

    height: float = knob(0.0, 0.25, "of the short side", "Height of each bar.")

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Writes the captions and draws the bars over each image."""
        height, width = batch.images.shape[-2:]
        short = min(height, width)
        y = torch.arange(height, device=target.device, dtype=torch.float32)
        edge = torch.minimum(y, height - 1 - y)
        alpha = (self.height * short - edge).clamp(0, 1)[:, None].expand(height, width)
        phrases = [text for text in drawable(CAPTIONS.replace("\n", "")).split("|") if text]
        picks, dark = rng.uniform("captions", 2).tolist(), rng.uniform("dark").tolist()
        pictures = np.empty((len(batch), 1, height, width), np.float32)
        letters = max(round(0.08 * short), 1)
        for picture, pair, black in zip(pictures[:, 0], picks, dark, strict=True):
            ink = np.zeros((height, width), np.float32)
            for k, pick in enumerate(pair):
                mask = word_mask(phrases[int(pick * len(phrases))], letters, width)[1]
                h, w = min(mask.shape[0], height), min(mask.shape[1], width)
                top = min(round(0.03 * short), height - h) if k == 0 else max(height - h - round(0.03 * short), 0)
                ink[top : top + h, (width - w) // 2 : (width - w) // 2 + w] = mask[:h, :w] / np.float32(255)
            picture[:] = ink if black < 0.5 else 1 - ink
        return alpha[None, None], torch.from_numpy(pictures).to(target.device)


@register("screenshot")
@dataclass(frozen=True)
class Screenshot(Overlay):
    """The bars, buttons and messages of a phone's app over the image, as in a screenshot.

    A made-up screen (status and title bar, a column of buttons, messages, a tab bar) slides in over the image from top
    and bottom until it covers the share asked for; nothing of it moves, so that more screen shows all that less did.
    Colours of accent and a light or dark design are drawn.
    """

    limits: ClassVar[str] = "One made-up design with dashes for text; the image fills the frame behind it."

    share: float = knob(0.0, 0.5, "of the height", "Share of the frame's height that the screen takes.")

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Draws each image's screen and slides it in."""
        height, width = batch.images.shape[-2:]
        y = torch.arange(height, device=target.device, dtype=torch.float32)
        alpha = (self.share * height / 2 - torch.minimum(y, height - 1 - y)).clamp(0, 1)[:, None].expand(height, width)
        accents, dark = rng.uniform("accent", 3), rng.uniform("dark").tolist()
        ui, ink = _screen(height, width)
        shown, tint = torch.from_numpy(ui).to(target.device), torch.from_numpy(ink).to(target.device)
        grounds = torch.stack([shown if d < 0.5 else 1 - shown for d in dark])[:, None]
        colour = (0.1 + 0.8 * accents)[:, :, None, None]
        return alpha[None, None], torch.lerp(grounds.expand(-1, 3, -1, -1), colour.expand(-1, -1, height, width), tint)


@functools.lru_cache(maxsize=16)
def _screen(height: int, width: int) -> tuple[screens.Layer, screens.Layer]:
    return screens.app(height, width)
