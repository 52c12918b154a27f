"""Occluders that look at the picture: its salient cells, the object's edge or middle, the background."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import cells, occlusion
from hardgen.functional.layering import share
from hardgen.knobs import knob, setting
from hardgen.perturbation import Doses
from hardgen.perturbations.distractors.donors import protected
from hardgen.perturbations.occlusion.occluder import Cover, Occluder
from hardgen.registry import register
from hardgen.rng import SampleRng


class Order(enum.Enum):
    """Which cells are covered first."""

    salient = "salient"
    """Those of most contrast."""
    plain = "plain"
    """Those of least contrast."""


@register("salient_cells")
@dataclass(frozen=True)
class SalientCells(Occluder):
    """Covers the target cell by cell of a square grid, those that differ most within themselves first or last.

    After the salient and non-salient PatchDrop of Naseer et al. (2021, "Intriguing properties of vision transformers",
    arXiv:2105.10497: 14 x 14 cells, 10% to 90% dropped), who take saliency from a network's attention. Here it is the
    standard deviation of brightness in the cell, so that no model chooses what all models are asked. Among equal cells
    a drawn order decides; the last cell is covered row by row as far as needed.
    """

    limits: ClassVar[str] = "Saliency is local contrast alone: a busy background counts, a plain object does not."

    cell: float = setting(1 / 14, 0.01, 1.0, "of the target's short side", "Side of a cell, fitted to whole cells.")
    first: Order = Order.salient

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """A number for every cell there may be, which decides between equals."""
        return rng.uniform("order", occlusion.most_cells(height, width, self.cell))

    def order(self, image: Tensor, wanted: Tensor | None, draw: Tensor) -> Tensor:
        """By the turn of a pixel's cell."""
        height, width = image.shape[-2:]
        contrast = cells.cell_contrast(image, *cells.cells_of(height, width, self.cell)).flatten()
        scores = -contrast if self.first is Order.salient else contrast
        return occlusion.grid(height, width, self.cell, scores + draw[: len(scores)] * 1e-6)


@dataclass(frozen=True)
class Inward(Occluder):
    """Covers the target by its pixels' distance from its edge; nothing beside the target is covered."""

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """Nothing is drawn."""
        return torch.zeros(len(rng.ids), 1, device=rng.device)

    def order(self, image: Tensor, wanted: Tensor | None, draw: Tensor) -> Tensor:
        """By the distance from the target's edge."""
        mask = torch.ones_like(image[0], dtype=torch.bool) if wanted is None else wanted
        return torch.where(mask, self.ranked(cells.depth(mask)), torch.inf)

    def ranked(self, depth: Tensor) -> Tensor:
        """The rank of a depth inside the target."""
        return depth


@register("outside_in")
@dataclass(frozen=True)
class OutsideIn(Inward):
    """Covers the target from its edge inward, so that its outline goes first and its middle stays.

    With `target=object` the rim of the mask (or boxes) is hidden; with `target=image` the frame's rim, as looking
    through a keyhole. The rank of a pixel is its distance inside the target.
    """

    limits: ClassVar[str] = "With boxes for masks the rim is the box's, not the object's."


@register("inside_out")
@dataclass(frozen=True)
class InsideOut(Inward):
    """Covers the target from its middle outward, so that its outline stays to the last.

    The pixels farthest from the target's edge (mask, boxes, or the frame) go first, as under a growing blind spot in
    the middle of the view.
    """

    limits: ClassVar[str] = "With boxes for masks the middle is the box's, not the object's."

    def ranked(self, depth: Tensor) -> Tensor:
        """The deepest first."""
        return -depth


@register("background_occlusion")
@dataclass(frozen=True)
class BackgroundOcclusion(Cover):
    """Covers a fraction of what is not the object, cell by cell of a square grid in a drawn order.

    How much a model leans on the surroundings: the object itself stays whole. The object is the mask, else the union of
    the boxes; for an image that has neither, a central rectangle. At 1 only the foreground is left, as in the
    Only-FG set of ImageNet-9 (Xiao et al. 2020, arXiv:2006.09994). Accuracy rises a little near 1, where the last edges
    between cells go and a plain surround is left.
    """

    limits: ClassVar[str] = "The object's shadow and reflection count as background; within a box some of it stays."

    fraction: float = knob(0.0, 1.0, "of the background", "Share of the pixels beside the object that is covered.")
    cell: float = setting(0.125, 0.01, 1.0, "of the short side", "Side of a cell, fitted to whole cells.")
    centre: float = setting(0.5, 0.0, 1.0, "of each side", "Central rectangle taken as object where there is none.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Covers each image; the dose `background_covered` is the share of its background, besides `coverage`."""
        after, doses = super().apply(batch, rng)
        return after, {**doses, "background_covered": doses["covered"] / share(self.wanted(batch)).clamp(min=1e-9)}

    def wanted(self, batch: Batch) -> Tensor:
        """All but the object's pixels."""
        return ~protected(batch, self.centre)

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """A score for every cell there may be."""
        return rng.uniform("order", occlusion.most_cells(height, width, self.cell))

    def order(self, image: Tensor, wanted: Tensor | None, draw: Tensor) -> Tensor:
        """By the turn of a pixel's cell; the object's never come."""
        rank = occlusion.grid(image.shape[-2], image.shape[-1], self.cell, draw)
        return rank if wanted is None else torch.where(wanted, rank, torch.inf)
