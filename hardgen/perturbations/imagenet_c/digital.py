"""ImageNet-C's digital corruptions, and those of tone and colour."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.bytewise import Bytes, OnBytes, change
from hardgen.functional.codecs import jpeg_bytes
from hardgen.functional.imagenet_c import boxes, elastic, shades, tone
from hardgen.functional.levels import truncate
from hardgen.functional.motions import Motion, Planar
from hardgen.functional.sampling import MADE_OF_EDGES
from hardgen.perturbation import GeometricPerturbation
from hardgen.perturbations.imagenet_c.severity import Corruption, PhotometricCorruption, Rows, Table
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("imagenet_c_brightness")
@dataclass(frozen=True)
class Brightness(PhotometricCorruption):
    """ImageNet-C's brightness: HSV's value raised, hue and saturation kept.

    `faithful=false` rounds where the reference cuts off. The knob in its unit: `brightness`.
    """

    limits: ClassVar[str] = "Five settings, brighter only; adds to display values, as no exposure does."
    rows: ClassVar[Rows] = {
        Table.imagenet: (0.1, 0.2, 0.3, 0.4, 0.5),
        Table.tiny: (0.1, 0.2, 0.3, 0.4, 0.5),
        Table.cifar: (0.05, 0.1, 0.15, 0.2, 0.3),
    }

    def corrupt(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Raises the greatest channel, and the others in proportion."""
        return tone.add_value(images, self.row)

    def bytewise(self, shape: torch.Size, rng: SampleRng) -> OnBytes:
        """Raises the greatest channel, and the others in proportion."""
        return shades.add_value(self.row)


@register("imagenet_c_contrast")
@dataclass(frozen=True)
class Contrast(PhotometricCorruption):
    """ImageNet-C's contrast: each channel's values brought nearer to the channel's mean.

    The reference cuts off to 8 bits, so that even a flat image gets darker by a level; `faithful=false` rounds. The
    knob in its unit: `contrast`.
    """

    limits: ClassVar[str] = "Five settings; falls evenly over the image, unlike haze, and colours fade with it."
    rows: ClassVar[Rows] = {
        Table.imagenet: (0.4, 0.3, 0.2, 0.1, 0.05),
        Table.tiny: (0.4, 0.3, 0.2, 0.1, 0.05),
        Table.cifar: (0.75, 0.5, 0.4, 0.3, 0.15),
    }

    def corrupt(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Scales about the channel means."""
        return tone.scale_contrast(images, self.row)

    def bytewise(self, shape: torch.Size, rng: SampleRng) -> OnBytes:
        """Scales about the channel means."""
        return shades.scale_contrast(self.row, shape[2])


@register("imagenet_c_saturate")
@dataclass(frozen=True)
class Saturate(PhotometricCorruption):
    """ImageNet-C's saturation (of its four more): lowered at severities 1 and 2, raised beyond measure at 3 to 5.

    `faithful=false` rounds where the reference cuts off. Accuracy rises at severity 3: all but grey at 2, images have
    their colours again at 3, twice as strong. The knobs in their units: `desaturation`, `oversaturation`.
    """

    limits: ClassVar[str] = "Five settings of two opposite things; HSV's saturation, not the eye's."
    exemptions: ClassVar[dict[str, str]] = {
        "monotone.severity": "published so: colours fade, then glow; "
        "on 40 photographs at 224 px RMSE falls in 20 of 200 steps, by at most 0.05",
    }
    rows: ClassVar[Rows] = {
        Table.imagenet: ((0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (20.0, 0.2)),
        Table.tiny: ((0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (30.0, 0.2)),
        Table.cifar: ((0.3, 0.0), (0.1, 0.0), (1.5, 0.0), (2.0, 0.1), (2.5, 0.2)),
    }

    def corrupt(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Scales and shifts the saturation."""
        return tone.scale_saturation(images, *self.row)

    def bytewise(self, shape: torch.Size, rng: SampleRng) -> OnBytes:
        """Scales and shifts the saturation."""
        return shades.scale_saturation(*self.row)


@register("imagenet_c_pixelate")
@dataclass(frozen=True)
class Pixelate(PhotometricCorruption):
    """ImageNet-C's pixelation: scaled down by the mean of blocks, and up again without smoothing.

    On 8 bits, as by Pillow in the reference, so that `faithful` changes nothing. The knob in its unit: `pixelate`.
    """

    in_bytes: ClassVar[bool] = True
    limits: ClassVar[str] = "Five settings; blocks alternate in size where the scale does not divide the image."
    exemptions: ClassVar[dict[str, str]] = {
        "monotone.severity": "blocks fall into step with a pattern; "
        "on 40 photographs at 224 px RMSE falls in 1 of 200 steps, by 0.001",
    }
    rows: ClassVar[Rows] = {
        Table.imagenet: (0.6, 0.5, 0.4, 0.3, 0.25),
        Table.tiny: (0.9, 0.8, 0.7, 0.6, 0.5),
        Table.cifar: (0.95, 0.9, 0.85, 0.75, 0.65),
    }

    def bytewise(self, shape: torch.Size, rng: SampleRng) -> OnBytes:
        """Scales every image down and up."""
        height, width = shape[2:]
        small = max(int(height * self.row), 1), max(int(width * self.row), 1)
        return lambda pixels, _: boxes.pixelate(pixels, height, small)


@register("imagenet_c_jpeg_compression")
@dataclass(frozen=True)
class JpegCompression(PhotometricCorruption):
    """ImageNet-C's JPEG compression, at libjpeg's quality and with colour at half the resolution.

    On 8 bits, as in the reference, so that `faithful` changes nothing. The knob in its unit: `jpeg`.
    """

    in_bytes: ClassVar[bool] = True
    alone: ClassVar[bool] = True
    limits: ClassVar[str] = "Five settings; compressed once, by one encoder."
    exemptions: ClassVar[dict[str, str]] = {
        "monotone.severity": "a flat block can be nearer at a lower quality; "
        "on 40 photographs at 224 px RMSE never falls",
    }
    rows: ClassVar[Rows] = {
        Table.imagenet: (25, 18, 15, 10, 7),
        Table.tiny: (65, 58, 50, 40, 25),
        Table.cifar: (80, 65, 58, 50, 40),
    }

    def bytewise(self, shape: torch.Size, rng: SampleRng) -> OnBytes:
        """Writes every image and reads it back."""
        return lambda pixels, _: jpeg_bytes(pixels, self.row)


@register("imagenet_c_elastic_transform")
@dataclass(frozen=True)
class ElasticTransform(Corruption, GeometricPerturbation):
    """ImageNet-C's elastic transform: pixels displaced along a smooth random field; boxes and masks move along.

    For 224 px as the package imagecorruptions has it, a smoothed uniform field; for 64 and 32 px as the scripts of
    Hendrycks and Dietterich have it, with a random affine map before. `faithful=false` rounds where the reference cuts
    off. The knob in its unit: `elastic`.
    """

    limits: ClassVar[str] = "Five settings; a rubber sheet, not the way that things bend."
    exemptions: ClassVar[dict[str, str]] = {
        "monotone.severity": "the tables for 64 and 32 px shrink the affine map as the field grows; "
        "on 40 photographs at 224 px RMSE never falls",
        "boxes_move": "in pictures of 48 px the field changes within a pixel, so that a box's edge is torn by up to "
        "2 px; at 224 px boxes lie within 1 px",
    }
    rows: ClassVar[Rows] = {
        Table.imagenet: (12.5, 16.25, 21.25, 25.0, 30.0),
        Table.tiny: ((0.0, 0.0, 0.08), (0.05, 0.3, 0.06), (0.1, 0.08, 0.06), (0.1, 0.03, 0.03), (0.16, 0.03, 0.02)),
        Table.cifar: ((0.0, 0.0, 0.08), (0.05, 0.2, 0.07), (0.08, 0.06, 0.06), (0.1, 0.04, 0.05), (0.1, 0.03, 0.03)),
    }

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Where each pixel is taken from."""
        height, width = batch.shape[-2:]
        draws, corners = rng.coarse("field", 2, height, width), rng.uniform("corners", 3, 2) * 2 - 1
        if self.table is Table.imagenet:
            return elastic.waves(draws, 0.005 * height * self.row, (0.01 * height, 0.01 * width))
        side = min(height, width)
        amount, sigma, affine = (part * side for part in self.row)
        return elastic.turned(elastic.waves(draws, amount, (sigma, sigma)), corners * affine)

    def sample(self, batch: Batch, motion: Motion | Planar) -> Batch:
        """Samples, and cuts off to 8 bits where faithful."""
        if not self.faithful:
            return super().sample(batch, motion)
        if batch.device.type != "cpu" or self.border not in MADE_OF_EDGES:
            return batch.replace(truncate(super().sample(batch.rounded(), motion).images))
        ways = motion.flow().numpy()

        def how(pixels: Bytes, part: slice) -> NDArray[np.uint8]:
            return elastic.moved(pixels, ways[part.start], self.border)

        return batch.coded_anew(change(batch.bytes(), how, alone=True))
