"""Fewer pixels: block means, and down and up again."""

import enum
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import resolution
from hardgen.functional.sources import Making
from hardgen.functional.tone import luminance
from hardgen.knobs import Scale, knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

NOT_MONOTONE = (
    "The grid of pixels shifts as their number falls, and an edge that lies on a coarse grid is kept by it alone: on "
    "photographs at 224 px up to 12 steps of 0.05 in 640 bring an image up to 0.028 of full scale nearer the clean one."
)


MOST = 256.0
"""Pixels along the short side at which an image counts as sharp."""
EASE = 1 / 8
"""Share of an image's pixels over whose loss it blends into the coarse one."""


def _size(height: int, width: int, short: float) -> tuple[int, int, float]:
    """How large an image of so many pixels along its short side is, and how far it blends into that one.

    It blends in from as many pixels as it has, or 256 if it has more.
    """
    most = min(MOST, height, width)
    share = min(max((most - short) / (most * EASE), 0.0), 1.0)
    return *resolution.smaller(height, width, short), share


def _fewer(images: Tensor, short: float, back: str) -> Tensor:
    """The image at so many pixels along its short side."""
    height, width, share = _size(images.shape[2], images.shape[3], short)
    coarse = resolution.coarsen(images, height, width, back)
    return coarse if share == 1.0 else torch.lerp(images, coarse, share)


class Coarse(PhotometricPerturbation):
    """Shows the image at fewer pixels."""

    @property
    @abstractmethod
    def short(self) -> tuple[float, str]:
        """Pixels along the short side, and how they are enlarged."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Shrinks and enlarges the batch."""
        return _fewer(images, *self.short)

    def making(self, batch: Batch, rng: SampleRng) -> Making:
        """Shrinks and enlarges each image."""
        short, back = self.short
        height, width, share = _size(batch.shape[2], batch.shape[3], short)
        return resolution.coarsening(height, width, back, share)


@register("pixelate")
@dataclass(frozen=True)
class Pixelate(Coarse):
    """Shows the image in large square pixels, each the mean of what it covers, as a mosaic that hides a face does.

    The short side has a whole number of blocks. ImageNet-C's `pixelate` keeps 0.6, 0.5, 0.4, 0.3 and 0.25 of 224 px:
    134, 112, 90, 67 and 56 blocks. As many blocks as the image has pixels, or more, change nothing; over the first
    eighth fewer (than 256, if it has more pixels) the mosaic blends in, so that nothing jumps.
    """

    limits: ClassVar[str] = "Means are of display values; one grid from the corner, with a whole number of blocks."
    exemptions: ClassVar[dict[str, str]] = {"monotone": NOT_MONOTONE}

    blocks: float = knob(MOST, 8.0, "blocks", "Blocks along the short side.", Scale.LOG)

    @property
    def short(self) -> tuple[float, str]:
        """Blocks, each of one colour."""
        return self.blocks, resolution.NEAREST


class Enlargement(enum.Enum):
    """How a small image is brought to its size again."""

    bilinear = "bilinear"
    bicubic = "bicubic"


@register("downscale")
@dataclass(frozen=True)
class Downscale(Coarse):
    """Loses detail as an image does that was shrunk and enlarged again, or that came from a small file.

    Shrinking takes the mean of the area of each new pixel, enlarging interpolates. As many pixels as the image has,
    or more, change nothing; over the first eighth fewer (than 256, if it has more) the coarse image blends in, so that
    nothing jumps.
    """

    limits: ClassVar[str] = (
        "One shrinking and enlarging in display values; no blur of a lens, sharpening or compression between them."
    )
    exemptions: ClassVar[dict[str, str]] = {"monotone": NOT_MONOTONE}

    pixels: float = knob(MOST, 8.0, "pixels", "Pixels along the short side.", Scale.LOG)
    enlargement: Enlargement = Enlargement.bilinear

    @property
    def short(self) -> tuple[float, str]:
        """Pixels, enlarged by choice."""
        return self.pixels, self.enlargement.value


@register("chroma_subsampling")
@dataclass(frozen=True)
class ChromaSubsampling(PhotometricPerturbation):
    """Keeps brightness sharp and stores colour in few pixels, as video does.

    What differs from the BT.601 luma shrinks by means over areas and grows again by bilinear interpolation: 4:2:0 keeps
    half as many samples as the image has pixels along a side. As many as it has, or more, change nothing; over the
    first eighth fewer (than 256, if it has more) the coarse colour blends in, so that nothing jumps. At the hardest
    the picture has a few samples of colour; there is hardly any less, and as luma stays, this alone makes few pictures
    hard.
    """

    limits: ClassVar[str] = "Luma is kept unless channels clip; no rounding of chroma and no choice of its siting."
    exemptions: ClassVar[dict[str, str]] = {
        "monotone": "the grid of samples shifts as their number falls: on 32 photographs at 224 px 6 steps of 0.05 in "
        "608 bring an image up to 0.006 of full scale nearer the clean one"
    }

    samples: float = knob(MOST, 2.0, "samples", "Samples of colour along the short side.", Scale.LOG)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Shrinks and enlarges chroma."""
        luma = luminance(images)
        return _fewer(images - luma, self.samples, resolution.LINEAR).add_(luma)
