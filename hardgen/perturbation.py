"""The contract: what a perturbation is.

A perturbation is its own configuration: a frozen dataclass whose fields are knobs (`knob`), fixed numbers (`setting`)
and enums. Subclasses implement one method; everything else derives from the fields.
"""

import dataclasses
import enum
import functools
import typing
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.errors import HardgenError, near
from hardgen.fields import checked
from hardgen.functional.filters import gaussian_blur
from hardgen.functional.measures import Doses as Doses
from hardgen.functional.measures import Measured, rmse
from hardgen.functional.motions import Motion, Planar
from hardgen.functional.sampling import Border
from hardgen.functional.sources import Making, Unclamped
from hardgen.knobs import Knob, knobs_of
from hardgen.rng import SampleRng


class Target(enum.Enum):
    """What a covered fraction is a fraction of."""

    image = "image"
    object = "object"


@dataclass(frozen=True)
class Outcome:
    """What a perturbation gives: the batch with its new pixels, and the realised doses."""

    batch: Batch
    doses: Doses


@dataclass(frozen=True)
class Perturbation(ABC):
    """One controlled way to make an image harder.

    Class attributes:
        name: The registered name.
        family: The family it is listed under.
        version: Rises when the pixels change; part of every cache key.
        limits: One sentence on what the perturbation does not simulate.
        exemptions: Names of contract checks that do not apply, each with the reason.
    """

    name: ClassVar[str] = ""
    family: ClassVar[str] = ""
    version: ClassVar[int] = 1
    limits: ClassVar[str] = ""
    exemptions: ClassVar[dict[str, str]] = {}

    def __post_init__(self) -> None:
        """Checks every field, and brings strings to enums and lists to tuples."""
        hints = _hints(type(self))
        for field in dataclasses.fields(self):
            value = checked(field, hints[field.name], self.name, getattr(self, field.name))
            object.__setattr__(self, field.name, value)

    @classmethod
    def knobs(cls) -> dict[str, Knob]:
        """The knobs by name; the first is the main one."""
        return knobs_of(cls)

    @property
    def neutral(self) -> bool:
        """Whether any knob stands at its neutral value, so that images come back bit for bit."""
        return any(getattr(self, name) == knob.neutral for name, knob in self.knobs().items())

    @property
    def published(self) -> str:
        """Its name in the published benchmark that it mirrors; empty if it mirrors none."""
        return ""

    @property
    def on_grid(self) -> bool:
        """Whether its images already lie on the grid of 8-bit files, in a new channels_last tensor."""
        return False

    @property
    def needs_donors(self) -> bool:
        """Whether it takes pixels from other images (`Batch.donors`)."""
        return False

    def at(self, hardness: float, knob: str | None = None) -> Self:
        """The same perturbation with one knob (the main one unless named) at a hardness in [0, 1]."""
        name = knob or next(iter(self.knobs()))
        if name not in self.knobs():
            raise HardgenError(f"{self.name} has no knob {name!r}{near(name, self.knobs())}")
        return dataclasses.replace(self, **{name: self.knobs()[name].at(hardness)})

    @final
    def __call__(self, batch: Batch, rng: SampleRng) -> Outcome:
        """Perturbs a batch.

        Neutral gives the batch itself. Otherwise pixels are clamped to [0, 1] when floats or bytes are first asked for,
        grey images (R = G = B) stay grey, and `rmse`, the root mean square change of an image in full scale, joins the
        doses. The input is never touched. A result that is given as a source has to keep grey images grey itself.

        Raises:
            HardgenError: if the batch lacks what the perturbation needs (a box, donors).
        """
        if self.neutral:
            return Outcome(batch, {})
        if self.needs_donors and batch.donors is None:
            raise HardgenError(f"{self.name} takes its pixels from other images: hand it a batch with donors")
        after, doses = self.apply(batch, rng)
        if after.source is None:
            images = batch.with_grey(after.images)
            after = after.replace(images if self.on_grid else Unclamped(images), on_grid=self.on_grid)
        return Outcome(after, Measured({"rmse": lambda: distance(after, batch)}, doses, self.dose(after)))

    def dose(self, after: Batch) -> Doses:
        """Realised doses that are measured on the finished images; none unless overridden."""
        return {}

    @abstractmethod
    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """What one kind of perturbation does; the result need not be clamped. Never called at neutral."""


class PhotometricPerturbation(Perturbation):
    """Changes pixel values where they are; boxes and masks stay."""

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Hands the images to `perturb`, or has each one made by itself."""
        making = self.making(batch, rng) if batch.on_cpu else None
        if making is not None:
            return batch.made(making), {}
        images = self.perturb(batch.images, rng)
        if not isinstance(images, Tensor) or images.shape != batch.images.shape or images.dtype != torch.float32:
            got = f"{images.dtype} {tuple(images.shape)}" if isinstance(images, Tensor) else type(images).__name__
            raise HardgenError(f"{self.name}.perturb must give float32 of shape {tuple(batch.images.shape)}; got {got}")
        return batch.replace(images), {}

    @abstractmethod
    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """B x C x H x W float32 in [0, 1] to the same shape; values may leave [0, 1], the base clamps."""

    def making(self, batch: Batch, rng: SampleRng) -> Making | None:
        """How to make each image by itself on the CPU, with the pixels of `perturb`; None where that is no faster."""
        return None


class PointwisePerturbation(Perturbation):
    """Changes every value by a curve of its image, or of its channel, and by nothing else; boxes and masks stay.

    Of images that are still bytes only the 256 values that bytes stand for are changed.
    """

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Hands `curve` the values of the bytes, or of all pixels."""
        if batch.coded is None:
            return batch.replace(self.curve(batch.images, batch, rng)), {}
        return batch.replace(batch.coded.recoded(self.curve(batch.coded.tables, batch, rng))), {}

    @abstractmethod
    def curve(self, values: Tensor, batch: Batch, rng: SampleRng) -> Tensor:
        """New values for values in [0, 1]; they may leave [0, 1], the base clamps.

        Args:
            values: The images, or in their stead an image of 256 values: 1 or B x 1 or C x h x w float32.
            batch: The images themselves.
            rng: The draws.

        Returns:
            The same shape, or what B images broadcast it to. Grey images must stay grey.
        """


@dataclass(frozen=True)
class GeometricPerturbation(Perturbation):
    """Moves pixels, and boxes and masks with them, along one sampling flow.

    Attributes:
        border: What is seen where the moved image leaves the frame empty; subclasses choose their default.
    """

    border: Border = dataclasses.field(default=Border.mirror, kw_only=True)

    @property
    def minification(self) -> float:
        """By how much the image shrinks: it is blurred as much before, so that fine detail goes instead of aliasing."""
        return 1.0

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Samples images (bilinear), masks (nearest, empty border) and boxes along the flow.

        The dose `displacement` is the root mean square way of the pixels, in fractions of the short side.
        """
        motion = self.motion(batch, rng)
        masks = None if batch.masks is None else motion.move_masks(batch.masks)
        boxes = None if batch.boxes is None else motion.move_boxes(batch.boxes)
        after = self.sample(batch, motion).located(masks, boxes)
        return after, Measured({"displacement": motion.way})

    def sample(self, batch: Batch, motion: Motion | Planar) -> Batch:
        """Takes the images' pixels from where they were; masks and boxes stay."""
        if self.minification > 1.0:
            blurred = gaussian_blur(batch.images, (self.minification - 1) / 2)
            batch = batch.replace(batch.with_grey(blurred))
        if batch.on_cpu:
            return batch.made(motion.making(self.border))
        return batch.replace(motion.move(batch.images, self.border))

    def motion(self, batch: Batch, rng: SampleRng) -> Motion | Planar:
        """How everything moves."""
        return Motion(self.flow(batch, rng))

    @abstractmethod
    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Where each output pixel is taken from: B x H x W x 2, (x, y) in pixels; pixel centres are whole numbers."""


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def distance(a: Batch, b: Batch) -> Tensor:
    """Root mean square difference of each image to the other batch's, in full scale, B float32."""
    found = a.coded.distance(b.coded) if a.coded is not None and b.coded is not None else None
    return rmse(a.images, b.images) if found is None else found
