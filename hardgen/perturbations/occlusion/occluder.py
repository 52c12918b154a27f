"""Occlusion: something stands in front of the scene, over an exact share of it."""

import enum
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.functional import occlusion
from hardgen.functional.coverage import coverage
from hardgen.functional.filters import gaussian_blur
from hardgen.functional.layering import covering, replace_where, with_channels
from hardgen.functional.parallel import spread
from hardgen.knobs import knob
from hardgen.perturbation import Doses, Perturbation, Target
from hardgen.rng import SampleRng

BLUR_SIGMA = 0.1
"""Standard deviation of the `blur` fill, of the short side: what is behind it cannot be made out."""


class Fill(enum.Enum):
    """What an occluder shows."""

    colour = "colour"
    noise = "noise"
    mean = "mean"
    blur = "blur"
    texture = "texture"


@dataclass(frozen=True)
class Cover(Perturbation):
    """Covers an exact fraction of some of the image's pixels, in an order that is drawn once for each image.

    A larger fraction covers all that a smaller one does, and more.

    Fills: `colour`; `noise`, uniform and independent for every value; `mean`, the image's mean colour; `blur`, the
    image itself under a strong Gaussian blur; `texture`, another image of the data set.
    """

    fraction: float = knob(0.0, 0.95, "of the target", "Share of the target's pixels that is covered.")
    fill: Fill = Fill.colour
    colour: tuple[float, float, float] = (0.5, 0.5, 0.5)

    lit: ClassVar[bool] = False
    """Whether the occluder has light and shade of its own."""
    looks: ClassVar[bool] = False
    """Whether the order depends on the pixels; where not, their values are not at hand."""

    def __post_init__(self) -> None:
        """Checks the colour besides the fields that every perturbation has checked."""
        super().__post_init__()
        if not all(0 <= value <= 1 for value in self.colour):
            raise HardgenError(
                f"{self.name}.colour must be a list of 3 numbers in [0, 1], red green blue; got {list(self.colour)}"
            )

    @property
    def needs_donors(self) -> bool:
        """A texture is another image's."""
        return self.fill is Fill.texture

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Covers each image; the doses are those of `coverage`."""
        height, width = batch.shape[-2:]
        wanted, draws = self.wanted(batch), self.draws(height, width, rng)
        light, at_once = None, wanted is None and batch.device.type == "cpu"
        covered = self.cover_whole(height, width, draws) if at_once else None
        if covered is None:
            covered, light = self._cover_ranked(batch, wanted, draws)
        canvas = self.canvas(batch, rng)
        if light is not None:
            canvas = canvas * light
        doses = coverage(batch, covered)
        if batch.on_cpu:
            return batch.made(covering(covered, canvas)), doses
        return batch.replace(replace_where(batch.images, covered, canvas)), doses

    def _cover_ranked(self, batch: Batch, wanted: Tensor | None, draws: Tensor) -> tuple[Tensor, Tensor | None]:
        """Covers the pixels of lowest rank; gives also the occluder's light, where the class is `lit`."""
        device, (height, width) = batch.device, batch.shape[-2:]
        pixels = batch.images if self.looks else torch.empty((), device=device).expand(batch.shape)
        covered = torch.zeros(len(batch), 1, height, width, dtype=torch.bool, device=device)
        light = torch.ones(covered.shape, device=device) if self.lit else None

        def one(i: int) -> None:
            mask, image, place = None, pixels[i], covered[i, 0]
            box: tuple[slice, ...] = (slice(None), slice(None))
            if wanted is not None:
                if not bool(wanted[i].any()):
                    return
                top, left, bottom, right = occlusion.window(wanted[i, 0])
                box = (slice(top, bottom), slice(left, right))
                mask, image, place = wanted[i, 0][box], image[:, *box], place[box]
            rank, shine = self.lit_order(image, mask, draws[i])
            place.copy_(occlusion.cover(rank, self.fraction, mask))
            if light is not None and shine is not None:
                light[i, 0][box] = shine

        spread(one, len(batch), pixels.numel() if device.type == "cpu" else 0)
        return covered, light

    @abstractmethod
    def wanted(self, batch: Batch) -> Tensor | None:
        """The pixels of which a fraction is to be covered, B x 1 x H x W bool, or None for all."""

    @abstractmethod
    def draws(self, height: int, width: int, rng: SampleRng) -> Tensor:
        """What is drawn for each image of height x width pixels: B x n float32."""

    def cover_whole(self, height: int, width: int, draws: Tensor) -> Tensor | None:
        """The pixels that are covered of whole images, on the CPU, where that needs no rank of every pixel.

        Returns:
            B x 1 x height x width bool, the same as by `rank`; None where ranks are needed.
        """
        return None

    def order(self, image: Tensor, wanted: Tensor | None, draw: Tensor) -> Tensor:
        """The order in which the pixels of a window are covered: see `rank`, which it asks unless overridden.

        Args:
            image: The window's pixels, C x h x w; of no meaning but their shape unless the class `looks`.
            wanted: Which of them count, h x w bool; None for all.
            draw: The image's row of `draws`.

        Returns:
            h x w float32; pixels of infinite rank are never covered.
        """
        return self.rank(image.shape[-2], image.shape[-1], draw)

    def lit_order(self, image: Tensor, wanted: Tensor | None, draw: Tensor) -> tuple[Tensor, Tensor | None]:
        """`order`, and for a `lit` class by how much the fill is multiplied at each pixel, h x w float32."""
        return self.order(image, wanted, draw), None

    def rank(self, height: int, width: int, draw: Tensor) -> Tensor:
        """The order in which a window's pixels are covered, height x width float32, from one row of `draws`."""
        raise NotImplementedError

    def canvas(self, batch: Batch, rng: SampleRng) -> Tensor:
        """What the occluder shows, wherever it may lie: B or 1 x C x H or 1 x W or 1."""
        channels = batch.shape[1]
        if self.fill is Fill.noise:
            return rng.uniform("fill", *batch.shape[1:])
        if self.fill is Fill.mean:
            return batch.means[:, :, None, None]
        if self.fill is Fill.blur:
            return gaussian_blur(batch.images, BLUR_SIGMA * min(batch.shape[-2:]))
        if self.fill is Fill.texture:
            canvas = self._texture(batch, rng)
        else:
            canvas = torch.tensor(self.colour, device=batch.device)[None, :, None, None]
        coloured = with_channels(canvas, channels)
        if not bool(batch.grey.any()):
            return coloured
        return torch.where(batch.grey[:, None, None, None], with_channels(canvas, channels, grey=True), coloured)

    def _texture(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Another image for each one, at the same size."""
        donors = batch.donors
        assert donors is not None, "the base has checked it"
        count = len(donors.images)
        picks = rng.integers("donor", count).tolist()
        if donors.ids:
            picks = [(p + 1) % count if donors.ids[p] == i else p for p, i in zip(picks, batch.ids, strict=True)]
            if any(donors.ids[p] == i for p, i in zip(picks, batch.ids, strict=True)):
                raise HardgenError(f"{self.name}.fill=texture needs a donor other than the image itself; there is none")
        return donors.resized(*batch.shape[-2:])[picks]


@dataclass(frozen=True)
class Occluder(Cover):
    """Covers an exact fraction of the image or of the object.

    With `target=object` the occluder lies in the bounding box of the object's mask or boxes and grows until exactly
    the fraction of the *object's* pixels is covered; pixels beside the object in that box are covered on the way.
    """

    target: Target = Target.image

    def wanted(self, batch: Batch) -> Tensor | None:
        """The object's pixels, or all."""
        return batch.target() if self.target is Target.object else None
