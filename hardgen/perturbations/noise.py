"""Noise: values that have nothing to do with the scene."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional.noise import add_noise
from hardgen.knobs import knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("gaussian_noise")
@dataclass(frozen=True)
class GaussianNoise(PhotometricPerturbation):
    """Adds independent Gaussian noise to every channel value, as sensor read-out does.

    One noise field is drawn for each image and scaled by sigma, so that the same image meets the same field at every
    hardness. Sigma holds before values are cut at black and white; on grey images all channels get the same noise.
    ImageNet-C's `gaussian_noise` at severity 1 to 5 has sigma 0.08, 0.12, 0.18, 0.26 and 0.38 (Hendrycks and
    Dietterich, arXiv 1903.12261).
    """

    limits: ClassVar[str] = (
        "Real sensor noise depends on the signal, is correlated by demosaicing and denoising, and is shaped by the "
        "tone curve; this noise is the same at every brightness and in every pixel."
    )

    sigma: float = knob(0.0, 0.5, "of full scale", "Standard deviation of the noise.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's noise field times sigma."""
        return add_noise(images, rng.normal("noise", *images.shape[1:]), self.sigma)
