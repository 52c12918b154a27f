"""What falls: rain and snow."""

import functools
import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from hardgen.batch import Batch
from hardgen.functional import sheets
from hardgen.functional.coverage import coverage
from hardgen.functional.parallel import drawn_once
from hardgen.functional.planes import planes
from hardgen.functional.sheets import PERIOD, Bytes, Grid, Size, flipped
from hardgen.knobs import knob, setting
from hardgen.perturbation import Doses, Perturbation
from hardgen.perturbations.weather.coating import lay, plain, tints
from hardgen.registry import register
from hardgen.rng import SampleRng, sample_generator


@functools.lru_cache
def evenly(low: float, high: float) -> NDArray[np.float32]:
    """256 numbers spread over a range so that any run of them is too: multiples of the golden ratio; read-only."""
    return (low + (high - low) * (np.arange(256) * 0.6180339887 % 1)).astype(np.float32)


def things(name: str, count: float) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Uniform numbers for things on a sheet, n x 4, the first two its place, and when each comes.

    Args:
        name: What they are.
        count: On a square of the short side.
    """
    n = round(count * PERIOD**2)
    numbers = sample_generator(0, "sheet", "", name).random((n, 4), dtype=np.float32)
    numbers[:, :2] *= PERIOD
    return numbers, np.arange(n)


@dataclass(frozen=True)
class Falling(Perturbation):
    """Covers an exact fraction of the image with things that come in the order in which a sheet has them."""

    fraction: float = knob(0.0, 0.4, "of the image", "Share of the image that is covered.")

    COLOUR: ClassVar[tuple[int, int, int]] = (255, 255, 255)
    MOST_LEAN: ClassVar[float] = 30.0
    """Lean from upright to either side, in degrees, and how many there are."""
    LEANS: ClassVar[int] = 6

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Lays each image's own piece of the sheet over it, the last things in part, so that the fraction is met."""
        height, width = batch.shape[-2:]
        grid, draws = Grid.of(height, width), rng.uniform("piece", 4).cpu().tolist()
        colours = tints(batch, self.COLOUR)

        def made(i: int, how: Callable[[Bytes, NDArray[np.float32]], NDArray[Any]]) -> NDArray[Any]:
            x, y, turned, number = draws[i]
            lean, mirrored = self.lean(number)
            codes = grid.cut(self.sheet(grid.size, lean), PERIOD, (x, y))
            plane = how(codes, sheets.shares(codes, self.fraction))
            return flipped(sheets.enlarged(plane, height, width), mirrored, turned < 0.5)

        def opacity(i: int) -> Bytes:
            return made(i, lambda codes, shares: self.opacity(codes, shares, grid))

        def hidden(i: int) -> NDArray[np.float32]:
            return made(i, lambda codes, shares: grid.coarse(np.take(shares, codes)))

        def covered() -> torch.Tensor:
            return planes(len(batch), height, width, hidden)[:, None].to(batch.device)

        return lay(batch, lambda i: plain(height, width, colours[i]), opacity), coverage(batch, covered)

    def lean(self, number: float) -> tuple[float, bool]:
        """How things that fall lean, in degrees, and whether to the other side, from a uniform number."""
        step, mirrored = divmod(int(number * 2 * self.LEANS), 2)
        return (step + 0.5) * self.MOST_LEAN / self.LEANS, bool(mirrored)

    @abstractmethod
    def sheet(self, size: Size, lean: float) -> Bytes:
        """The sheet for images of a size, with things that lean so many degrees."""

    @abstractmethod
    def opacity(self, codes: Bytes, shares: NDArray[np.float32], grid: Grid) -> Bytes:
        """What hides the scene: from a piece of the sheet, and how much there is of what has each code."""


@register("rain")
@dataclass(frozen=True)
class Rain(Falling):
    """Draws bright slanted streaks over the image, as falling rain does in a short exposure.

    Streaks share one direction for each image and differ in length, width and brightness; they appear in an order, so
    that more rain keeps every streak there was. A grey veil thickens with them: x t + A (1 - t), where t falls by
    `veil` times the coverage. The streaks, out of focus by 0.25% of the short side, take the image 40 to 90% of the way
    to the same A, which is the sky's light. The dose `covered` counts streaks alone, a pixel that one crosses in part
    by that part. Each image has its own piece of one great field of streaks, at a drawn place, lean and hand.
    """

    limits: ClassVar[str] = "Streaks do not refract the scene, and rain neither wets nor reflects on the ground."

    fraction: float = knob(0.0, 0.4, "of the image", "Share of the image under streaks.")
    # Within these ranges streaks are longer than wide, and 40,000 on a sheet cover more than the knob's hardest.
    length: float = setting(0.14, 0.08, 0.5, "of the short side", "Mean length of a streak.")
    width: float = setting(0.005, 0.001, 0.015, "of the short side", "Mean width of a streak.")
    veil: float = setting(0.8, 0.0, 1.0, "of the coverage", "Opacity of the veil between the streaks.")
    angle: float | None = setting(None, -60.0, 60.0, "degrees", "Lean of the streaks from upright; drawn unless set.")

    COLOUR: ClassVar[tuple[int, int, int]] = (214, 219, 227)

    def sheet(self, size: Size, lean: float) -> Bytes:
        """Streaks."""
        return streaks(size, self.length, self.width, lean)

    def lean(self, number: float) -> tuple[float, bool]:
        """As drawn, or as set."""
        return super().lean(number) if self.angle is None else (self.angle, False)

    def opacity(self, codes: Bytes, shares: NDArray[np.float32], grid: Grid) -> Bytes:
        """Each streak, a little out of focus, by its own opacity, which the veil behind it is part of."""
        veil = np.float32(self.veil * self.fraction)
        table = shares * (evenly(0.4, 0.9) - veil) + veil
        return sheets.seen(codes, sheets.to_opacity(table), grid, 0.0025)


@drawn_once(16)
def streaks(size: Size, length: float, width: float, lean: float) -> Bytes:
    """A sheet of `Rain`."""
    numbers, order = things("streaks", 0.8 / (length * width))
    lengths, widths = (0.4 + 1.2 * numbers[:, 2]) * length, (0.5 + numbers[:, 3]) * width
    corners = sheets.bars(numbers[:, :2], lengths, widths, math.radians(lean), size.side)
    return sheets.sheet(corners, order * sheets.NONE // len(order), size)


@register("snow")
@dataclass(frozen=True)
class Snow(Falling):
    """Scatters white flakes of many sizes over the image, near ones large and blurred, far ones small and clear.

    Flakes appear in an order, a little drawn out along their fall; a flake's size follows its distance, with many far
    and few near. ImageNet-C's snow, thresholded noise with motion blur, also whitens the whole image. The dose
    `covered` counts flakes as they are before the lens blurs them. Each image has its own piece of one great field of
    flakes, at a drawn place, wind and hand.
    """

    limits: ClassVar[str] = "Flakes are round and equally white; no snow settles on the scene."

    fraction: float = knob(0.0, 0.4, "of the image", "Share of the image under flakes.")
    # Smaller flakes are more than 56,000 on a sheet; larger ones are too few to cover the knob's hardest everywhere.
    size: float = setting(0.02, 0.006, 0.05, "of the short side", "Typical diameter of a flake.")

    COLOUR: ClassVar[tuple[int, int, int]] = (245, 247, 255)

    LEANS: ClassVar[int] = 2

    def sheet(self, size: Size, lean: float) -> Bytes:
        """Flakes."""
        return flakes(size, self.size, lean)

    def opacity(self, codes: Bytes, shares: NDArray[np.float32], grid: Grid) -> Bytes:
        """Flake by flake more or less opaque; near ones out of focus."""
        opacities = sheets.to_opacity(shares * evenly(0.7, 1.0))
        near = np.arange(256, dtype=np.uint8) % 2
        far = sheets.seen(codes, opacities * (1 - near), grid, 0.0012)
        return np.asarray(cv2.add(far, sheets.seen(codes, opacities * near, grid, 0.006)))


@drawn_once(16)
def flakes(size: Size, typical: float, lean: float) -> Bytes:
    """A sheet of `Snow`: near flakes have odd codes, far ones even codes."""
    numbers, order = things("flakes", 0.5 / typical**2)
    diameters = 0.45 / (1.0 - 0.88 * numbers[:, 2])
    radii = diameters[:, None] * np.array([1.15, 0.87]) * (typical / 2)
    angles = math.radians(90 - lean) + 0.5 * (numbers[:, 3] - 0.5)
    codes = order * (sheets.NONE // 2) // len(order) * 2 + (diameters > NEAR)
    return sheets.sheet(sheets.ellipses(numbers[:, :2], radii, angles, size.side), codes, size)


NEAR = 1.6
"""Typical diameters from which on a flake is near, and blurred."""
