"""What dries or splashes on the lens: mud, spatter, dirt."""

from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import blobs, clouds
from hardgen.knobs import knob, setting
from hardgen.perturbations.weather.coating import Coating, stacked, tint
from hardgen.registry import register
from hardgen.rng import SampleRng


def splash_ranks(batch: Batch, rng: SampleRng, count: int, largest: float, ragged: float) -> Tensor:
    """The order of splashes whose radii follow a power law, B x H x W.

    Args:
        batch: For its size.
        rng: Draws `splashes` and `outline`.
        count: Splashes.
        largest: Radius of the largest, of the short side.
        ragged: How far outlines are dented, of a radius.
    """
    height, width = batch.images.shape[-2:]
    draws = rng.uniform("splashes", count, 2).cpu().numpy()
    outlines = rng.normal("outline", clouds.NUMBERS).cpu().numpy()
    radii = (largest * (1.0 + np.arange(count)) ** -0.55).astype(np.float32)
    rows = []
    for places, numbers in zip(draws, outlines, strict=True):
        dents = cv2.resize(clouds.cloud(numbers, 0.9), (blobs.GRID, blobs.GRID), interpolation=cv2.INTER_CUBIC)
        rows.append(blobs.splashes(height, width, places, radii, dents * np.float32(ragged)))
    return stacked(rows, batch)


@register("mud")
@dataclass(frozen=True)
class Mud(Coating):
    """Splashes opaque brown mud on the lens, in blots of many sizes.

    Blots grow together about places drawn for each image, with ragged outlines; the brown is mottled by a fractal
    cloud. On grey images mud has its brightness. ImageNet-C's spatter turns to mud from its fourth severity on.
    """

    limits: ClassVar[str] = "Mud lies in focus and is fully opaque, without runs or drying."

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels under mud.")

    @property
    def edge(self) -> float:
        """A thin rim."""
        return 0.009

    def ranks(self, batch: Batch, rng: SampleRng) -> Tensor:
        """By the growth at which a blot reaches a pixel."""
        return splash_ranks(batch, rng, 80, 0.12, 0.25)

    def layer(self, batch: Batch, rng: SampleRng, ranks: Tensor) -> Tensor:
        """Mottled brown, darker where a blot is thick."""
        height, width = batch.images.shape[-2:]
        mottle = clouds.clouds(rng.normal("mottle", clouds.NUMBERS), height, width, roughness=0.9)
        return tint(batch, (0.34, 0.23, 0.13)) * mottle.mul_(0.16).add_(1.0).clamp_(0.4, 1.6)


@register("spatter")
@dataclass(frozen=True)
class Spatter(Coating):
    """Spatters the lens with flat water: milky, uneven spots through which little is seen.

    Spots grow together about places drawn for each image. They lift the image by `opacity` toward a pale grey.
    ImageNet-C's spatter thresholds blurred noise and changes from water to mud at its fourth severity; this one is
    water throughout, and `mud` is its fellow.
    """

    limits: ClassVar[str] = "Water does not bend the light here (see droplets) and does not run."

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels under water.")
    opacity: float = setting(0.75, 0.05, 1.0, "of full cover", "How much of the scene a spot hides.")

    @property
    def edge(self) -> float:
        """A thin rim."""
        return 0.009

    def ranks(self, batch: Batch, rng: SampleRng) -> Tensor:
        """By the growth at which a spot reaches a pixel."""
        return splash_ranks(batch, rng, 120, 0.07, 0.15)

    def layer(self, batch: Batch, rng: SampleRng, ranks: Tensor) -> Tensor:
        """The image behind pale, uneven water."""
        height, width = batch.images.shape[-2:]
        film = clouds.clouds(rng.normal("film", clouds.NUMBERS), height, width, roughness=0.8)
        return torch.lerp(batch.images, tint(batch, (0.76, 0.82, 0.86)) * film.mul_(0.08).add_(1.0), self.opacity)


@register("dirt")
@dataclass(frozen=True)
class Dirt(Coating):
    """Soils the lens with dust and smears, grey-brown and half see-through.

    Smears follow a fractal cloud drawn out along one direction, and dust lies between as specks. What is covered is
    taken by `opacity` toward the colour of dust, on grey images toward its brightness.
    """

    limits: ClassVar[str] = "Dirt neither scatters light from lamps nor goes out of focus with the aperture."

    fraction: float = knob(0.0, 0.9, "of the image", "Share of the pixels that are soiled.")
    opacity: float = setting(0.75, 0.05, 1.0, "of full cover", "How much of the scene dirt hides where it lies.")

    SPECKS: ClassVar[int] = 400

    @property
    def edge(self) -> float:
        """Smears fade at their edges."""
        return 0.02

    def ranks(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Smears where a stretched cloud is thick, brought forward at specks."""
        height, width = batch.images.shape[-2:]
        field = rng.normal("smears", clouds.NUMBERS).cpu().numpy()
        specks = rng.uniform("specks", self.SPECKS, 3).cpu().numpy()
        turns = rng.uniform("wipe", 1).cpu().numpy()
        rows, side = [], max(height, width)
        for numbers, dots, turn in zip(field, specks, turns, strict=True):
            grid, n = clouds.cloud(numbers, 0.8), clouds.GRID
            middle = ((n - 1) / 2, (n - 1) / 2)
            wipe: NDArray[np.float64] = np.float64(1) * cv2.getRotationMatrix2D(middle, 180.0 * float(turn[0]), 1.0)
            wipe[:, 0] *= 0.3
            wipe[:, 2] = np.array(middle) - wipe[:, :2] @ np.array(middle)
            size, flags = (2 * n, 2 * n), cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
            wipe[:, :2] /= 2
            smear: NDArray[np.float32] = np.asarray(
                cv2.warpAffine(grid, wipe, size, flags=flags, borderMode=cv2.BORDER_REFLECT_101), dtype=np.float32
            )
            rank = -clouds.spread_over(smear, height, width)
            for x, y, r in dots.tolist():
                at = (round(x * width * 16), round(y * height * 16))
                radius = max(round(side * 0.006 * (0.3 / (1 - 0.8 * r)) * 16), 8)
                cv2.circle(rank, at, radius, -4.0 - r, cv2.FILLED, cv2.LINE_8, 4)
            rows.append(rank)
        return stacked(rows, batch)

    def layer(self, batch: Batch, rng: SampleRng, ranks: Tensor) -> Tensor:
        """The image behind dust."""
        return torch.lerp(batch.images, tint(batch, (0.42, 0.38, 0.32)), self.opacity)
