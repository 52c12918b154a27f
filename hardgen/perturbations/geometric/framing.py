"""Framing: the scene smaller, larger, or out of the middle."""

import dataclasses
import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import flows
from hardgen.functional.measures import Doses, Measured
from hardgen.functional.sampling import Border, boxes_to_mask
from hardgen.knobs import Scale, knob
from hardgen.perturbations.geometric.affine import like
from hardgen.perturbations.geometric.base import PlanarPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


def scaled(batch: Batch, factor: float) -> Tensor:
    """The maps that take every pixel from `factor` times as far from the centre."""
    return flows.linear((torch.eye(2, device=batch.device) * factor).expand(len(batch), -1, -1))


@register("shrink")
@dataclass(frozen=True)
class Shrink(PlanarPerturbation):
    """Makes the image small in the middle of the frame, as a thing far away.

    Detail that the small image cannot hold is blurred away before it is sampled (a Gaussian of (1 / scale - 1) / 2
    pixels, as scikit-image's `resize` does), so that nothing aliases. The surround is the blurred image.
    """

    limits: ClassVar[str] = (
        "Only size: no haze, no perspective; the surround is made up, not the scene round the object."
    )
    exemptions: ClassVar[dict[str, str]] = {"monotone.scale": like(29, 0.078)}

    scale: float = knob(1.0, 0.1, "of the size", "Size of the image, linear.", Scale.LOG)
    border: Border = dataclasses.field(default=Border.blur, kw_only=True)

    @property
    def minification(self) -> float:
        """Pixels of the image to one of the small image."""
        return 1 / self.scale

    def maps(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Scales about the centre."""
        return scaled(batch, 1 / self.scale)


@register("zoom_in")
@dataclass(frozen=True)
class ZoomIn(PlanarPerturbation):
    """Shows the middle of the image only, enlarged to the frame, as a thing too near."""

    limits: ClassVar[str] = "A crop enlarged: no detail is added and the perspective stays that of the distance."
    exemptions: ClassVar[dict[str, str]] = {"monotone.visible": like(22, 0.120)}

    visible: float = knob(1.0, 0.03, "of the frame's area", "Share of the frame that stays in sight.", Scale.LOG)

    def maps(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Scales about the centre."""
        return scaled(batch, math.sqrt(self.visible))


@register("translation")
@dataclass(frozen=True)
class Translation(PlanarPerturbation):
    """Moves the image in a drawn direction, as a camera that points beside the thing."""

    limits: ClassVar[str] = "A shift of the picture: no parallax; what comes into the frame is made up, not the scene."
    exemptions: ClassVar[dict[str, str]] = {"monotone.distance": like(29, 0.134)}

    distance: float = knob(0.0, 0.6, "of the side", "How far the image moves, of its width in x and its height in y.")
    border: Border = dataclasses.field(default=Border.blur, kw_only=True)

    def maps(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Shifts along the drawn direction."""
        angle = rng.uniform("direction") * (2 * math.pi)
        height, width = batch.shape[-2:]
        size = torch.tensor([width, height], device=batch.device)
        return _shifted(batch, torch.stack((angle.cos(), angle.sin()), -1) * (self.distance * size))


@register("truncation")
@dataclass(frozen=True)
class Truncation(PlanarPerturbation):
    """Pushes the object out over the frame's edge until only a part of it is left in sight.

    Which of the four edges is drawn for each image. The object is the mask, else the union of the boxes; for an image
    that has neither, all of the image. It moves as far as leaves `visible` of its pixels, to the pixel's fraction.
    The dose `visible` is the share of the object's pixels that is in sight afterwards.
    """

    limits: ClassVar[str] = "The picture is shifted: what comes in at the other edge is made up, not the scene."
    exemptions: ClassVar[dict[str, str]] = {
        "neutral_is_identity": "the first pixel is cut when the object has come to the frame's edge: the image jumps "
        "by that distance (neutral itself gives the image bit for bit)",
        "monotone.visible": like(30, 0.162),
    }

    visible: float = knob(1.0, 0.05, "of the object", "Share of the object that stays in the frame.")
    border: Border = dataclasses.field(default=Border.blur, kw_only=True)

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Moves everything, and counts what of the object is left."""
        after, doses = super().apply(batch, rng)
        return after, Measured({"visible": lambda: self._shifts(_object(batch), rng)[1]}, doses)

    def maps(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Shifts by what the object needs."""
        return _shifted(batch, self._shifts(_object(batch), rng)[0])

    def _shifts(self, target: Tensor, rng: SampleRng) -> tuple[Tensor, Tensor]:
        """Where pixels are taken from, (x, y) further on, B x 2, and the share of the target then in sight, B."""
        along = (target.sum(1, dtype=torch.float32).cpu(), target.sum(2, dtype=torch.float32).cpu())
        shifts, left = [], []
        for i, edge in enumerate(rng.integers("edge", 4).tolist()):
            axis, far = divmod(edge, 2)
            counts = along[axis][i].flip(0) if far else along[axis][i]
            way = _cut(counts, self.visible)
            shifts.append([(-way if far else way) * (axis == a) for a in (0, 1)])
            left.append(float(counts[torch.arange(len(counts)) >= way - 0.5].sum() / counts.sum()))
        return torch.tensor(shifts, device=target.device), torch.tensor(left, device=target.device)


def _shifted(batch: Batch, shifts: Tensor) -> Tensor:
    return flows.linear(torch.eye(2, device=batch.device).expand(len(batch), -1, -1), shifts)


def _object(batch: Batch) -> Tensor:
    height, width = batch.shape[-2:]
    whole = torch.ones(len(batch), height, width, dtype=torch.bool, device=batch.device)
    if batch.masks is None and batch.boxes is None:
        return whole
    if batch.masks is not None:
        target = batch.masks[:, 0]
    else:
        target = boxes_to_mask(batch.boxes or (), height, width)[:, 0].to(batch.device)
    return torch.where(target.flatten(1).any(1)[:, None, None], target, whole)


def _cut(counts: Tensor, visible: float) -> float:
    """How far a frame's edge goes in from the start of a line of counts to leave a share of their sum, in pixels."""
    seen = counts.double().cumsum(0).cpu()
    gone = float(seen[-1]) * (1 - visible)
    i = min(int(torch.searchsorted(seen, gone, right=True)), len(seen) - 1)
    before = float(seen[i - 1]) if i else 0.0
    return i + (gone - before) / max(float(seen[i]) - before, 1e-9)
