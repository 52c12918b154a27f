"""Occluders of plain shape: a rectangle, holes, a grid's cells, bars."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional import occlusion
from hardgen.functional.holes import cover_holes
from hardgen.knobs import setting
from hardgen.perturbations.occlusion.occluder import Occluder
from hardgen.registry import register
from hardgen.rng import SampleRng


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

    def cover_whole(self, height: int, width: int, draws: Tensor) -> Tensor:
        """By bisection over scales, as one hole."""
        return cover_holes(height, width, draws[:, None], self.fraction)


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

    def cover_whole(self, height: int, width: int, draws: Tensor) -> Tensor:
        """By bisection over scales."""
        return cover_holes(height, width, draws, self.fraction)


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

    def cover_whole(self, height: int, width: int, draws: Tensor) -> Tensor:
        """Cell by cell."""
        return occlusion.cover_grid(height, width, self.cell, draws, self.fraction)


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
