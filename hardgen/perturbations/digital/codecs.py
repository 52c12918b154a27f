"""Lossy compression of still images."""

from dataclasses import dataclass
from typing import ClassVar

from hardgen.batch import Batch
from hardgen.functional import codecs
from hardgen.knobs import Scale, knob
from hardgen.perturbation import Doses, Perturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

NOT_MONOTONE = (
    "An encoder's rounding falls now well and now badly: a file of lower quality can lie slightly nearer to the image."
)


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
        images, bits = codecs.jpeg(batch.images, self.quality)
        return batch.replace(images), {"bits_per_pixel": bits}


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
        images, bits = codecs.webp(batch.images, self.quality)
        return batch.replace(images), {"bits_per_pixel": bits}
