"""What every covering layer shares: an order in which it comes, and what it shows."""

import functools
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import scatter
from hardgen.functional.coating import blend, covered_by_rank, fade, laid_over
from hardgen.functional.coverage import coverage
from hardgen.functional.layering import with_channels
from hardgen.functional.planes import planes
from hardgen.functional.sources import Bytes, Making
from hardgen.knobs import knob
from hardgen.perturbation import Doses, Perturbation
from hardgen.rng import SampleRng

Paint: TypeAlias = tuple[Tensor, Tensor | None, Tensor]
"""Colour, what it is multiplied by, and opacity, as `blend` takes them."""

Canvases: TypeAlias = NDArray[np.uint16]
Tables: TypeAlias = list[NDArray[np.float32]]


@dataclass(frozen=True)
class Coating(Perturbation):
    """Covers an exact fraction of the image, pixel after pixel in an order drawn for each image."""

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels that is covered.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Covers each image, and says how much of it and of its target is covered."""
        ranks, relief = self.ranks(batch, rng)
        covered = covered_by_rank(ranks, self.fraction)
        colour, light, opacity = self.paint(batch, rng, relief, fade(ranks, covered, self.softness))
        return batch.replace(blend(batch.images, colour, light, opacity)), coverage(batch, covered)

    @property
    def softness(self) -> float:
        """How long a pixel is covered until the layer is full there, in ranks; 0 for a hard edge."""
        return 0.0

    @abstractmethod
    def ranks(self, batch: Batch, rng: SampleRng) -> tuple[Tensor, Tensor]:
        """The order in which pixels are covered, B x H x W float32, and what `paint` needs, B x k x H x W."""

    @abstractmethod
    def paint(self, batch: Batch, rng: SampleRng, relief: Tensor, opacity: Tensor) -> Paint:
        """What the layer shows, wherever it may lie.

        Args:
            batch: What is covered.
            rng: Draws.
            relief: B x k x H x W, as `ranks` gave it.
            opacity: B x 1 x H x W: 0 where nothing lies, up to 1 where it is full; the method's to change.
        """


@dataclass(frozen=True)
class Scattered(Perturbation):
    """Covers an exact fraction of the image with things that come one after the other."""

    fraction: float = knob(0.0, 0.4, "of the image", "Share of the image that is covered.")

    COUNT: ClassVar[int] = 1000

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Lays the first things over each image, the last of them in part, so that the fraction is met exactly."""
        fine = self.fineness(*batch.images.shape[-2:])
        canvases = self.canvases(batch, rng, fine)
        tables = [scatter.shares(canvas, self.COUNT, self.fraction) for canvas in canvases]
        covered = plane(batch, canvases, tables, fine)
        return batch.replace(self.lay(batch, rng, canvases, tables, covered)), coverage(batch, covered)

    def fineness(self, height: int, width: int) -> int:
        """Fine pixels along a pixel."""
        return scatter.fineness(height, width)

    @abstractmethod
    def canvases(self, batch: Batch, rng: SampleRng, fine: int) -> Canvases:
        """For each image the numbers of the things that lie on top, B x H fine x W fine."""

    @abstractmethod
    def lay(self, batch: Batch, rng: SampleRng, canvases: Canvases, tables: Tables, covered: Tensor) -> Tensor:
        """The images under what lies on them.

        Args:
            batch: What is covered.
            rng: Draws.
            canvases: As `canvases` gave them.
            tables: For each image, how much of each thing there is.
            covered: Share of each pixel that is covered, B x 1 x H x W.
        """


def lay(batch: Batch, layer: Callable[[int], Bytes], opacity: Callable[[int], Bytes]) -> Batch:
    """The images under layers, one by one where they are on the CPU.

    Args:
        batch: What is covered.
        layer: Given an image's place in the batch, what lies over it, H x W x C.
        opacity: Given the same, H x W; it must not depend on the order of calls.
    """
    if batch.on_cpu:

        def one(pixels: NDArray[Any], i: int) -> NDArray[Any]:
            return laid_over(pixels, layer(i), opacity(i))

        return batch.made(Making(one, one))
    height, width = batch.shape[-2:]
    shares = planes(len(batch), height, width, opacity, np.uint8).to(batch.device)[:, None]
    layers = torch.from_numpy(np.stack([layer(i) for i in range(len(batch))])).to(batch.device).permute(0, 3, 1, 2)
    return batch.replace(blend(batch.images, layers / 255, None, shares / 255))


def tints(batch: Batch, colour: tuple[int, int, int]) -> list[tuple[int, ...]]:
    """A colour for each image, of as many channels, in bytes; grey images get its brightness."""
    red, green, blue = (value / 255 for value in colour)
    values = tint(batch, (red, green, blue)).expand(len(batch), -1, -1, -1).flatten(1)
    return [tuple(row) for row in values.mul(255).round().int().tolist()]


@functools.lru_cache(maxsize=8)
def plain(height: int, width: int, colour: tuple[int, ...]) -> Bytes:
    """A layer of one colour, height x width x channels; read-only."""
    layer = np.empty((height, width, len(colour)), np.uint8)
    layer[...] = colour
    return layer


def plane(batch: Batch, canvases: Canvases, tables: Tables, fine: int) -> Tensor:
    """What tables say of each pixel, B x 1 x H x W, on the batch's device."""
    height, width = batch.images.shape[-2:]
    values = planes(len(batch), height, width, lambda i: scatter.seen(canvases[i], tables[i], fine))
    return values.to(batch.images.device)[:, None]


def tint(batch: Batch, colour: tuple[float, float, float]) -> Tensor:
    """A colour for each image, B x C x 1 x 1; grey images get its brightness."""
    canvas, channels = torch.tensor(colour, device=batch.device)[None, :, None, None], batch.shape[1]
    grey = batch.grey[:, None, None, None]
    return torch.where(grey, with_channels(canvas, channels, grey=True), with_channels(canvas, channels))
