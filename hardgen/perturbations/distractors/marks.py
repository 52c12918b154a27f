"""Distractors that are painted on the image: a logo, faces, stripes, lines."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import marks
from hardgen.functional.layering import quiet_place
from hardgen.functional.patterns import lattice
from hardgen.knobs import knob, setting
from hardgen.perturbations.distractors.overlay import Overlay
from hardgen.registry import register
from hardgen.rng import SampleRng

MOST_FACES = 32
MOST_LINES = 64
PLACES = 16


@register("logo")
@dataclass(frozen=True)
class Logo(Overlay):
    """A geometric sign in one colour at the side of the object, as a broadcaster's or a maker's mark.

    One of six signs, in a drawn bright or dark colour. Of 16 drawn places the first counts where the sign's square
    keeps off the target, or else the one with the least of it, and there the target stays in front. It ends opaque: a
    sign beside the object draws attention and hides the surroundings, and no more than that.
    """

    limits: ClassVar[str] = "Invented plain signs: no real brand, whose meaning a model might know."

    opacity: float = knob(0.0, 1.0, "of full", "How far the sign replaces the image.")
    size: float = setting(0.35, 0.02, 1.0, "of the short side", "Side of the sign.")

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Draws each image's sign, place and colour."""
        height, width = batch.images.shape[-2:]
        side = min(max(round(self.size * min(height, width)), 1), height, width)
        places, kinds = rng.uniform("places", PLACES, 2), rng.integers("sign", marks.LOGOS).tolist()
        alpha = torch.zeros(len(batch), 1, height, width)
        for i, kind in enumerate(kinds):
            down, along = quiet_place(target[i, 0], side, side, places[i].tolist(), 0.0)
            top, left = round(down * (height - side)), round(along * (width - side))
            alpha[i, 0, top : top + side, left : left + side] = torch.from_numpy(np.array(marks.logo(kind, side)))
        colour = rng.uniform("colour", 3).round().mul(0.8).add(0.1)[:, :, None, None]
        return alpha.to(target.device).mul_(self.opacity), colour


@register("emoji")
@dataclass(frozen=True)
class Emoji(Overlay):
    """Yellow faces stuck here and there on the image, behind the object.

    Six expressions, drawn places and sizes (from half of `size` to all of it). The first lie on top, so that n + 1
    faces show all that n do.
    """

    limits: ClassVar[str] = "One style of flat faces; they are cut where the object stands."

    count: int = knob(0, MOST_FACES, "faces", "Faces on the image.")
    size: float = setting(0.25, 0.02, 1.0, "of the short side", "Greatest diameter of a face.")

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Lays the faces on one after the other, the last one first."""
        height, width = batch.images.shape[-2:]
        draws = rng.uniform("faces", MOST_FACES, 4).tolist()
        alpha = np.zeros((len(batch), height, width), np.float32)
        colour = np.zeros((len(batch), height, width, 3), np.float32)
        for row, ink, picture in zip(draws, alpha, colour, strict=True):
            for down, along, kind, scale in reversed(row[: self.count]):
                # Sizes in steps of an eighth: each face is drawn once and kept.
                share = self.size * (0.5 + int(scale * 4) / 6)
                size = max(round(share * min(height, width)), 1)
                tone, shape = marks.face(int(kind * marks.FACES), size)
                top, left = round(down * height - size / 2), round(along * width - size / 2)
                y, x = slice(max(top, 0), min(top + size, height)), slice(max(left, 0), min(left + size, width))
                cut = (slice(y.start - top, y.stop - top), slice(x.start - left, x.stop - left))
                over = shape[cut]
                # Each face replaces what lies under it, also as to alpha: it stays nested.
                picture[y, x] += (tone[cut] - picture[y, x]) * (over > 0)[..., None]
                ink[y, x] = np.maximum(ink[y, x], over)
        pictures = torch.from_numpy(colour).permute(0, 3, 1, 2).to(target.device)
        return torch.from_numpy(alpha)[:, None].to(target.device), pictures


@register("stripes")
@dataclass(frozen=True)
class Stripes(Overlay):
    """Coloured stripes over the whole frame, behind the object.

    Stripes and gaps are equally wide; direction, place and a colour for every fourth stripe are drawn. The image is
    x + opacity (stripe - x) on the stripes.
    """

    limits: ClassVar[str] = "Straight, even, flat stripes: no cloth, folds or perspective."

    opacity: float = knob(0.0, 1.0, "of full", "How far the stripes replace the image.")
    period: float = setting(0.15, 0.01, 1.0, "of the short side", "Distance from stripe to stripe.")

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Draws each image's stripes."""
        height, width = batch.images.shape[-2:]
        draws, colours = rng.uniform("stripes", 3), rng.uniform("colours", 4, 3)
        alphas, pictures = [], []
        for draw, palette in zip(draws, colours, strict=True):
            along, _ = lattice(height, width, self.period, draw[0] * 180.0, draw[1:])
            number = along.floor()
            alphas.append(((along - number) < 0.5).float().mul_(self.opacity))
            pictures.append(palette[number.long() & 3])
        return torch.stack(alphas)[:, None], torch.stack(pictures).permute(0, 3, 1, 2)


@register("lines")
@dataclass(frozen=True)
class Lines(Overlay):
    """Straight lines in drawn colours across the frame, behind the object, as wires or scratches.

    After the lines of ImageNet-C-bar (Mintun, Kirillov and Xie 2021, arXiv:2102.11273). Each line runs from edge to
    edge through two drawn points; the first lie on top, so that n + 1 lines show all that n do.
    """

    limits: ClassVar[str] = "Lines are straight, of one thickness and colour from end to end, with hard edges."

    count: int = knob(0, MOST_LINES, "lines", "Lines across the image.")
    thickness: float = setting(0.02, 0.002, 0.2, "of the short side", "Thickness of a line.")

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Draws the lines of each image."""
        height, width = batch.images.shape[-2:]
        draws, colours = rng.uniform("lines", MOST_LINES, 4).cpu().numpy(), rng.uniform("colours", MOST_LINES, 3)
        thickness = self.thickness * min(height, width)
        turns = np.stack([marks.lines(height, width, thickness, row[: self.count]) for row in draws])
        number = torch.from_numpy(turns).to(target.device)
        palette = torch.nn.functional.pad(colours[:, : self.count], (0, 0, 0, 1))
        pictures = torch.stack([row[n.long()] for row, n in zip(palette, number, strict=True)]).permute(0, 3, 1, 2)
        return (number < self.count).float()[:, None], pictures
