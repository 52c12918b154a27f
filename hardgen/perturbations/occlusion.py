"""Occlusion: something stands in front of the scene, over an exact share of it."""

import enum
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch, boxes_to_mask
from hardgen.errors import HardgenError
from hardgen.functional import occlusion
from hardgen.functional.filters import gaussian_blur
from hardgen.functional.layering import share, with_channels
from hardgen.knobs import knob, setting
from hardgen.perturbation import Doses, Perturbation, Target
from hardgen.registry import register
from hardgen.rng import SampleRng

BLUR_SIGMA = 0.1
"""Standard deviation of the `blur` fill, of the short side: what is behind it cannot be made out."""


class Fill(enum.Enum):
    """What an occluder shows."""

    colour = "colour"
    noise = "noise"
    mean = "mean"
    blur = "blur"
    texture = "texture"


@dataclass(frozen=True)
class Occluder(Perturbation):
    """Covers an exact fraction of the image or of the object.

    Place and shape are drawn once for each image; a larger fraction covers all that a smaller one does, and more. With
    `target=object` the occluder lies in the bounding box of the object's mask or boxes and grows until exactly the
    fraction of the *object's* pixels is covered; pixels beside the object in that box are covered on the way.

    Fills: `colour`; `noise`, uniform and independent for every value; `mean`, the image's mean colour; `blur`, the
    image itself under a strong Gaussian blur; `texture`, another image of the data set.
    """

    fraction: float = knob(0.0, 0.95, "of the target", "Share of the target's pixels that is covered.")
    target: Target = Target.image
    fill: Fill = Fill.colour
    colour: tuple[float, float, float] = (0.5, 0.5, 0.5)

    def __post_init__(self) -> None:
        """Checks the colour besides the fields that every perturbation has checked."""
        super().__post_init__()
        good = len(self.colour) == 3 and all(isinstance(v, int | float) and 0 <= v <= 1 for v in self.colour)
        if not good:
            raise HardgenError(f"{self.name}.colour must be 3 numbers in [0, 1], red green blue; got {self.colour}")

    @property
    def needs_donors(self) -> bool:
        """A texture is another image's."""
        return self.fill is Fill.texture

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Covers each image; `covered` is the share of its pixels, `target_covered` that of its object, if known."""
        images = batch.images
        height, width = images.shape[-2:]
        target = batch.target() if self.target is Target.object else None
        covered = torch.zeros(len(batch), 1, height, width, dtype=torch.bool, device=images.device)
        for i, draw in enumerate(self.draws(height, width, rng)):
            wanted, place = None, covered[i, 0]
            if target is not None:
                top, left, bottom, right = occlusion.window(target[i, 0])
                wanted, place = target[i, 0, top:bottom, left:right], place[top:bottom, left:right]
            rank = self.rank(place.shape[0], place.shape[1], draw)
            place.copy_(occlusion.cover(rank, self.fraction, wanted))
        doses = {"covered": share(covered)}
        known = _known_target(batch) if target is None else target
        if known is not None:
            seen = known.flatten(1).any(1)
            doses["target_covered"] = torch.where(seen, share(covered, known), torch.nan)
        return batch.replace(torch.where(covered, self._canvas(batch, rng), images)), doses

    @abstractmethod
    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """What is drawn for each image of height x width pixels: B x n float32."""

    @abstractmethod
    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """The order in which a window's pixels are covered, height x width float32, from one row of `draws`."""

    def _canvas(self, batch: Batch, rng: SampleRng) -> Tensor:
        """What the occluder shows, wherever it may lie: B or 1 x C x H or 1 x W or 1."""
        images = batch.images
        if self.fill is Fill.noise:
            return rng.uniform("fill", *images.shape[1:])
        if self.fill is Fill.mean:
            return images.mean((2, 3), keepdim=True)
        if self.fill is Fill.blur:
            return gaussian_blur(images, BLUR_SIGMA * min(images.shape[-2:]))
        if self.fill is Fill.texture:
            canvas = self._texture(batch, rng)
        else:
            canvas = torch.tensor(self.colour, device=images.device)[None, :, None, None]
        coloured = with_channels(canvas, images.shape[1])
        if not bool(batch.grey.any()):
            return coloured
        return torch.where(batch.grey[:, None, None, None], with_channels(canvas, images.shape[1], grey=True), coloured)

    def _texture(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Another image for each one, at the same size."""
        donors = batch.donors
        assert donors is not None, "the base has checked it"
        count = len(donors.images)
        picks = rng.integers("donor", count).tolist()
        if donors.ids:
            picks = [(p + 1) % count if donors.ids[p] == i else p for p, i in zip(picks, batch.ids, strict=True)]
            if any(donors.ids[p] == i for p, i in zip(picks, batch.ids, strict=True)):
                raise HardgenError(f"{self.name}.fill=texture needs a donor other than the image itself; there is none")
        return donors.resized(*batch.images.shape[-2:])[picks]


@register("rectangle")
@dataclass(frozen=True)
class Rectangle(Occluder):
    """Covers the target with one rectangle of its shape, at a place drawn for each image.

    The rectangle grows about a point drawn evenly in the target and never leaves the target, so that no fraction is
    cut off at the frame.
    """

    limits: ClassVar[str] = (
        "A flat rectangle with sharp edges, of the frame's aspect: real occluders have outlines, shading and depth."
    )

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """The point about which it grows."""
        return rng.uniform("centre", 2)

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By the scale at which the rectangle reaches a pixel."""
        return occlusion.rectangle(height, width, draw)


@register("holes")
@dataclass(frozen=True)
class Holes(Occluder):
    """Covers the target with several rectangles that never overlap.

    The target is tiled with as many cells of equal area as there are holes; one hole grows in each about a point drawn
    there, so that the total is exact: 8 holes of 1/16 each cover one half.
    """

    limits: ClassVar[str] = (
        "Holes are equal in area and evenly spread, one to a cell: things in front of a scene clump and vary in size."
    )

    count: int = setting(8, 1, 1024, "holes", "Number of holes.")

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """The point about which each hole grows."""
        return rng.uniform("centres", self.count, 2)

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By the scale at which the cell's hole reaches a pixel."""
        return occlusion.holes(height, width, draw)


@register("grid")
@dataclass(frozen=True)
class Grid(Occluder):
    """Covers the target cell by cell of a square grid, in an order drawn for each image.

    As in Hide-and-Seek (Singh and Lee, arXiv 1704.04232), but with an exact total: the last cell is covered row by row
    as far as needed.
    """

    limits: ClassVar[str] = (
        "Visible parts are squares on a regular grid, whose straight edges are a pattern of their own, unlike the gaps "
        "of foliage or crowds."
    )

    cell: float = setting(0.125, 0.01, 1.0, "of the target's short side", "Side of a cell, fitted to whole cells.")

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """A score for every cell there may be."""
        return rng.uniform("order", occlusion.most_cells(height, width, self.cell))

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By the turn of a pixel's cell, then by its row in it."""
        return occlusion.grid(height, width, self.cell, draw)


@register("bars")
@dataclass(frozen=True)
class Bars(Occluder):
    """Covers the target with parallel bars, as a fence or blinds do.

    The bars keep their centre lines and widen; where they lie is drawn for each image, and their direction too unless
    it is set.
    """

    limits: ClassVar[str] = (
        "Bars are straight, equal and evenly spaced: with a fixed period a model may use what repeats through the gaps."
    )

    period: float = setting(0.25, 0.01, 1.0, "of the target's short side", "Distance from bar to bar.")
    angle: float | None = setting(None, 0.0, 180.0, "degrees", "Direction of the bars, counter-clockwise from level.")

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """Where the bars lie, and their direction."""
        return rng.uniform("bars", 2)

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By a pixel's distance from the nearest bar's centre line."""
        phase, turn = draw
        angle = turn * 180.0 if self.angle is None else torch.full_like(turn, self.angle)
        return occlusion.bars(height, width, self.period, angle, phase)


def _known_target(batch: Batch) -> Tensor | None:
    """The objects' pixels, B x 1 x H x W bool, where the data give any."""
    if batch.masks is not None or batch.boxes is None:
        return batch.masks
    return boxes_to_mask(batch.boxes, *batch.images.shape[-2:]).to(batch.images.device)
