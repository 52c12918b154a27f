"""The colour of the light, and channels that are too strong, too weak or lost."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional.colour import gain_matrix, planckian_stops, toward
from hardgen.knobs import knob
from hardgen.perturbations.colour.base import ColourMatrix
from hardgen.registry import register
from hardgen.rng import SampleRng

SEPIA = ((0.393, 0.769, 0.189), (0.349, 0.686, 0.168), (0.272, 0.534, 0.131))
"""The widely used sepia matrix (that of the W3C Filter Effects draft, section sepia)."""


@register("white_balance")
@dataclass(frozen=True)
class WhiteBalance(ColourMatrix):
    """Gives the picture a warm or cold cast, as from a camera that is set for another light.

    A black body's light shifts by so many mired (a million over the temperature in kelvin). By Wien's approximation of
    Planck's law that multiplies the light at wavelength w by exp(-c2 shift / w), taken at 610, 550 and 465 nm for R, G
    and B with G kept, and brought to display values by a power law of 2.2. Warmer or colder is drawn.
    """

    limits: ClassVar[str] = "Three wavelengths stand for broad bands; no tint (green to magenta), no mixed light."

    mired: float = knob(0.0, 400.0, "mired", "Size of the shift of the colour temperature.")

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """A gain for each channel."""
        return gain_matrix(planckian_stops((rng.integers("direction", 2) * 2 - 1) * self.mired))


@register("channel_gain")
@dataclass(frozen=True)
class ChannelGain(ColourMatrix):
    """Makes channels stronger or weaker, each by its own draw, as from faulty gains.

    The light of each channel is multiplied by 2 to the power of stops times a direction: -1, 0 and 1 in a drawn order.
    Light is display value to the power of 2.2.
    """

    limits: ClassVar[str] = "One gain for the whole picture; no offset, no change of the black level."

    stops: float = knob(0.0, 4.0, "stops", "Gain of the strongest channel, and loss of the weakest.")

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """A gain for each channel."""
        return gain_matrix((rng.permutation("order", 3) - 1).float() * self.stops)


@register("channel_drop")
@dataclass(frozen=True)
class ChannelDrop(ColourMatrix):
    """Fades one drawn channel out, as from a broken cable.

    The display values of that channel are multiplied by the gain.
    """

    limits: ClassVar[str] = "The lost channel is black; no noise or hum comes in its place."

    gain: float = knob(1.0, 0.0, "of the channel", "What is left of the channel.")

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """All but one channel."""
        lost = torch.eye(3)[rng.integers("channel", 3).cpu()]
        return torch.diag_embed(1.0 - lost * (1.0 - self.gain))


@register("sepia")
@dataclass(frozen=True)
class Sepia(ColourMatrix):
    """Blends to brown tones, as in an old photograph.

    The target is the sepia matrix of the W3C's Filter Effects, whose brightest values clip.
    """

    limits: ClassVar[str] = "A change of colour only; no fading, grain, scratches or paper."

    blend: float = knob(0.0, 1.0, "of the toning", "Share of the way to brown tones.")

    def matrices(self, rng: SampleRng, count: int) -> Tensor:
        """On the way to sepia."""
        return toward(torch.tensor(SEPIA), self.blend)
