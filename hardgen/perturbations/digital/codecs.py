"""Lossy compression of still images."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import codecs
from hardgen.knobs import Scale, knob
from hardgen.perturbation import Doses, Perturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

NOT_MONOTONE = (
    "An encoder's rounding falls now well and now badly: a file of lower quality can lie slightly nearer to the image."
)


def recoded(batch: Batch, codes: NDArray[np.uint8], bits: Tensor) -> tuple[Batch, Doses]:
    """The batch with what came out of a codec, on its device, and the size of the files."""
    after = batch.coded_anew(codes)
    if not batch.on_cpu:
        after = after.replace(after.images.to(batch.device), on_grid=True)
    return after, {"bits_per_pixel": bits.to(batch.device)}


@register("jpeg")
@dataclass(frozen=True)
class Jpeg(Perturbation):
    """Saves the image as a JPEG file of low quality and reads it again.

    libjpeg's quality with colour at half the resolution, on the image rounded to 8 bits, on the CPU. Neutral is no
    JPEG at all. ImageNet-C's `jpeg_compression` has the qualities 25, 18, 15, 10 and 7.
    """

    limits: ClassVar[str] = (
        "One encoder (libjpeg's tables), saved once; blocks are of 8 pixels whatever the image's size."
    )
    exemptions: ClassVar[dict[str, str]] = {"monotone": NOT_MONOTONE}

    quality: int = knob(100, 1, "quality", "libjpeg's quality of the file.", Scale.LOG)

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Encodes and decodes; `bits_per_pixel` is the size of the file."""
        return recoded(batch, *codecs.jpeg(batch.bytes(), self.quality))


@register("webp")
@dataclass(frozen=True)
class Webp(Perturbation):
    """Saves the image as a lossy WebP file of low quality and reads it again.

    libwebp's quality, on the image rounded to 8 bits, on the CPU. Neutral is no WebP at all. Quality 1 is the worst
    that libwebp writes through OpenCV, and milder than JPEG's: blocks are predicted from their neighbours and smoothed.
    """

    limits: ClassVar[str] = "One encoder at its default effort, saved once; its blocks do not grow with the image."
    exemptions: ClassVar[dict[str, str]] = {"monotone": NOT_MONOTONE}

    quality: int = knob(100, 1, "quality", "libwebp's quality of the file.", Scale.LOG)

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Encodes and decodes; `bits_per_pixel` is the size of the file."""
        return recoded(batch, *codecs.webp(batch.bytes(), self.quality))
