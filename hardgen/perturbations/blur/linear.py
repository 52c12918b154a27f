"""Blur that is the same all over the image: Gaussian, box, line, disk, polygon, path."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import kernels
from hardgen.functional.convolutions import convolve, convolving
from hardgen.functional.filters import box_blur, box_blurring, gaussian_blur, gaussian_blurring
from hardgen.functional.kernels import Kernel
from hardgen.functional.sources import Making
from hardgen.knobs import knob, setting
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"
WIGGLES = 8
"""Half waves of a shaking camera's path."""
POINTS = 512
"""Instants of the exposure."""


class Convolution(PhotometricPerturbation):
    """Filters each image with its own kernel, or all with one."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Filters the batch."""
        return convolve(images, self.kernels(min(images.shape[-2:]), rng))

    def making(self, batch: Batch, rng: SampleRng) -> Making | None:
        """Filters an image."""
        return convolving(self.kernels(min(batch.shape[-2:]), rng))

    @abstractmethod
    def kernels(self, short: int, rng: SampleRng) -> list[Kernel]:
        """One for each image or for all, given the short side in pixels."""


@register("gaussian_blur")
@dataclass(frozen=True)
class GaussianBlur(PhotometricPerturbation):
    """Blurs with a Gaussian, as many small causes of blur together do.

    The kernel is sampled at pixel centres and cut at 4 sigma, borders are replicated: the pixels of
    `scipy.ndimage.gaussian_filter(mode="nearest", truncate=4)`. At 224 px, ImageNet-C's sigma of 1, 2, 3, 4 and 6 px
    are 0.0045, 0.0089, 0.0134, 0.0179 and 0.0268 of the short side.
    """

    limits: ClassVar[str] = (
        "Works on display values, not on light, so highlights do not bloom; depth, lens and motion blur have other "
        "shapes and vary over the image."
    )

    sigma: float = knob(0.0, 0.1, SHORT_SIDE, "Standard deviation of the blur.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Filters rows and columns."""
        return gaussian_blur(images, self.sigma * min(images.shape[-2:]))

    def making(self, batch: Batch, rng: SampleRng) -> Making:
        """Filters an image."""
        return gaussian_blurring(self.sigma * min(batch.shape[-2:]))


@register("motion_blur")
@dataclass(frozen=True)
class MotionBlur(Convolution):
    """Smears along a straight line, as a camera that moves evenly while its shutter is open does.

    The kernel is a line of the exact length, of less than a pixel too, symmetric about its centre: the image blurs at
    every length above 0 and moves nowhere.
    """

    limits: ClassVar[str] = (
        "The whole image moves alike on a straight path at even speed: no shake, no rotation, no object that moves by "
        "itself; works on display values, so lights leave no bright trails."
    )

    length: float = knob(0.0, 0.25, SHORT_SIDE, "Length of the way that a point moves.")
    angle: float | None = setting(None, 0.0, 180.0, "degrees", "Direction of motion, counter-clockwise from level.")

    def kernels(self, short: int, rng: SampleRng) -> list[Kernel]:
        """A line for each image, at its own angle."""
        length = self.length * short
        if self.angle is not None:
            return [kernels.line(length, self.angle)]
        return [kernels.line(length, turn * 180.0) for turn in rng.uniform("angle").tolist()]


@register("defocus_blur")
@dataclass(frozen=True)
class DefocusBlur(Convolution):
    """Blurs with a uniform disk, as a lens with a round aperture does out of focus.

    The disk has the exact radius, of less than a pixel too. At 224 px, ImageNet-C's radii of 3, 4, 6, 8 and 10 px are
    0.0134, 0.0179, 0.0268, 0.0357 and 0.0446 of the short side.
    """

    limits: ClassVar[str] = (
        "Everything lies at one depth and the aperture is a perfect disk without diffraction; works on display values, "
        "so out-of-focus lights are duller than a camera's."
    )

    radius: float = knob(0.0, 0.1, SHORT_SIDE, "Radius of the disk that a point becomes.")

    def kernels(self, short: int, rng: SampleRng) -> list[Kernel]:
        """The disk."""
        return [kernels.disk(self.radius * short)]


@register("bokeh_blur")
@dataclass(frozen=True)
class BokehBlur(Convolution):
    """Blurs with a uniform polygon, as a lens with a stopped-down iris does out of focus.

    The polygon has the area of a disk of the radius, so that the same radius of `defocus_blur` lets the same light in.
    """

    limits: ClassVar[str] = (
        "Everything lies at one depth, blades are straight; works on display values, so lights make no bright polygons."
    )

    radius: float = knob(0.0, 0.1, SHORT_SIDE, "Radius of the disk whose area the polygon has.")
    blades: int = setting(6, 3, 16, "blades", "Sides of the polygon.")
    angle: float = setting(0.0, 0.0, 360.0, "degrees", "Where a corner points, counter-clockwise from level.")

    def kernels(self, short: int, rng: SampleRng) -> list[Kernel]:
        """The polygon."""
        return [kernels.polygon(self.radius * short, int(self.blades), self.angle)]


@register("box_blur")
@dataclass(frozen=True)
class BoxBlur(PhotometricPerturbation):
    """Replaces every pixel by the mean of a square window, as simple software does.

    The window need not be an odd number of pixels wide: the outermost count in part. One of a single pixel or less
    changes nothing.
    """

    limits: ClassVar[str] = "No lens or motion blurs so: a square window, the same everywhere, of display values."

    width: float = knob(0.0, 0.2, SHORT_SIDE, "Width of the window.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Averages over the window."""
        return box_blur(images, self.width * min(images.shape[-2:]))

    def making(self, batch: Batch, rng: SampleRng) -> Making:
        """Averages in an image."""
        return box_blurring(self.width * min(batch.shape[-2:]))


@register("shake_blur")
@dataclass(frozen=True)
class ShakeBlur(Convolution):
    """Smears along a random smooth path, as a camera held by hand does in a long exposure.

    Each image draws its path: in x and in y, 8 half cosine waves over the exposure with normal amplitudes that fall as
    1 / k^1.5. It is scaled to the length and centred on its mean, so that the image moves nowhere; a longer path has
    the same shape.
    """

    limits: ClassVar[str] = (
        "The whole image moves alike, without rotation about the optical axis; works on display values, so lights "
        "leave no bright trails."
    )

    exemptions: ClassVar[dict[str, str]] = {
        "monotone": "a path that doubles back may bring stripes into step again: on photographs at 224 px 4 steps of "
        "0.05 in 960 bring an image up to 0.002 of full scale nearer the clean one"
    }

    length: float = knob(0.0, 0.4, SHORT_SIDE, "Length of the way that a point moves.")

    def kernels(self, short: int, rng: SampleRng) -> list[Kernel]:
        """A path for each image."""
        length = self.length * short
        order = np.arange(1, WIGGLES + 1)
        waves = np.cos(math.pi * order[:, None] * (np.arange(POINTS) + 0.5) / POINTS) / order[:, None] ** 1.5
        each = []
        for amplitudes in rng.normal("path", 2, WIGGLES).cpu().double().numpy():
            across, down = amplitudes @ waves
            way = np.hypot(np.diff(across), np.diff(down)).sum()
            each.append(kernels.path(across * (length / way), down * (length / way)))
        return each
