"""Distractors that are whole scenes: a part of another image beside the object, another image behind it."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.functional import occlusion
from hardgen.knobs import knob, setting
from hardgen.perturbations.distractors.donors import Similarity, choose_donors
from hardgen.perturbations.distractors.overlay import Overlay
from hardgen.registry import register
from hardgen.rng import SampleRng


class Background(enum.Enum):
    """Whose picture stands behind the object."""

    random = "random"
    same = "same"
    next = "next"


@register("donor_paste")
@dataclass(frozen=True)
class DonorPaste(Overlay):
    """Part of another image, cut out with a soft outline, beside the object, as a second thing in the scene.

    The other image's centre lies at a place drawn evenly among the pixels that are not the target, and more of it
    comes to sight as the area grows, out from that place; what the frame or the target would cut off is made up for
    elsewhere round it. Of the target at most `overlap` is covered.
    """

    limits: ClassVar[str] = "What is pasted is the other image's centre, not its segmented object, in its own light."

    area: float = knob(0.0, 0.5, "of the image", "Share of the image that the pasted part takes.")
    similarity: Similarity = Similarity.any
    opacity: float = setting(1.0, 0.05, 1.0, "of full", "How far it replaces what is behind.")
    overlap: float = setting(0.0, 0.0, 1.0, "of the target", "Greatest share of the target that it may cover.")
    softness: float = setting(0.03, 0.001, 0.3, "of the short side", "Width of the outline.")
    protect: bool = False

    @property
    def needs_donors(self) -> bool:
        """It shows another image."""
        return True

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Finds each place, and how far from it the donor is seen."""
        assert batch.donors is not None, "the base has checked it"
        height, width = batch.images.shape[-2:]
        pool = batch.donors.resized(height, width)
        chosen = choose_donors(batch, rng, 1, self.name, self.similarity)
        alphas, pictures = [], []
        places = rng.uniform("place").tolist()
        y = torch.arange(height, device=target.device, dtype=torch.float32)
        x = torch.arange(width, device=target.device, dtype=torch.float32)
        soft = self.softness * min(height, width)
        for mask, place, (donor,) in zip(target[:, 0], places, chosen, strict=True):
            row, column = divmod(_nth_free(mask, place), width)
            rank = ((y - row).square()[:, None] + (x - column).square()[None, :]).sqrt_()
            allowed = occlusion.cover(rank, self.overlap, mask) if self.overlap else torch.zeros_like(mask)
            rank.masked_fill_(mask & ~allowed, torch.inf)
            edge = _radius(rank, self.area)
            alphas.append(((edge - rank) / soft + 0.5).clamp_(0, 1).mul_(min(edge / soft, 1.0) * self.opacity))
            rows, columns = (_mirrored(n, at) for n, at in ((height, row), (width, column)))
            pictures.append(pool[donor][:, rows][:, :, columns])
        return torch.stack(alphas)[:, None], torch.stack(pictures)


@register("background_swap")
@dataclass(frozen=True)
class BackgroundSwap(Overlay):
    """Replaces everything but the object by another image, as the same thing in another place.

    After ImageNet-9 (Xiao et al. 2020, "Noise or signal", arXiv:2006.09994), whose Mixed-Same, Mixed-Rand and
    Mixed-Next sets put the foreground on backgrounds of its own, a random and the next class. The image is
    x + blend (other - x) outside the target. The next class is the next that the donors have, after the last the first.
    """

    limits: ClassVar[str] = "The other image keeps its own object; with boxes for masks some old background stays."

    blend: float = knob(0.0, 1.0, "of full", "How far the background is replaced.")
    background: Background = Background.random

    @property
    def needs_donors(self) -> bool:
        """The background is another image."""
        return True

    def paint(self, batch: Batch, rng: SampleRng, target: Tensor) -> tuple[Tensor, Tensor]:
        """Chooses each image's background."""
        assert batch.donors is not None, "the base has checked it"
        height, width = batch.images.shape[-2:]
        if self.background is Background.next:
            picks = self._next(batch, rng)
        else:
            similarity = Similarity.same_class if self.background is Background.same else Similarity.any
            picks = [row[0] for row in choose_donors(batch, rng, 1, self.name, similarity)]
        alpha = torch.full((len(batch), 1, height, width), self.blend, device=batch.images.device)
        return alpha, batch.donors.resized(height, width)[picks]

    def _next(self, batch: Batch, rng: SampleRng) -> list[int]:
        """A donor of the next class for each image."""
        assert batch.donors is not None, "the base has checked it"
        labels = batch.donors.labels
        known = sorted({label for label in labels if label >= 0})
        picks = []
        orders = rng.permutation("donors", len(labels)).tolist()
        for sample, label, order in zip(batch.ids, batch.labels, orders, strict=True):
            if label < 0 or set(known) <= {label}:
                raise HardgenError(
                    f"{self.name}.background=next needs labelled data and donors of another class; "
                    f"sample {sample!r} has none"
                )
            after = next((k for k in known if k > label), known[0])
            picks.append(next(i for i in order if labels[i] == after))
        return picks


def _radius(rank: Tensor, area: float) -> float:
    """How far out so many of the pixels lie; as far as there are any."""
    most = int(rank.isfinite().sum())
    if not most:
        return 0.0
    k = min(area * rank.numel(), float(most))
    whole = min(int(k), most - 1)
    order = (whole - 1, whole) if whole else (0,)
    values = np.partition(rank.cpu().numpy().ravel(), order)
    low = float(values[whole - 1]) if whole else 0.0
    return low + (float(values[whole]) - low) * min(k - whole, 1.0)


def _nth_free(mask: Tensor, place: float) -> int:
    """The pixel at a share in [0, 1) of the way through those outside a mask, or through all if it leaves none."""
    free = np.flatnonzero(~mask.cpu().numpy())
    return int(free[int(place * len(free))]) if len(free) else int(place * mask.numel())


def _mirrored(n: int, at: int) -> Tensor:
    """For each of n places where a picture of n is read, mirrored at its ends, so that its middle lies at `at`."""
    index = (torch.arange(n) - at + n // 2) % (2 * n)
    return torch.where(index < n, index, 2 * n - 1 - index)
