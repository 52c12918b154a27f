"""Saturation and hue: colours fade, glare, turn or trade places."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional.colour import grey_matrix, hue_matrix, toward
from hardgen.functional.layering import LUMA
from hardgen.knobs import Scale, knob
from hardgen.perturbations.colour.base import ColourMatrix
from hardgen.registry import register
from hardgen.rng import SampleRng

SWAPS = ((1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0))
"""The orders of R, G, B that are not the order itself."""


class Luma(enum.Enum):
    """What a colour's brightness is: the weights of R, G and B."""

    bt601 = LUMA
    bt709 = (0.2125, 0.7154, 0.0721)


@register("desaturation")
@dataclass(frozen=True)
class Desaturation(ColourMatrix):
    """Fades colours to grey, as in a washed-out or black-and-white picture.

    Every value v becomes v + fraction (luma - v), with the luma of its pixel: 0.299 R + 0.587 G + 0.114 B (BT.601), or
    0.2125 R + 0.7154 G + 0.0721 B (BT.709, as scikit-image turns colours grey).
    """

    limits: ClassVar[str] = "Works in display values; no film's or sensor's own rendering of colours as grey."

    fraction: float = knob(0.0, 1.0, "of the colour", "Colour that is taken away.")
    luma: Luma = Luma.bt601

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """On the way to luma."""
        return toward(grey_matrix(self.luma.value), self.fraction)


@register("oversaturation")
@dataclass(frozen=True)
class Oversaturation(ColourMatrix):
    """Makes colours more vivid than they are, until channels clip, as from overdone processing.

    Every value v becomes luma + factor (v - luma), with the BT.601 luma of its pixel.
    """

    limits: ClassVar[str] = "Works in display values; no gamut mapping, so that luma changes where channels clip."

    factor: float = knob(1.0, 20.0, "of the original colour", "How much the colour is multiplied by.", Scale.LOG)

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """Away from luma."""
        return toward(grey_matrix(), 1.0 - self.factor)


@register("false_colour")
@dataclass(frozen=True)
class FalseColour(ColourMatrix):
    """Turns colours into their opponents at the same brightness, as in a picture with false colours.

    Every value v goes toward 2 luma - v, which has the same BT.601 luma and the opposite chroma. Geirhos et al. (2018)
    invert the opponent axes of another colour space; the blend of 1 is nearest to their `false-colour`.
    """

    limits: ClassVar[str] = "Works in display values, and half way the picture is grey; channels clip."

    blend: float = knob(0.0, 1.0, "of the inversion", "Share of the way to opponent colours.")

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """Past luma to the other side."""
        return toward(grey_matrix(), 2.0 * self.blend)


@register("hue_shift")
@dataclass(frozen=True)
class HueShift(ColourMatrix):
    """Turns every hue by one angle, at constant luma, as a wrong colour decoder does.

    The chroma plane of YIQ turns about the grey axis. Whether hues turn one way or the other is drawn.
    """

    limits: ClassVar[str] = "Works in display values; what turns out of the range of the channels is clipped."

    degrees: float = knob(0.0, 180.0, "degrees", "Angle that hues turn by.")

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """A turn each."""
        return hue_matrix((rng.integers("direction", 2) * 2 - 1) * self.degrees)


@register("channel_swap")
@dataclass(frozen=True)
class ChannelSwap(ColourMatrix):
    """Blends to the image with its channels in another order, as from a mixed-up format.

    One of the five other orders of R, G and B is drawn for each image.
    """

    limits: ClassVar[str] = "Channels change places only; no mix-up of colour spaces such as YUV read as RGB."

    blend: float = knob(0.0, 1.0, "of the swap", "Share of the way to the other order.")

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """On the way to an order."""
        orders = torch.tensor(SWAPS)[rng.integers("order", len(SWAPS)).cpu()]
        return toward(torch.eye(3)[orders], self.blend)
