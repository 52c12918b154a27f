"""Fewer pixels: block means, and down and up again."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor
from torch.nn import functional

from hardgen.functional.tone import luminance
from hardgen.knobs import Scale, knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

NOT_MONOTONE = (
    "The grid of pixels shifts as their number falls: an edge that lies on a coarse grid is kept by it alone."
)


def _fewer(images: Tensor, scale: float) -> tuple[int, int]:
    height, width = images.shape[-2:]
    return max(1, round(height * scale)), max(1, round(width * scale))


@register("pixelate")
@dataclass(frozen=True)
class Pixelate(PhotometricPerturbation):
    """Shows the image in large square pixels, each the mean of what it covers.

    Both sides shrink to the scale, by means over areas, and grow again by repeating pixels. ImageNet-C's `pixelate`
    has the scales 0.6, 0.5, 0.4, 0.3 and 0.25.
    """

    limits: ClassVar[str] = "Means are of display values; the number of large pixels along a side is a whole one."
    exemptions: ClassVar[dict[str, str]] = {"monotone": NOT_MONOTONE}

    scale: float = knob(1.0, 0.03, "of the pixels along a side", "Pixels that are left along a side.", Scale.LOG)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Shrinks and repeats."""
        few = functional.interpolate(images, _fewer(images, self.scale), mode="area")
        return functional.interpolate(few, tuple(images.shape[-2:]), mode="nearest-exact")


@register("downscale")
@dataclass(frozen=True)
class Downscale(PhotometricPerturbation):
    """Loses detail as an image does that was shrunk and enlarged again.

    Both sides shrink to the scale by antialiased bilinear interpolation and grow again by bilinear interpolation.
    """

    limits: ClassVar[str] = (
        "One pair of interpolations in display values; no sharpening and no compression between them."
    )

    scale: float = knob(1.0, 0.03, "of the pixels along a side", "Pixels that are left along a side.", Scale.LOG)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Shrinks and enlarges."""
        few = functional.interpolate(images, _fewer(images, self.scale), mode="bilinear", antialias=True)
        return functional.interpolate(few, tuple(images.shape[-2:]), mode="bilinear")


@register("chroma_subsampling")
@dataclass(frozen=True)
class ChromaSubsampling(PhotometricPerturbation):
    """Keeps brightness sharp and stores colour in few pixels, as video does.

    What differs from the BT.601 luma shrinks to the scale by means over areas and grows again by bilinear
    interpolation: 4:2:0 has the scale 0.5. At the hardest the picture has a few pixels of colour; there is
    hardly any less, and as luma stays, this alone makes few pictures hard.
    """

    limits: ClassVar[str] = "Luma is kept unless channels clip; no rounding of chroma and no choice of its siting."

    scale: float = knob(1.0, 0.01, "of the pixels along a side", "Pixels of chroma along a side.", Scale.LOG)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Shrinks and enlarges chroma."""
        luma = luminance(images)
        few = functional.interpolate(images - luma, _fewer(images, self.scale), mode="area")
        return functional.interpolate(few, tuple(images.shape[-2:]), mode="bilinear").add_(luma)
