"""What falls: rain and snow."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import scatter
from hardgen.functional.coating import blend
from hardgen.functional.filters import gaussian_blur
from hardgen.functional.planes import planes
from hardgen.knobs import knob, setting
from hardgen.perturbations.weather.coating import Canvases, Scattered, Tables, plane, tint
from hardgen.registry import register
from hardgen.rng import SampleRng

DROPS = (0.84, 0.86, 0.89)
"""What streaks of rain and the mist between them send to the camera: the sky's light."""


def evenly(count: int, low: float, high: float) -> NDArray[np.float32]:
    """Numbers spread over a range so that any run of them is spread over it too: multiples of the golden ratio."""
    return (low + (high - low) * (np.arange(count) * 0.6180339887 % 1)).astype(np.float32)


def ends(middle: NDArray[np.float32], reach: NDArray[np.float32], angle: float) -> NDArray[np.float32]:
    """Both ends of lines about their middles, n x 4, which reach so far at an angle from upright, in radians."""
    across = np.stack((math.sin(angle) * reach, math.cos(angle) * reach), 1)
    return np.concatenate((middle - across, middle + across), 1).astype(np.float32)


@register("rain")
@dataclass(frozen=True)
class Rain(Scattered):
    """Draws bright slanted streaks over the image, as falling rain does in a short exposure.

    Streaks share one direction for each image and differ in length, width and brightness; they appear in a drawn order,
    so that more rain keeps every streak there was. A grey veil thickens with them: x t + A (1 - t), where t falls by
    `veil` times the coverage. The streaks, out of focus by 0.25% of the short side, take the image 40 to 90% of the way
    to the same A. The dose `covered` counts streaks alone, a pixel that one crosses in part by that part.
    """

    limits: ClassVar[str] = "Streaks do not refract the scene, and rain neither wets nor reflects on the ground."

    fraction: float = knob(0.0, 0.4, "of the image", "Share of the image under streaks.")
    length: float = setting(0.14, 0.01, 0.5, "of the short side", "Mean length of a streak.")
    width: float = setting(0.005, 0.001, 0.05, "of the short side", "Mean width of a streak.")
    veil: float = setting(0.8, 0.0, 1.0, "of the coverage", "Opacity of the veil between the streaks.")
    angle: float | None = setting(None, -60.0, 60.0, "degrees", "Lean of the streaks from upright; drawn unless set.")

    COUNT: ClassVar[int] = 900

    def canvases(self, batch: Batch, rng: SampleRng, fine: int) -> Canvases:
        """The numbers of the streaks."""
        height, width = batch.images.shape[-2:]
        side, size = min(height, width), np.array([width, height], np.float32)
        draws, leans = rng.uniform("streaks", self.COUNT, 4).cpu().numpy(), rng.uniform("lean", 1).cpu().numpy()

        def one(i: int) -> scatter.Canvas:
            row, lean = draws[i], float(leans[i, 0])
            angle = math.radians(60.0 * lean - 30.0 if self.angle is None else self.angle)
            reach = (0.4 + 1.2 * row[:, 2]) * (self.length * side / 2)
            thick = (0.5 + row[:, 3]) * (self.width * side)
            return scatter.bars(height, width, ends(row[:, :2] * size - 0.5, reach, angle), thick, fine)

        return planes(len(batch), height * fine, width * fine, one, np.uint16).numpy()

    def lay(self, batch: Batch, rng: SampleRng, canvases: Canvases, tables: Tables, covered: Tensor) -> Tensor:
        """Each streak, a little out of focus, by its own opacity, which the veil behind it is part of."""
        height, width = batch.images.shape[-2:]
        veil, opacities = self.veil * self.fraction, evenly(self.COUNT + 1, 0.4, 0.9)
        streaks = [table * (opacities - np.float32(veil)) for table in tables]
        opacity = plane(batch, canvases, streaks, self.fineness(height, width))
        opacity = gaussian_blur(opacity, max(0.0025 * min(height, width), 0.1)).add_(veil)
        return blend(batch.images, tint(batch, DROPS), None, opacity)


@register("snow")
@dataclass(frozen=True)
class Snow(Scattered):
    """Scatters white flakes of many sizes over the image, near ones large and blurred, far ones small and clear.

    Flakes appear in a drawn order, a little drawn out along their fall; a flake's size follows its distance, with many
    far and few near. ImageNet-C's snow, thresholded noise with motion blur, also whitens the whole image. The dose
    `covered` counts flakes as they are before the lens blurs them.
    """

    limits: ClassVar[str] = "Flakes are round and equally white; no snow settles on the scene."

    fraction: float = knob(0.0, 0.4, "of the image", "Share of the image under flakes.")
    size: float = setting(0.02, 0.002, 0.1, "of the short side", "Typical diameter of a flake.")

    COUNT: ClassVar[int] = 1100
    NEAR: ClassVar[float] = 1.6
    """Typical diameters from which on a flake is near, and blurred."""

    def canvases(self, batch: Batch, rng: SampleRng, fine: int) -> Canvases:
        """The numbers of the flakes."""
        height, width = batch.images.shape[-2:]
        side, size = min(height, width), np.array([width, height], np.float32)
        draws, winds = self.flakes(rng), rng.uniform("wind", 1).cpu().numpy()

        def one(i: int) -> scatter.Canvas:
            row = draws[i]
            radii = self.diameters(row)[:, None] * np.array([1.15, 0.87]) * (self.size * side / 2)
            angles = math.pi / 2 + 1.6 * (winds[i] - 0.5) + 0.5 * (row[:, 3] - 0.5)
            return scatter.ellipses(height, width, row[:, :2] * size - 0.5, radii, angles, fine)

        return planes(len(batch), height * fine, width * fine, one, np.uint16).numpy()

    def flakes(self, rng: SampleRng) -> NDArray[np.float32]:
        """Place, size and direction of each flake, B x n x 4 uniform numbers."""
        rows: NDArray[np.float32] = rng.uniform("flakes", self.COUNT, 4).cpu().numpy()
        return rows

    def diameters(self, row: NDArray[np.float32]) -> NDArray[np.float32]:
        """Diameters of an image's flakes, of the typical one."""
        return np.asarray(0.45 / (1.0 - 0.88 * row[:, 2]), dtype=np.float32)

    def lay(self, batch: Batch, rng: SampleRng, canvases: Canvases, tables: Tables, covered: Tensor) -> Tensor:
        """Near white, flake by flake more or less opaque; near ones out of focus."""
        height, width = batch.images.shape[-2:]
        side, fine = min(height, width), self.fineness(height, width)
        opacities, flakes = evenly(self.COUNT + 1, 0.7, 1.0), self.flakes(rng)
        near = [np.append(self.diameters(row) > self.NEAR, False) for row in flakes]
        parts = []
        for blur, those in ((0.0018, [~n for n in near]), (0.006, near)):
            chosen = [table * opacities * these for table, these in zip(tables, those, strict=True)]
            parts.append(gaussian_blur(plane(batch, canvases, chosen, fine), max(blur * side, 0.1)))
        opacity = torch.add(*parts).clamp_(max=1.0)
        return blend(batch.images, tint(batch, (0.96, 0.97, 1.0)), None, opacity)
