"""Colours as film and false-colour displays show them."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import cv2
import numpy as np
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.colour import toward
from hardgen.functional.tone import luminance
from hardgen.knobs import knob
from hardgen.perturbation import Doses, PhotometricPerturbation
from hardgen.perturbations.colour.base import ColourMatrix
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("bleach_bypass")
@dataclass(frozen=True)
class BleachBypass(PhotometricPerturbation):
    """Blends to the look of film whose silver was left in: pale colours, hard contrast.

    The image is overlaid with its own luma l (BT.601): 2 l v where l is below 1/2, else 1 - 2 (1 - l) (1 - v).
    """

    limits: ClassVar[str] = "An overlay of display values, not the density of silver over dyes."

    blend: float = knob(0.0, 1.0, "of the look", "Share of the way to the bypassed picture.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Lays luma over the image."""
        luma = luminance(images)
        over = torch.where(luma < 0.5, 2 * luma * images, 1 - 2 * (1 - luma) * (1 - images))
        return images.lerp(over, self.blend)


@register("technicolor")
@dataclass(frozen=True)
class Technicolor(ColourMatrix):
    """Blends to two-colour film: green and blue become their mean, so that only orange and teal are left.

    As two-strip Technicolor of the 1920s recorded the scene through a red and a green-blue filter.
    """

    limits: ClassVar[str] = "Display values are mixed; no dyes, no grain, no misregistration of the strips."

    blend: float = knob(0.0, 1.0, "of the look", "Share of the way to two colours.")

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """Red stays, green and blue share their mean."""
        return toward(torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]), self.blend)


class ColourMap(enum.Enum):
    """The map of luminance to colour (OpenCV's tables)."""

    turbo = cv2.COLORMAP_TURBO
    viridis = cv2.COLORMAP_VIRIDIS
    inferno = cv2.COLORMAP_INFERNO
    ocean = cv2.COLORMAP_OCEAN


@register("pseudocolour")
@dataclass(frozen=True)
class Pseudocolour(PhotometricPerturbation):
    """Blends to a colour map of the luminance, as thermal cameras and data displays show brightness.

    Of 256 colours the one for the pixel's luma (BT.601) is taken; grey images, whose colours would tell nothing new,
    stay as they are.
    """

    limits: ClassVar[str] = "Maps the picture's brightness, not temperature or depth."

    blend: float = knob(0.0, 1.0, "of the map", "Share of the way to the mapped picture.")
    colours: ColourMap = ColourMap.turbo

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Leaves grey images out."""
        images = self.perturb(batch.images, rng)
        return batch.replace(torch.where(batch.grey[:, None, None, None], batch.images, images)), {}

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Looks every pixel's luma up."""
        if images.shape[1] == 1:
            return images
        table = cv2.applyColorMap(np.arange(256, dtype=np.uint8)[:, None], self.colours.value)[:, 0, ::-1]
        colours = torch.from_numpy(table.astype(np.float32) / 255).to(images.device)
        mapped = colours[(luminance(images)[:, 0] * 255).round().long().clamp_(0, 255)].permute(0, 3, 1, 2)
        return images.lerp(mapped, self.blend)
