"""Low-pass and high-pass filters: only the coarse, or only the fine, is left."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.bands import HALF, low_pass
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import Doses, PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"


LEAST = 0.5 / 224
"""Standard deviation at which an image counts as sharp: half a pixel at 224 px."""


def _cutoff(sigma: float, images: Tensor) -> Doses:
    return {"cutoff": torch.full((len(images),), HALF / sigma, device=images.device)}


@register("low_pass")
@dataclass(frozen=True)
class LowPass(PhotometricPerturbation):
    """Keeps only the coarse structure, as people see it who stand far away or whose eyes do not focus.

    A Gaussian filter as in `scipy.ndimage.gaussian_filter(truncate=4)`, its border replicated or, with `pad`, of one
    grey. Hardness moves by octaves of the Gaussian, as people's difficulty does. On grey images and with a pad of
    0.4423, the mean of all their photographs, this is the stimulus of Geirhos et al. (2018, arXiv 1808.08750), whose
    standard deviations of 1, 3, 5, 7, 10, 15 and 40 px are, at 224 px, 0.0045, 0.0134, 0.0223, 0.0313, 0.0446, 0.0670
    and 0.1786 of the short side.

    Dose: `cutoff`, the frequency whose contrast is halved, in cycles per short side: 0.1874 / sigma.
    """

    limits: ClassVar[str] = "Filters display values, not light, with a soft cut: a little of every frequency is left."

    sigma: float = knob(
        LEAST, 0.18, SHORT_SIDE, "Standard deviation of the Gaussian that the image is filtered with.", Scale.LOG
    )
    pad: float | None = setting(None, 0.0, 1.0, "of full scale", "Grey round the image; null: its border, replicated.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Filters rows and columns; up to twice the least Gaussian the image blends into the filtered one."""
        low = low_pass(images, self.sigma * min(images.shape[-2:]), self.pad)
        return low if self.sigma >= 2 * LEAST else torch.lerp(images, low, self.sigma / LEAST - 1)

    def dose(self, after: Batch) -> Doses:
        """The cut-off."""
        return _cutoff(self.sigma, after.images)


@register("high_pass")
@dataclass(frozen=True)
class HighPass(PhotometricPerturbation):
    """Keeps only the fine structure, on grey: what a Gaussian filter would blur away.

    image - low-pass(image), moved back to the image's own mean, or to `mean` where that is given. The Gaussian has the
    image's mean round it or, with `pad`, that grey level. With both at 0.4423, on grey images, this is the stimulus of
    Geirhos et al. (2018, arXiv 1808.08750), whose standard deviations of 3, 1.5, 1, 0.7, 0.55, 0.45 and 0.4 px are, at
    224 px, 0.0134, 0.0067, 0.0045, 0.0031, 0.0025, 0.0020 and 0.0018 of the short side. Below about a quarter
    of a pixel nothing is left.

    Dose: `cutoff`, the frequency whose contrast is halved, in cycles per short side: 0.1874 / sigma.
    """

    limits: ClassVar[str] = (
        "Filters display values, not light, with a soft cut: a little of every frequency is left; at small image sizes "
        "the finest cut-offs fall below a pixel and leave a flat image."
    )

    sigma: float = knob(
        float("inf"), 0.4 / 224, SHORT_SIDE, "Standard deviation of the Gaussian that is taken away.", Scale.RECIPROCAL
    )
    mean: float | None = setting(None, 0.0, 1.0, "of full scale", "Mean of the result; null: the image's own.")
    pad: float | None = setting(None, 0.0, 1.0, "of full scale", "Grey round the image; null: the image's own mean.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Takes the low frequencies away, channel by channel."""
        means = images.mean((2, 3), keepdim=True)
        sigma = self.sigma * min(images.shape[-2:])
        if self.pad is None:
            low = low_pass(images - means, sigma, 0.0).add_(means)
        else:
            low = low_pass(images, sigma, self.pad)
        fine = images - low
        return fine.add_((means if self.mean is None else self.mean) - fine.mean((2, 3), keepdim=True))

    def dose(self, after: Batch) -> Doses:
        """The cut-off."""
        return _cutoff(self.sigma, after.images)
