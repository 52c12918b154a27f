"""Distractors that show other images: patches scattered about, flankers round the object."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import interpolate

from hardgen.batch import Batch
from hardgen.functional.coded import GRID
from hardgen.functional.coverage import coverage
from hardgen.functional.layering import Patch, overlaps, paste, with_channels
from hardgen.knobs import Scale, knob, setting
from hardgen.perturbation import Doses, Perturbation
from hardgen.perturbations.distractors.donors import Similarity, choose_donors, protected
from hardgen.registry import register
from hardgen.rng import SampleRng

MOST_PATCHES = 32

RING = (0, 4, 2, 6, 1, 5, 3, 7)
"""Eighths of the way round in the order in which flankers fill them: 1, 2, 4 and 8 of them stand evenly."""


@register("clutter")
@dataclass(frozen=True)
class Clutter(Perturbation):
    """Square patches of other images, scattered round the object.

    After cluttered MNIST (Mnih et al. 2014, "Recurrent models of visual attention"), whose pieces may hide the digit;
    these keep off it. Each patch is a whole donor image. The target is the mask, else the boxes; for an image that has
    neither, a central rectangle. A patch goes to a place drawn evenly among those where the patches' overlaps with the
    target still add up to at most `overlap` of it, and none is placed when there is no such place: the dose `count`
    says how many were. The first patches lie on top, so count n + 1 shows all that count n shows.

    Doses: `count` patches placed, and those of `coverage`.
    """

    limits: ClassVar[str] = "Patches are flat squares with hard edges: no perspective, shadow or shared light."

    count: int = knob(0, hardest=MOST_PATCHES, unit="patches", doc="Patches of other images.")
    size: float = setting(0.25, 0.01, 1.0, "of the short side", "Side of a patch.")
    overlap: float = setting(0.0, 0.0, 1.0, "of the target", "Greatest share of the target that patches may cover.")
    centre: float = setting(0.5, 0.0, 1.0, "of each side", "Central rectangle kept free where there is no target.")

    @property
    def needs_donors(self) -> bool:
        """Patches come from other images."""
        return True

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Places the patches one after the other and pastes them."""
        height, width = batch.shape[-2:]
        side = max(round(self.size * min(height, width)), 1)
        target = protected(batch, self.centre)
        tops, lefts, placed = self._places(overlaps(target, side, side), target.flatten(1).sum(1), rng)
        assert batch.donors is not None
        pool = batch.donors.resized(side, side)
        colour = _as_bytes(with_channels(pool, batch.shape[1]))
        grey = _as_bytes(with_channels(pool, batch.shape[1], grey=True)) if bool(batch.grey.any()) else colour
        patches = [
            [
                Patch((grey if is_grey else colour)[donor], top, left)
                for donor, top, left, here in zip(row, y, x, ok, strict=True)
                if here
            ]
            for row, y, x, ok, is_grey in zip(
                choose_donors(batch, rng, self.count, self.name),
                tops.tolist(),
                lefts.tolist(),
                placed.tolist(),
                batch.grey.tolist(),
                strict=True,
            )
        ]
        after, covered, count = _pasted(batch, patches)
        return after, {"count": count, **coverage(batch, covered, target)}

    def _places(self, cost: Tensor, area: Tensor, rng: SampleRng) -> tuple[Tensor, Tensor, Tensor]:
        """Rows and columns of the corners, and whether there was a place: each B x count."""
        draw = rng.uniform("place", MOST_PATCHES)
        flat = cost.flatten(1)
        left = (area * self.overlap).floor().to(torch.int32)[:, None]
        ranks = (flat <= left).cumsum(1, dtype=torch.int32)
        picks, placed = [], []
        for i in range(self.count):
            free = ranks[:, -1:]
            nth = (draw[:, i : i + 1] * free).floor().to(torch.int32).clamp(max=free - 1) + 1
            pick = torch.searchsorted(ranks, nth).clamp(max=flat.shape[1] - 1)
            here = free > 0
            spent = torch.where(here, flat.gather(1, pick), 0)
            picks.append(pick)
            placed.append(here)
            if bool(spent.any()):
                left = left - spent
                ranks = (flat <= left).cumsum(1, dtype=torch.int32)
        pick = torch.cat(picks, 1)
        return pick // cost.shape[2], pick % cost.shape[2], torch.cat(placed, 1)


@register("flankers")
@dataclass(frozen=True)
class Flankers(Perturbation):
    """Other objects in a ring round the target, as in visual crowding.

    After Bouma (1970, Nature 226) on people and Volokitin, Roig and Poggio (2017, arXiv:1706.08616) on networks: the
    nearer the flankers, the harder the target. Flankers have the target's size: the longer side of the bounding box of
    the mask, else of the boxes; for an image that has neither, of a central rectangle. Their centres lie on the square
    round the target's centre whose half side is `spacing` target sizes, evenly from a drawn start (exactly so for 1,
    2, 4 and 8): at spacing 1 they touch the target, and they never cover it. They are cut at the frame, and an image
    with none in sight stays as it is; the first lie on top.

    Doses: `count` flankers at least partly in the frame, `in_frame` the share of all flankers' area that lies within it
    (below 1 a wide spacing is easy for want of flankers; see the preset `crowding`), and those of `coverage`.
    """

    limits: ClassVar[str] = "Flankers are whole square pictures, and nothing models the eye's falling resolution."
    exemptions: ClassVar[dict[str, str]] = {
        "monotone.spacing": "nearer flankers cover other pixels, not more of them: crowding grows, the RMSE need not",
    }

    spacing: float = knob(
        float("inf"),
        hardest=1.0,
        unit="target sizes",
        doc="Distance between the centres of target and flankers.",
        scale=Scale.RECIPROCAL,
    )
    count: int = knob(0, hardest=8, unit="flankers", doc="Flankers round the target.", default=4)
    similarity: Similarity = Similarity.any
    centre: float = setting(0.5, 0.0, 1.0, "of each side", "Central rectangle taken as target where there is none.")

    @property
    def needs_donors(self) -> bool:
        """Patches come from other images."""
        return True

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Scales each image's donors to its target and pastes them round it."""
        assert batch.donors is not None
        target = protected(batch, self.centre)[:, 0]
        starts = rng.uniform("start").tolist()
        chosen = choose_donors(batch, rng, self.count, self.name, self.similarity)
        one_size = batch.masks is None and batch.boxes is None
        patches = []
        for mask, start, row, grey in zip(target, starts, chosen, batch.grey.tolist(), strict=True):
            y, x = mask.any(1).nonzero(), mask.any(0).nonzero()
            top, bottom, left, right = int(y[0]), int(y[-1]) + 1, int(x[0]), int(x[-1]) + 1
            size = max(bottom - top, right - left)
            corners = []
            for eighth in RING[: self.count]:
                dx, dy = _on_square((start + eighth / 8) % 1)
                way = self.spacing * size
                corners.append(
                    (round((top + bottom - size) / 2 + dy * way), round((left + right - size) / 2 + dx * way))
                )
            if one_size:
                pixels = batch.donors.resized(size, size)[row]
            else:
                pixels = interpolate(batch.donors.images[row], (size, size), mode="bilinear", antialias=True).clamp(
                    0, 1
                )
            pixels = _as_bytes(with_channels(pixels, batch.shape[1], grey))
            patches.append([Patch(p, *corner) for p, corner in zip(pixels, corners, strict=True)])
        after, covered, count = _pasted(batch, patches)
        height, width = batch.shape[-2:]
        shares = [[_in_frame(patch, height, width) for patch in row] for row in patches]
        in_frame = torch.tensor(shares, device=batch.device).mean(1)
        return after, {
            "count": count,
            "in_frame": in_frame,
            **coverage(batch, covered, target[:, None]),
        }


def _as_bytes(pixels: Tensor) -> Tensor:
    """What is pasted are 8-bit pictures, like the images that it lies on."""
    return pixels.mul(255).round_().byte()


def _pasted(batch: Batch, patches: Sequence[Sequence[Patch]]) -> tuple[Batch, Tensor, Tensor]:
    """`paste` on a batch of patches of bytes; the images stay bytes where they are given so."""
    coded = batch.coded
    if coded is None or coded.tables is not GRID:
        values = [[replace(p, pixels=p.pixels / 255) for p in row] for row in patches]
        images, covered, count = paste(batch.images, values)
        return batch.replace(images), covered, count
    images, covered, count = paste(coded.pixels, patches)
    return batch.coded_anew(images.permute(0, 2, 3, 1).numpy()), covered, count


def _in_frame(patch: Patch, height: int, width: int) -> float:
    """The share of a patch's area that lies within the frame."""
    h, w = patch.pixels.shape[-2:]
    rows = min(patch.top + h, height) - max(patch.top, 0)
    columns = min(patch.left + w, width) - max(patch.left, 0)
    return max(rows, 0) * max(columns, 0) / (h * w)


def _on_square(turn: float) -> tuple[float, float]:
    """The point (x, y) at a share in [0, 1) of the way round the square from (1, -1) by (1, 1): |x| or |y| is 1."""
    side, along = divmod(turn * 4, 1)
    step = 2 * along - 1
    return ((1.0, step), (-step, 1.0), (-1.0, -step), (step, -1.0))[int(side)]
