"""Blur by pixels that go astray: scattering, rough glass, medians."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, special

from hardgen.batch import Batch
from hardgen.functional import fields
from hardgen.functional.filters import gaussian_blur
from hardgen.functional.medians import median_blur, median_blurring
from hardgen.functional.scattering import scatter, wander
from hardgen.functional.sources import Making
from hardgen.knobs import knob, setting
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"


@register("scatter")
@dataclass(frozen=True)
class Scatter(PhotometricPerturbation):
    """Takes every piece of the image from a place nearby, as frosted glass does.

    How far down and how far across are drawn for each grain of the glass, evenly up to the displacement, and rounded to
    whole pixels. Every grain keeps its direction at every displacement; at 224 px a grain is a pixel. ImageNet-C-bar's
    `scatter` has 0.01 of the image for each unit of its severity, up to 0.1.
    """

    limits: ClassVar[str] = "Grains are square; every pixel shows a single other one, where glass mixes many."

    displacement: float = knob(0.0, 0.06, SHORT_SIDE, "Greatest way of a grain, down and across.")
    grain: float = setting(1 / 224, 0.001, 0.1, SHORT_SIDE, "Side of a grain; below a pixel, every pixel is its own.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Takes pixels from nearby."""
        height, width = images.shape[-2:]
        unit = fields.unit(height, width)
        shape = fields.cells(height, unit, self.grain), fields.cells(width, unit, self.grain)
        ways = fields.blocks(rng.uniform("way", 2, *shape), height, width, self.grain)
        return scatter(images, ways, self.displacement * min(height, width))


@register("glass_blur")
@dataclass(frozen=True)
class GlassBlur(PhotometricPerturbation):
    """Scatters pixels between two light Gaussian blurs, as a pane of rough glass does.

    Every pixel is taken from up to the displacement d away, down and across, evenly in that range and between pixels
    too; the ways are smooth over bumps of the glass. The blurs have the standard deviation s d / (s + d), which begins
    with d and tends to the smoothing s. ImageNet-C's `glass_blur` swaps pixels in one to three rounds, each of up to 1
    (severity 1), 2, 2, 3 and 4 px at 224 px, with sigma 0.7, 0.9, 1, 1.1 and 1.5 px; one round of up to d px is the
    displacement 0.0045 d here, two rounds spread like one of 1.4 d, and its bumps are finer than a pixel (0.002).
    """

    limits: ClassVar[str] = (
        "The bumps are all alike, and below 100 px finer than a pixel; the glass has no thickness and no colour."
    )

    displacement: float = knob(0.0, 0.03, SHORT_SIDE, "Greatest way of a pixel, down and across.")
    smoothing: float = setting(0.01, 0.0, 0.1, SHORT_SIDE, "Standard deviation that the Gaussian blurs tend to.")
    bump: float = setting(0.012, 0.002, 0.1, SHORT_SIDE, "Half the width of a bump of the glass.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Blurs, scatters and blurs."""
        height, width = images.shape[-2:]
        reach, smooth = (length * min(height, width) for length in (self.displacement, self.smoothing))
        nodes = rng.normal("way", 2, *fields.spline_shape(height, width, self.bump))
        ways = special.ndtr(fields.spline(nodes, height, width, self.bump))
        sigma = smooth * reach / (smooth + reach)
        if not sigma:
            return wander(images, ways, reach)
        return gaussian_blur(wander(gaussian_blur(images, sigma), ways, reach), sigma)


@register("median_blur")
@dataclass(frozen=True)
class MedianBlur(PhotometricPerturbation):
    """Replaces every value by the median of a square window in its channel, as denoising and painting filters do.

    Between odd numbers of pixels, the medians of the two nearest windows are mixed (from 25 pixels on, the nearest odd
    number is taken); a window of one pixel or less changes nothing, and one of more than 5 sees the image in 8 bits.
    """

    limits: ClassVar[str] = "No lens does so: edges stay sharp while what is smaller than the window disappears."

    width: float = knob(0.0, 0.25, SHORT_SIDE, "Width of the window.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Takes medians."""
        return median_blur(images, self.width * min(images.shape[-2:]))

    def making(self, batch: Batch, rng: SampleRng) -> Making:
        """Takes medians in an image."""
        return median_blurring(self.width * min(batch.shape[-2:]))
