"""ImageNet-C's noise."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.functional.noise import add_noise, multiply_noise, strike
from hardgen.functional.photons import poisson
from hardgen.perturbations.imagenet_c.severity import PhotometricCorruption, Rows, Table
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("imagenet_c_gaussian_noise")
@dataclass(frozen=True)
class GaussianNoise(PhotometricCorruption):
    """ImageNet-C's Gaussian noise: x + sigma n on every value.

    `faithful=false` rounds where the reference cuts off. The knob in its unit: `gaussian_noise`.
    """

    limits: ClassVar[str] = "Five settings; one sigma at every brightness and pixel, unlike a sensor's noise."
    rows: ClassVar[Rows] = {
        Table.imagenet: (0.08, 0.12, 0.18, 0.26, 0.38),
        Table.tiny: (0.04, 0.08, 0.12, 0.15, 0.18),
        Table.cifar: (0.04, 0.06, 0.08, 0.09, 0.10),
    }

    def corrupt(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's field times sigma."""
        return add_noise(images, rng.normal("noise", *images.shape[1:]), self.row)


@register("imagenet_c_shot_noise")
@dataclass(frozen=True)
class ShotNoise(PhotometricCorruption):
    """ImageNet-C's shot noise: Poisson(x n) / n on every value, with n photons at white.

    `faithful=false` rounds where the reference cuts off. The knob in its unit: `shot_noise`.
    """

    limits: ClassVar[str] = "Five settings; counts display values, not light, without read-out noise or darkening."
    rows: ClassVar[Rows] = {
        Table.imagenet: (60, 25, 12, 5, 3),
        Table.tiny: (250, 100, 50, 30, 15),
        Table.cifar: (500, 250, 100, 75, 50),
    }

    def corrupt(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Counts the photons of every value."""
        return poisson(images * self.row, rng.normal("shot", *images.shape[1:])).div_(self.row)


@register("imagenet_c_impulse_noise")
@dataclass(frozen=True)
class ImpulseNoise(PhotometricCorruption):
    """ImageNet-C's salt and pepper: a share of the *values* becomes 0 or 1, so that up to 61% of the pixels are hit.

    `faithful=false` strikes whole pixels, that share of them. The knob in its unit: `impulse_noise`.
    """

    limits: ClassVar[str] = "Five settings; the share holds on average, and values are struck one by one, in colour."
    rows: ClassVar[Rows] = {
        Table.imagenet: (0.03, 0.06, 0.09, 0.17, 0.27),
        Table.tiny: (0.01, 0.02, 0.05, 0.08, 0.14),
        Table.cifar: (0.01, 0.02, 0.03, 0.05, 0.07),
    }

    def corrupt(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Strikes what the lowest draws (pepper) and the highest (salt) fall on."""
        channels, height, width = images.shape[1:]
        draw = rng.uniform("strike", channels if self.faithful else 1, height, width)
        return strike(images, draw, self.row / 2)


@register("imagenet_c_speckle_noise")
@dataclass(frozen=True)
class SpeckleNoise(PhotometricCorruption):
    """ImageNet-C's speckle noise (of its four more): x + x sigma n on every value.

    `faithful=false` rounds where the reference cuts off. The knob in its unit: `speckle_noise`.
    """

    limits: ClassVar[str] = "Five settings; speckle without a grain size, normal where coherent light's is exponential."
    rows: ClassVar[Rows] = {
        Table.imagenet: (0.15, 0.2, 0.35, 0.45, 0.6),
        Table.tiny: (0.15, 0.2, 0.25, 0.3, 0.35),
        Table.cifar: (0.06, 0.1, 0.12, 0.16, 0.2),
    }

    def corrupt(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Adds the image's field in proportion to its values."""
        return multiply_noise(images, rng.normal("noise", *images.shape[1:]), self.row)
