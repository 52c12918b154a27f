"""Phases and amplitudes: where the edges lie, and how strong each spatial frequency is."""

import enum
from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from hardgen.batch import Batch, Donors
from hardgen.functional import spectrum
from hardgen.functional.layering import with_channels
from hardgen.knobs import knob
from hardgen.perturbation import Doses, Perturbation, PhotometricPerturbation
from hardgen.perturbations.colour.saturation import Luma
from hardgen.registry import register
from hardgen.rng import SampleRng


class Spectrum(enum.Enum):
    """Which amplitudes images are brought to."""

    donors = "donors"
    pink = "pink"


@register("phase_scramble")
@dataclass(frozen=True)
class PhaseScramble(PhotometricPerturbation):
    """Shifts the phase of every spatial frequency at random: textures and contrasts stay, edges and shapes go.

    The shifts are uniform in [-w, w), opposite frequencies get opposite ones, the channels share them, and amplitudes
    stay. Each image meets the same noise at every width and, up to the frequencies that both sizes have, at every image
    size. With grey images and even sides this is the stimulus of Geirhos et al. (2018, arXiv 1808.08750), after
    Wichmann et al. (2006, "Phase noise and the classification of natural images"), with widths of 0 to 180 degrees; the
    highest frequency of an even side keeps its phase, as theirs does.
    """

    limits: ClassVar[str] = (
        "The whole image is one Fourier transform, so what lies at one place is spread over all others, and values "
        "that leave the range are cut, which changes the amplitudes a little."
    )

    width: float = knob(0.0, 180.0, "degrees", "Half-width of the uniform noise on every phase.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Shifts the phases by the image's noise times the width."""
        noise = rng.uniform("phase", spectrum.frequencies(*images.shape[-2:])) * 2 - 1
        return spectrum.shift_phases(images, noise, self.width)


_pools: WeakKeyDictionary[Donors, dict[tuple[object, ...], Tensor]] = WeakKeyDictionary()


def _mean_amplitudes(donors: Donors, images: Tensor, luma: Luma) -> Tensor:
    """The pool's mean amplitudes at the images' size and channels; kept, since the pool is the same for a whole run."""
    kept, (channels, height, width) = _pools.setdefault(donors, {}), images.shape[1:]
    key = (channels, height, width, luma)
    if key not in kept:
        pool = with_channels(donors.resized(height, width), channels, luma=luma.value)
        kept[key] = spectrum.amplitudes(pool)
    return kept[key].to(images.device)


@register("power_equalise")
@dataclass(frozen=True)
class PowerEqualise(Perturbation):
    """Gives every image the same amplitude spectrum: phases stay, so shapes stay, but contrast and texture change.

    The amplitudes, that of the mean brightness among them, become the mean of the donor images' (Geirhos et al. 2018,
    arXiv 1808.08750, took the mean of all their grey images), or with spectrum=pink they fall as 1 / frequency with the
    image's own mean and energy. The amount blends from the image to the result; as phases are the same, this is a blend
    of the amplitudes. A frequency that an image lacks has no phase and stays away. For grey images the donors are grey
    too, by `luma`.
    """

    limits: ClassVar[str] = (
        "The mean is over a pool of at most 64 images at the image's size, an estimate of a data set's spectrum; "
        "values that leave the range are cut, after which spectra are no longer quite equal."
    )

    amount: float = knob(0.0, 1.0, "of the way", "How far amplitudes go to the common ones.")
    spectrum: Spectrum = Spectrum.donors
    luma: Luma = Luma.bt601

    @property
    def needs_donors(self) -> bool:
        """The common spectrum is the donors'."""
        return self.spectrum is Spectrum.donors

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Exchanges the amplitudes and blends."""
        images = batch.images
        if self.spectrum is Spectrum.pink:
            target = spectrum.with_amplitudes(images, spectrum.pink(images))
        else:
            assert batch.donors is not None, "the base has checked it"
            grey = images[:, :1]
            target = spectrum.with_amplitudes(images, _mean_amplitudes(batch.donors, images, self.luma))
            if images.shape[1] == 3 and bool(batch.grey.any()):
                own = spectrum.with_amplitudes(grey[batch.grey], _mean_amplitudes(batch.donors, grey, self.luma))
                target[batch.grey] = own.expand(-1, 3, -1, -1)
        return batch.replace(torch.lerp(images, target, self.amount)), {}
