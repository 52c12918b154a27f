"""Noise that is independent from pixel to pixel."""

import enum
from dataclasses import dataclass
from typing import ClassVar

import torch
from scipy import special
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.layering import share
from hardgen.functional.noise import add_noise, multiply_noise, replace_values
from hardgen.functional.occlusion import cover
from hardgen.functional.parallel import spread
from hardgen.knobs import knob, setting
from hardgen.perturbation import Doses, Perturbation, PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


class Unit(enum.Enum):
    """What impulses strike."""

    pixel = "pixel"
    value = "value"


@register("gaussian_noise")
@dataclass(frozen=True)
class GaussianNoise(PhotometricPerturbation):
    """Adds independent Gaussian noise to every channel value, as sensor read-out does.

    One noise field is drawn for each image and scaled by sigma, so that the same image meets the same field at every
    hardness. Sigma holds before values are cut at black and white; on grey images all channels get the same noise.
    ImageNet-C's `gaussian_noise` at severity 1 to 5 has sigma 0.08, 0.12, 0.18, 0.26 and 0.38 (Hendrycks and
    Dietterich, arXiv 1903.12261).
    """

    version: ClassVar[int] = 2
    limits: ClassVar[str] = (
        "Real sensor noise depends on the signal, is correlated by demosaicing and denoising, and is shaped by the "
        "tone curve; this noise is the same at every brightness and in every pixel."
    )

    sigma: float = knob(0.0, 0.5, "of full scale", "Standard deviation of the noise.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's noise field times sigma."""
        return add_noise(images, rng.normal("noise", *images.shape[1:]), self.sigma)


@register("uniform_noise")
@dataclass(frozen=True)
class UniformNoise(PhotometricPerturbation):
    """Adds independent noise that is uniform within a half-width, as laboratory studies of vision do.

    Geirhos et al. (arXiv 1808.08750) add it to grey images of 30% contrast with half-widths 0.03, 0.05, 0.1, 0.2, 0.35,
    0.6 and 0.9; precede it by `contrast` for their stimuli. The standard deviation is the half-width / root 3.
    """

    limits: ClassVar[str] = "No cause in a camera has this distribution; it is the same at every brightness."

    width: float = knob(0.0, 0.9, "of full scale", "Half-width of the noise: values go up or down by at most this.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's noise field times the half-width."""
        field = rng.uniform("noise", *images.shape[1:])
        return images.sub(self.width).add_(field, alpha=2 * self.width)


@register("speckle_noise")
@dataclass(frozen=True)
class SpeckleNoise(PhotometricPerturbation):
    """Adds Gaussian noise in proportion to the value, as coherent light on a rough surface does.

    Every value v becomes v + v sigma n with standard normal n: bright parts get most and black none. ImageNet-C's
    `speckle_noise` at severity 1 to 5 has sigma 0.15, 0.2, 0.35, 0.45 and 0.6.
    """

    limits: ClassVar[str] = (
        "Speckle has no grain size here, and fully developed speckle is exponentially distributed, not normally."
    )

    sigma: float = knob(0.0, 1.2, "of the pixel's value", "Standard deviation of the noise.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's noise field times its values times sigma."""
        return multiply_noise(images, rng.normal("noise", *images.shape[1:]), self.sigma)


@register("impulse_noise")
@dataclass(frozen=True)
class ImpulseNoise(Perturbation):
    """Turns single pixels white or black, as dead sensor cells and transmission errors do: salt and pepper.

    Exactly the share `fraction` of the pixels is struck, whole pixels, in an order drawn for each image, so that what a
    smaller fraction strikes a larger one strikes too. ImageNet-C's `impulse_noise` strikes the channel values one by
    one (`unit=value`), 3, 6, 9, 17 and 27% of them, which touches 9, 17, 25, 43 and 61% of the pixels.

    Doses: `struck`, the share of the pixels (or values) that are salt or pepper now.
    """

    limits: ClassVar[str] = (
        "Struck pixels lie evenly over the image, alone: no dead rows, no clusters, no interpolation."
    )

    fraction: float = knob(
        0.0, 0.6, "of the pixels", "Share of the pixels (or of the values) that turn white or black."
    )
    salt: float = setting(0.5, 0.0, 1.0, "of the struck pixels", "Share, in expectation, that turns white.")
    unit: Unit = Unit.pixel

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Strikes the first pixels in each image's order."""
        channels, height, width = batch.images.shape[1:]
        layers = channels if self.unit is Unit.value else 1
        # Normal numbers are drawn in half the time of uniform ones, and order pixels as well.
        order = rng.normal("order", layers, height, width)
        white = rng.normal("salt", layers, height, width) < float(special.ndtri(self.salt))
        struck = torch.empty(order.shape, dtype=torch.bool, device=order.device)

        def one(i: int) -> None:
            for layer, places in zip(order[i], struck[i], strict=True):
                places.copy_(cover(layer, self.fraction))

        spread(one, len(batch), order.numel() if order.device.type == "cpu" else 0)
        return batch.replace(replace_values(batch.images, struck, white)), {"struck": share(struck)}
