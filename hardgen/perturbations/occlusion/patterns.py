"""Occluders that repeat or scatter: crossed bars, dots, a checkerboard, lone pixels."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional import patterns
from hardgen.knobs import setting
from hardgen.perturbations.occlusion.occluder import Occluder
from hardgen.registry import register
from hardgen.rng import SampleRng


class Dot(enum.Enum):
    """The shape of a dot."""

    disc = "disc"
    square = "square"


class Scatter(enum.Enum):
    """How lone pixels are spread."""

    white = "white"
    blue = "blue"


@dataclass(frozen=True)
class Turned(Occluder):
    """An occluder with a direction and a place that are drawn for each image."""

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """Direction, and where the pattern lies along either axis."""
        return rng.uniform("pattern", 3)


@register("cross_bars")
@dataclass(frozen=True)
class CrossBars(Turned):
    """Covers the target with two families of parallel bars at right angles, as a lattice fence or window bars do.

    The bars keep their centre lines and widen; what stays visible are squares. Bars of width w cover 1 - (1 - w/p)^2
    of the target at period p: the fraction is exact, the width follows. Crossed bars, cardinal and oblique, are among
    the occluders by which Coggan and Tong compare people and networks.
    """

    limits: ClassVar[str] = "Bars are straight, equal, flat and evenly spaced, without depth or shadow."

    period: float = setting(0.25, 0.01, 1.0, "of the target's short side", "Distance from bar to bar.")
    angle: float | None = setting(None, 0.0, 90.0, "degrees", "Direction of one family, counter-clockwise from level.")

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By a pixel's distance from the nearest centre line."""
        angle = draw[0] * 90.0 if self.angle is None else torch.full_like(draw[0], self.angle)
        return patterns.cross_bars(height, width, self.period, angle, draw[1:])


@register("polka_dots")
@dataclass(frozen=True)
class PolkaDots(Turned):
    """Covers the target with dots on a staggered lattice, as a perforated sheet or a printed veil does.

    The dots keep their middles and grow until they merge (discs above pi/4 of the target, squares at half of it, where
    they make a checkerboard). Two dots to each period squared. Polka dots and squares are among the occluders by which
    Coggan and Tong compare people and networks.
    """

    limits: ClassVar[str] = "Dots are equal and regular: what repeats through the gaps may be filled in from the rest."

    period: float = setting(0.25, 0.01, 1.0, "of the target's short side", "Side of the lattice's squares.")
    dot: Dot = Dot.disc
    angle: float | None = setting(None, 0.0, 90.0, "degrees", "Direction of the lattice.")

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By a pixel's distance from the nearest dot's middle."""
        angle = draw[0] * 90.0 if self.angle is None else torch.full_like(draw[0], self.angle)
        return patterns.dots(height, width, self.period, angle, draw[1:], self.dot is Dot.square)


@register("checkerboard")
@dataclass(frozen=True)
class Checkerboard(Turned):
    """Covers the target with the checks of a turned board: all of one colour in drawn order, then the other's.

    As the checkerboard cut-out of ImageNet-C-bar (Mintun, Kirillov and Xie 2021, "On interaction between augmentations
    and corruptions in natural corruption robustness"), which covers one colour; that is a fraction of 0.5.
    """

    limits: ClassVar[str] = "Visible parts are squares on a regular board, whose edges are a pattern of their own."

    cell: float = setting(0.125, 0.02, 1.0, "of the target's short side", "Side of a check.")
    angle: float | None = setting(None, 0.0, 90.0, "degrees", "Direction of the board.")

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """Direction and place, and a score for each check."""
        scores = rng.uniform("order", patterns.TABLE * patterns.TABLE)
        return torch.cat((super().draws(height, width, rng), scores), 1)

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By a check's colour, then its score."""
        angle = draw[0] * 90.0 if self.angle is None else torch.full_like(draw[0], self.angle)
        scores = draw[3:].view(patterns.TABLE, patterns.TABLE)
        return patterns.checkerboard(height, width, self.cell, angle, draw[1:3], scores)


@register("pixel_drop")
@dataclass(frozen=True)
class PixelDrop(Occluder):
    """Covers single pixels all over the target, as dead sensor elements or lost samples do.

    `white`: pixels are dropped independently, but exactly as many as asked for. `blue`: they keep as far apart as they
    can (void and cluster, Ulichney 1993; a tile of 64 x 64 pixels with a drawn corner, repeated), so that every region
    loses the same share. Impulse noise with its values replaced by one colour.
    """

    limits: ClassVar[str] = "Pixels are the image's own: after an enlargement the same fraction hides finer detail."

    pattern: Scatter = Scatter.white

    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """A score for each pixel, or the corner of the tile."""
        if self.pattern is Scatter.blue:
            return rng.uniform("corner", 2)
        return rng.normal("order", height * width)  # in half the time of uniform numbers, for the same order

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """By a pixel's score."""
        if self.pattern is Scatter.blue:
            return patterns.tiled(height, width, patterns.blue_noise(), draw)
        return draw[: height * width].view(height, width)
