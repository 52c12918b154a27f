"""What goes wrong between a camera and a screen: lost blocks, flipped bits, fields out of step, mosaics, moiré."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import occlusion
from hardgen.functional.bits import flip_bits
from hardgen.functional.coverage import coverage
from hardgen.knobs import knob, setting
from hardgen.perturbation import Doses, Perturbation, PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"
CHANNEL_PHASE = 2 * math.pi / 3


@register("block_loss")
@dataclass(frozen=True)
class BlockLoss(Perturbation):
    """Replaces blocks by others from near by, as a video decoder conceals lost packets.

    Blocks are lost in an order drawn for each image, exactly the fraction asked for; what stands in for them is the
    image displaced by one drawn vector of one to three blocks, as from a wrong motion vector. Accuracy rises from about
    0.6 on: when most blocks are lost, what stands in for them joins up to a displaced but whole picture.
    """

    limits: ClassVar[str] = "One still picture: no earlier frames, no errors that spread, no seams of prediction."

    fraction: float = knob(0.0, 0.8, "of the image", "Share of the pixels whose blocks are lost.")
    block: float = setting(1 / 14, 0.01, 0.5, SHORT_SIDE, "Side of a block: 16 pixels at 224.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Conceals the lost blocks of every image."""
        height, width = batch.images.shape[-2:]
        orders = rng.uniform("order", occlusion.most_cells(height, width, self.block))
        side = max(round(self.block * min(height, width)), 1)
        ways = (rng.uniform("vector", 2) * 3).floor().add(1) * (rng.integers("sign", 2, 2) * 2 - 1) * side
        lost, standing = [], []
        for image, order, way in zip(batch.images, orders, ways.long().tolist(), strict=True):
            lost.append(occlusion.cover(occlusion.grid(height, width, self.block, order), self.fraction))
            standing.append(image.roll(way, (1, 2)))
        covered = torch.stack(lost)[:, None]
        return batch.replace(torch.where(covered, torch.stack(standing), batch.images)), coverage(batch, covered)


@register("bit_errors")
@dataclass(frozen=True)
class BitErrors(Perturbation):
    """Flips single bits of the raw 8-bit values, as a faulty memory or an unprotected radio link does.

    Every one of the 8 bits of every value flips with the same probability, independently of the others. A flip of the
    highest bit moves a value by half of full scale, one of the lowest by 1/255: the root mean square change is about
    0.58 times the root of the probability. What flips at one probability stays flipped at every higher one.
    """

    limits: ClassVar[str] = "Errors are independent and strike raw values: no bursts, no stuck bits, no coded stream."

    probability: float = knob(0.0, 0.12, "of the bits", "Probability that a bit flips.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Flips the bits of every value; `flipped` is the share of the bits that did."""
        shape = batch.shape[1:]
        amount, order = rng.coarse("amount", *shape), rng.uniform("order", *shape)
        images, shares = flip_bits(batch.images, amount, order, self.probability)
        return batch.replace(images), {"flipped": torch.where(batch.grey, shares[:, 0], shares.mean(1))}


@register("interlace")
@dataclass(frozen=True)
class Interlace(PhotometricPerturbation):
    """Shifts every second line sideways, as when the two fields of interlaced video are shown as one frame.

    The picture has 112 lines, or one a pixel if it is lower. Which way the second field is shifted is drawn; the border
    comes round from the other side.
    """

    limits: ClassVar[str] = "The whole scene moves sideways between the fields; no vertical motion, no deinterlacer."
    exemptions: ClassVar[dict[str, str]] = {
        "monotone.displacement": "a shift by the period of a pattern brings it back in step",
    }

    displacement: float = knob(0.0, 0.12, SHORT_SIDE, "Way of the scene from one field to the next.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Shifts the odd lines of every image."""
        height, width = images.shape[-2:]
        line = torch.arange(height, device=images.device) * min(height, 112) // height
        way = self.displacement * min(height, width)
        whole, part = int(way), way - int(way)
        moved = []
        for image, sign in zip(images, (rng.integers("direction", 2) * 2 - 1).tolist(), strict=True):
            moved.append(image.roll(sign * whole, 2).lerp(image.roll(sign * (whole + 1), 2), part))
        return torch.where((line % 2 == 1)[:, None], torch.stack(moved), images)


@register("bayer")
@dataclass(frozen=True)
class Bayer(PhotometricPerturbation):
    """Blends to a picture from a coarse colour mosaic: every cell has one red, one blue and two green samples.

    Demosaiced in the crudest way: a cell takes the red and the blue sample, and each half its green one, as they are.
    """

    limits: ClassVar[str] = "Samples are points without the blur before a sensor; real demosaicing looks for edges."

    blend: float = knob(0.0, 1.0, "of the mosaic", "Share of the way to the demosaiced picture.")
    cell: float = setting(1 / 32, 0.002, 0.5, SHORT_SIDE, "Side of a cell; at least 2 pixels.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Samples the channels on the mosaic."""
        height, width = images.shape[-2:]
        half = max(round(self.cell * min(height, width) / 2), 1)
        y, x = (torch.arange(n, device=images.device) // (2 * half) * (2 * half) + half // 2 for n in (height, width))
        first, second = (slice(0, 1), slice(-1, None)) if images.shape[1] == 3 else (slice(0, 1), slice(0, 1))
        rows, columns = (y.clamp(max=height - 1), (y + half).clamp(max=height - 1)), x.clamp(max=width - 1)
        beside = (x + half).clamp(max=width - 1)
        red = images[:, first][:, :, rows[0]][..., columns]
        blue = images[:, second][:, :, rows[1]][..., beside]
        if images.shape[1] == 1:
            return images.lerp(red, self.blend)
        middle = images[:, 1:2]
        upper, lower = middle[:, :, rows[0]][..., beside], middle[:, :, rows[1]][..., columns]
        low = torch.arange(height, device=images.device) // half % 2 == 1
        green = torch.where(low[:, None], lower, upper)
        return images.lerp(torch.cat((red, green, blue), 1), self.blend)


@register("moire")
@dataclass(frozen=True)
class Moire(PhotometricPerturbation):
    """Modulates the image with coloured, curved fringes, as a photograph of a screen shows.

    Two fine gratings of nearly one frequency beat in fringes of their difference: direction, number and curvature of
    the fringes are drawn, and R, G and B are a third of a fringe apart, as a screen's subpixels are.
    """

    limits: ClassVar[str] = "The fringes only: neither of the gratings, no aliasing of the scene's own detail."

    depth: float = knob(0.0, 1.0, "of the light", "Modulation of the light by the fringes.")
    fringes: float | None = setting(None, 1.0, 100.0, "an image", "Number of fringes; drawn from 6 to 24.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Multiplies every image by its fringes."""
        channels, height, width = images.shape[1:]
        short = min(height, width)
        y = ((torch.arange(height, device=images.device) + 0.5) / short)[:, None]
        x = ((torch.arange(width, device=images.device) + 0.5) / short)[None, :]
        phases = torch.arange(channels, device=images.device)[:, None, None] * CHANNEL_PHASE
        made = torch.empty_like(images)
        for image, out, (turn, count, bend, phase) in zip(
            images, made, rng.uniform("fringes", 4).tolist(), strict=True
        ):
            angle, number = turn * math.pi, self.fringes or 6 + 18 * count
            along = x * math.cos(angle) + y * math.sin(angle)
            across = x * math.sin(angle) - y * math.cos(angle)
            wave = 2 * math.pi * number * (along + (bend - 0.5) * across * across) + 2 * math.pi * phase
            torch.mul(image, torch.cos(wave + phases).sub_(1).mul_(self.depth / 2).add_(1), out=out)
        return made
