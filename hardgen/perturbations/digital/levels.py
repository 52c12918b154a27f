"""Few levels for each channel, plain or in dots, and few colours."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import quantise, tone
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import PhotometricPerturbation, PointwisePerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

ORDER = 3
"""The Bayer matrix is 8 x 8."""


class Pattern(enum.Enum):
    """Where a value goes to the level above rather than below."""

    bayer = "bayer"
    noise = "noise"


@register("posterise")
@dataclass(frozen=True)
class Posterise(PointwisePerturbation):
    """Rounds every channel to few levels, as with few bits per value.

    Levels are evenly spaced from black to white, both included: 256 of them are 8 bits, 2 are one bit. Neutral is 24
    bits, all that float32 tells apart.
    """

    limits: ClassVar[str] = "Levels are even in display values and the same for all channels; no dithering hides them."

    exemptions: ClassVar[dict[str, str]] = {
        "monotone": "A picture of middle greys lies nearer to three levels, one of which is mid grey, than to four; "
        "none of 16 photographs did.",
    }

    levels: int = knob(1 << 24, 2, "levels of each channel", "Values that a channel can take.", Scale.RECIPROCAL)

    def curve(self, values: Tensor, batch: Batch, rng: SampleRng) -> Tensor:
        """Rounds to the nearest level."""
        return tone.quantise(values, self.levels)


@register("dither")
@dataclass(frozen=True)
class Dither(PhotometricPerturbation):
    """Shows few levels of brightness in a pattern of dots that keeps the mean, as old displays and printers do.

    Every value goes to the level below or above it, by whether the way from below exceeds a threshold: that of an 8 x 8
    Bayer matrix, or a number drawn for each dot (`noise`). The dots' thresholds are the same in all channels.
    """

    limits: ClassVar[str] = "No error diffusion, no screens at an angle for each ink, and dots do not spread."

    levels: int = knob(256, 2, "levels of each channel", "Values that a channel can take.", Scale.LOG)
    dot: float = setting(1 / 112, 0.001, 0.1, "of the short side", "Side of a dot, 2 pixels at 224; at least a pixel.")
    pattern: Pattern = Pattern.bayer

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Compares with the thresholds."""
        height, width = images.shape[-2:]
        side = max(self.dot * min(height, width), 1.0)
        rows, columns = (((torch.arange(n, device=images.device) + 0.5) / side).long() for n in (height, width))
        if self.pattern is Pattern.noise:
            field = rng.uniform("thresholds", int(rows[-1]) + 1, int(columns[-1]) + 1)
        else:
            field, whole = quantise.bayer_thresholds(ORDER).to(images.device)[None], 1 << ORDER
            rows, columns = rows % whole, columns % whole
        return quantise.dither(images, self.levels, field.index_select(2, columns).index_select(1, rows))


@register("colour_quantise")
@dataclass(frozen=True)
class ColourQuantise(PhotometricPerturbation):
    """Leaves few colours in the image, as a GIF or an indexed PNG with a small palette does.

    The palette is the image's own: sets of colours are cut in two where the squared error is greatest, so that each
    palette refines every smaller one.
    """

    limits: ClassVar[str] = "A greedy palette without dither, chosen in display values rather than as the eye sees."

    colours: int = knob(256, 2, "colours", "Size of the palette.", Scale.LOG)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Gives every pixel its palette colour."""
        return quantise.reduce_colours(images, self.colours)
