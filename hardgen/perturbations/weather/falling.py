"""What falls: rain and snow."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import clouds, streaks
from hardgen.knobs import knob, setting
from hardgen.perturbations.weather.coating import Coating, stacked, tint
from hardgen.registry import register
from hardgen.rng import SampleRng

GOLDEN = 0.6180339887
"""Whole numbers times this, less their whole part, are spread evenly over [0, 1)."""


DROPS = (0.84, 0.86, 0.89)
"""What streaks of rain and the mist between them send to the camera: the sky's light."""


def rests(batch: Batch, rng: SampleRng) -> list[NDArray[np.float32]]:
    """The order of what nothing falls on, in [0, 1): soft clouds."""
    height, width = batch.images.shape[-2:]
    field = clouds.clouds(rng.normal("rest", clouds.NUMBERS), height, width)[:, 0].cpu().numpy()
    return list((0.5 + field / 20).clip(0, 0.999).astype(np.float32))


@register("rain")
@dataclass(frozen=True)
class Rain(Coating):
    """Draws bright slanted streaks over the image, as falling rain does in a short exposure.

    Streaks share one direction for each image and differ in length and brightness; they appear in a drawn order, so
    that more rain keeps every streak there was. A grey veil thickens with them: x t + A (1 - t), where t falls by
    `veil` times the coverage. The streaks take the image 40 to 90% of the way to the same A. The dose `covered` counts
    streaks alone.
    """

    limits: ClassVar[str] = "Streaks do not refract the scene, and rain neither wets nor reflects on the ground."

    fraction: float = knob(0.0, 0.4, "of the image", "Share of the pixels under streaks.")
    length: float = setting(0.12, 0.01, 0.5, "of the short side", "Mean length of a streak.")
    width: float = setting(0.004, 0.001, 0.05, "of the short side", "Mean width of a streak.")
    veil: float = setting(0.8, 0.0, 1.0, "of the coverage", "Opacity of the veil between the streaks.")
    angle: float | None = setting(None, -60.0, 60.0, "degrees", "Lean of the streaks from upright; drawn unless set.")

    COUNT: ClassVar[int] = 1300

    def ranks(self, batch: Batch, rng: SampleRng) -> Tensor:
        """By the number of the first streak over a pixel."""
        height, width = batch.images.shape[-2:]
        side = min(height, width)
        draws, leans = rng.uniform("streaks", self.COUNT, 4).cpu().numpy(), rng.uniform("lean", 1).cpu().numpy()
        rows = []
        for row, lean, rest in zip(draws, leans, rests(batch, rng), strict=True):
            angle = math.radians(60.0 * float(lean[0]) - 30.0 if self.angle is None else self.angle)
            reach = (0.4 + 1.2 * row[:, 2]) * self.length * side / 2
            across = np.stack((math.sin(angle) * reach, math.cos(angle) * reach), 1)
            middle = row[:, :2] * np.array([width, height], np.float32) - 0.5
            ends = np.concatenate((middle - across, middle + across), 1).astype(np.float32)
            rows.append(streaks.lines(height, width, ends, (0.5 + row[:, 3]) * self.width * side, rest))
        return stacked(rows, batch)

    def layer(self, batch: Batch, rng: SampleRng, ranks: Tensor) -> Tensor:
        """The image, lifted toward white by each streak's own opacity."""
        opacity = (ranks.floor() * GOLDEN).frac_().mul_(0.5).add_(0.4)
        return torch.lerp(batch.images, tint(batch, DROPS), opacity)

    def beneath(self, batch: Batch) -> Tensor:
        """The image behind its veil, which is never more opaque than the faintest streak."""
        return torch.lerp(batch.images, tint(batch, DROPS), self.veil * self.fraction)


@register("snow")
@dataclass(frozen=True)
class Snow(Coating):
    """Scatters white flakes of many sizes over the image, near ones large and soft, far ones small.

    Flakes appear in a drawn order and are smeared a little along their fall; a flake's size follows its distance, with
    many far and few near. ImageNet-C's snow, thresholded noise with motion blur, also whitens the whole image.
    """

    limits: ClassVar[str] = "Flakes are round and equally white; no snow settles on the scene."

    fraction: float = knob(0.0, 0.4, "of the image", "Share of the pixels under flakes.")
    size: float = setting(0.014, 0.002, 0.1, "of the short side", "Typical diameter of a flake.")

    COUNT: ClassVar[int] = 1000

    @property
    def edge(self) -> float:
        """Flakes are soft."""
        return 0.009

    def ranks(self, batch: Batch, rng: SampleRng) -> Tensor:
        """By the number of the first flake over a pixel."""
        height, width = batch.images.shape[-2:]
        side = min(height, width)
        draws, winds = rng.uniform("flakes", self.COUNT, 4).cpu().numpy(), rng.uniform("wind", 1).cpu().numpy()
        rows = []
        for row, wind, rest in zip(draws, winds, rests(batch, rng), strict=True):
            thick = self.size * side * (0.5 / (1.0 - 0.85 * row[:, 2]))
            angle = 1.6 * (float(wind[0]) - 0.5) + 0.5 * (row[:, 3] - 0.5)
            reach = thick[:, None] * 0.6 * np.stack((np.sin(angle), np.cos(angle)), 1)
            middle = row[:, :2] * np.array([width, height], np.float32) - 0.5
            ends = np.concatenate((middle - reach, middle + reach), 1).astype(np.float32)
            rows.append(streaks.lines(height, width, ends, thick, rest))
        return stacked(rows, batch)

    def layer(self, batch: Batch, rng: SampleRng, ranks: Tensor) -> Tensor:
        """Near white, flake by flake more or less opaque."""
        opacity = (ranks.floor() * GOLDEN).frac_().mul_(0.3).add_(0.7)
        return torch.lerp(batch.images, tint(batch, (0.96, 0.97, 1.0)), opacity)
