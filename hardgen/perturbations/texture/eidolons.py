"""Eidolons: an image whose parts are all there, but not quite in their places."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional import eidolon
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"

LEAST = 0.125 / 224
"""Reach at which an image counts as untouched: an eighth of a pixel at 224 px."""


@register("eidolon")
@dataclass(frozen=True)
class Eidolon(PhotometricPerturbation):
    """Shifts the image's structures about at random, scale by scale, as in an eye with tarachopia.

    Partially coherent disarray (Koenderink et al. 2017, Journal of Vision 17(2):7): the image is cut into slices of
    scale, each is warped by a smooth random field, and the slices are added up again. `reach` is the standard deviation
    of the displacement, `grain` that of the Gaussian which smooths the fields, and `coherence` the correlation between
    the fields of two slices: at 1 all scales move together and edges stay sharp, at 0 each goes its own way. Up to
    twice the least reach the displacement grows from nothing, so that nothing jumps at neutral. In Geirhos et al.
    (2018, arXiv 1808.08750) eidolon I, II and III are coherence 1, 0.3 and 0 with a grain of 10 px and a reach of 1, 2,
    4 ... 128 px of 224: hardness 0.3, 0.4, 0.5 ... 1.

    The reference cuts at half octaves, these slices are octaves wide, and their sum is the image itself, where the
    reference's is blurred by 0.7 px; its displaced pixels are taken whole, these are interpolated.
    """

    limits: ClassVar[str] = (
        "The displacement is the same statistics everywhere, where an eye's grows towards the edge of sight, and the "
        "published stimuli's random fields are not known, so that stimuli agree in distribution and not in pixels."
    )
    exemptions: ClassVar[dict[str, str]] = {
        "monotone": "a picture of few waves comes nearer to itself again, by up to 3%, once it is moved by more than a "
        "wave; none of 96 photographs did, in steps of 0.2 of hardness",
    }

    reach: float = knob(LEAST, 128 / 224, SHORT_SIDE, "Standard deviation of the displacement.", Scale.LOG)
    coherence: float = setting(0.3, 0.0, 1.0, "of 1", "Correlation between the displacements of different scales.")
    grain: float = setting(10 / 224, 0.01, 1.0, SHORT_SIDE, "Standard deviation of the smoothing of displacements.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Displaces the slices."""
        height, width = images.shape[-2:]
        rows, columns = eidolon.grid(height, width, self.grain)
        shared = rng.normal("shared", 2, rows, columns)
        own = shared if self.coherence == 1 else rng.normal("own", eidolon.SLICES, 2, rows, columns)
        reach = self.reach * min(self.reach / LEAST - 1, 1) * min(height, width)
        return eidolon.disarray(images, shared, own, reach, self.coherence)
