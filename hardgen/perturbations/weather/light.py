"""Light that dances: caustics, sparkles and what lies around a glare."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch

from hardgen.batch import Batch
from hardgen.functional import glints
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import Doses, Perturbation
from hardgen.perturbations.weather.coating import tint
from hardgen.registry import register
from hardgen.rng import SampleRng

MOST_RAYS = 200


@register("caustics")
@dataclass(frozen=True)
class Caustics(Perturbation):
    """Lays a net of bright lines over the image, as waves throw on the bottom of a pool.

    x + gain c, where c in [0, 1] is bright along lines where the light of a wavy surface is gathered. After
    ImageNet-C-bar's caustic_refraction (arXiv 2102.11273), which instead lights the slopes of such a net from one side,
    with a strength of 2 at its severity 10 (a root mean square of 0.11), and refracts the image by them.
    """

    limits: ClassVar[str] = "The scene is not refracted, and the net lies flat on the picture, whatever it shows."

    gain: float = knob(0.0, 2.0, "of full scale", "Light that the brightest lines add.", Scale.LINEAR)
    size: float = setting(0.2, 0.03, 1.0, "of the short side", "Size of a mesh.")

    WAVES: ClassVar[int] = 14

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Adds the net."""
        height, width = batch.images.shape[-2:]
        net = glints.caustic(height, width, rng.uniform("waves", 2, self.WAVES, 3), self.size, self.WAVES)
        return batch.replace(batch.images + self.gain * net * tint(batch, (0.95, 1.0, 0.97))), {}


DEFAULT_RADIUS = 0.045
"""Of the rays of a sparkle, of the short side."""


@register("sparkles")
@dataclass(frozen=True)
class Sparkles(Perturbation):
    """Sets bright many-rayed stars of light on the image, as glitter or wet things do in the sun.

    Each star's light falls with the inverse square of the distance relative to the length of its rays, 1 within them,
    and takes the image toward white; beyond four such lengths there is none. Stars come in a drawn order.
    ImageNet-C-bar's sparkles set 5 stars and turn their radius, at its severities 1 to 10 to 0.01 to 0.1 of the side:
    here that is the knob `radius` at count=5.
    """

    limits: ClassVar[str] = "Stars lie anywhere, not on what shines in the scene."

    count: int = knob(0, hardest=40, unit="stars", doc="Stars of light.")
    radius: float = knob(
        0.0, 0.15, "of the short side", "Mean length of a ray at full brightness.", default=DEFAULT_RADIUS
    )

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Lays the first `count` stars; `light` is the mean share of the way to white."""
        height, width = batch.images.shape[-2:]
        side, most = min(height, width), self.knobs()["count"].hardest
        draws = rng.uniform("stars", int(most), 3).cpu().numpy()
        lengths = rng.normal("rays", int(most), MOST_RAYS).cpu().numpy()
        rows = []
        for row, noise in zip(draws, lengths, strict=True):
            places = row[: self.count, :2] * np.array([width, height], np.float32) - np.float32(0.5)
            rays = []
            for number, spread in zip(row[: self.count, 2], noise[: self.count], strict=True):
                own = self.radius * side * np.maximum(1 + 0.25 * spread[: 50 + int(150 * number)], 0.1)
                rays.append(own.astype(np.float32))
            rows.append(glints.stars(height, width, places, rays))
        light = torch.from_numpy(np.stack(rows)).to(batch.images.device)[:, None]
        images = torch.lerp(batch.images, tint(batch, (1.0, 1.0, 1.0)), light)
        return batch.replace(images), {"light": light.flatten(1).mean(1)}


@register("inverse_sparkles")
@dataclass(frozen=True)
class InverseSparkles(Perturbation):
    """Bleaches the image around one many-rayed star, inside of which it stays clear.

    x + (1 - x) (1 - min(s, 1)), s = ((1 - (u - 1/2)^2) (L / d)^2)^p, with d the distance from a centre drawn in the
    middle half of the image, L the rays' lengths, a quarter of the short side give or take a quarter of that, and u
    the place between two rays. At p = 0 it is the image. p is 0.13 times ImageNet-C-bar's severity, 1.3 at its 10; its
    inverse_sparkles leaves the factor with u without the power.
    """

    limits: ClassVar[str] = "One star for each image, always near its middle, and white around it."

    falloff: float = knob(0.0, 2.6, "of a power of the squared distance", "How fast the star fades outward.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Bleaches each image; `light` is the mean share of the way to white."""
        height, width = batch.images.shape[-2:]
        side = min(height, width)
        draws, lengths = rng.uniform("star", 3).cpu().numpy(), rng.normal("rays", MOST_RAYS).cpu().numpy()
        rows = []
        for (cx, cy, number), spread in zip(draws, lengths, strict=True):
            rays = 0.25 * side * np.maximum(1 + 0.25 * spread[: 50 + int(150 * number)], 0.1)
            x = np.arange(width, dtype=np.float32)[None, :] - np.float32((0.25 + 0.5 * cx) * width - 0.5)
            y = np.arange(height, dtype=np.float32)[:, None] - np.float32((0.25 + 0.5 * cy) * height - 0.5)
            rows.append(glints.star(x, y, rays.astype(np.float32)))
        kept = torch.from_numpy(np.stack(rows)).to(batch.images.device)[:, None].clamp_(max=1.0).pow_(self.falloff)
        images = torch.lerp(tint(batch, (1.0, 1.0, 1.0)).expand_as(batch.images), batch.images, kept)
        return batch.replace(images), {"light": 1 - kept.flatten(1).mean(1)}
