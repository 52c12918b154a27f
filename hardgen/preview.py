"""A contact sheet: the same images growing harder along every axis."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from hardgen.batch import Batch
from hardgen.files import atomic_path
from hardgen.sweeps.ask import variants
from hardgen.sweeps.axes import Axis
from hardgen.sweeps.plan import Condition, Plan

GAP, INK, PAPER = 6, (30, 34, 40), (255, 255, 255)


@dataclass
class Sheet:
    """What is on the sheet so far.

    Attributes:
        size: Longer side of one picture, px.
        strips: Rows of the sheet, top to bottom.
    """

    size: int
    strips: list[Image.Image] = field(default_factory=list)

    def add(self, axis: Axis, labels: Sequence[str], rows: Sequence[Sequence[Image.Image]]) -> None:
        """Adds an axis: its name, a label above each column, and one row of pictures per image."""
        height, width = rows[0][0].height, rows[0][0].width
        text, small = ImageFont.load_default(15), ImageFont.load_default(12)
        total = len(labels) * (width + GAP) + GAP
        block = Image.new("RGB", (total, 48 + len(rows) * (height + GAP)), PAPER)
        draw = ImageDraw.Draw(block)
        draw.text((GAP, 6), f"{axis.name}   hardness: value, {axis.knob.unit}", INK, font=text)
        for column, label in enumerate(labels):
            x = GAP + column * (width + GAP)
            draw.text((x + width // 2, 36), label, INK, font=small, anchor="mm")
            for row, pictures in enumerate(rows):
                block.paste(pictures[column], (x, 48 + row * (height + GAP)))
        self.strips.append(block)

    def save(self, path: Path) -> None:
        """Writes the sheet as PNG."""
        width, height = max(s.width for s in self.strips), sum(s.height for s in self.strips) + GAP
        page = Image.new("RGB", (width, height), PAPER)
        y = 0
        for strip in self.strips:
            page.paste(strip, (0, y))
            y += strip.height
        with atomic_path(path) as temporary:
            page.save(temporary, format="PNG")


def contact_sheet(plan: Plan, batch: Batch, seed: int, size: int, path: Path) -> Path:
    """Draws every axis of a plan: images x stops, the clean image first.

    Args:
        plan: Axes one at a time.
        batch: The images to show.
        seed: Keys the draws.
        size: Longer side of one picture, px.
        path: The PNG to write; `.png` is added where it is missing.

    Returns:
        The file that was written.
    """
    sheet = Sheet(size)
    for axis in plan.axes:
        along = [plan.conditions[0], *(c for c in plan.conditions if c.points and c.points[0].axis == axis.name)]
        columns = [_pictures(o.batch, size) for o in variants(plan.pipeline, along, batch, seed)]
        sheet.add(axis, [_label(c, axis) for c in along], list(zip(*columns, strict=True)))
    file = path if path.suffix.lower() == ".png" else path.with_name(f"{path.name}.png")
    sheet.save(file)
    return file


def _label(condition: Condition, axis: Axis) -> str:
    point = condition.points[0] if condition.points else axis.neutral
    return f"{point.hardness:.2g}: {point.shown(3)}"


def _pictures(batch: Batch, size: int) -> list[Image.Image]:
    """Pictures of one size; small images are enlarged without smoothing, so that pixels stay pixels."""
    pixels = (batch.images.expand(-1, 3, -1, -1) * 255).round().byte().permute(0, 2, 3, 1).cpu().numpy()
    height, width = pixels.shape[1:3]
    scale = size / max(height, width)
    shape = (max(round(width * scale), 1), max(round(height * scale), 1))
    how = Image.Resampling.NEAREST if scale > 1 else Image.Resampling.LANCZOS
    return [Image.fromarray(np.ascontiguousarray(image)).resize(shape, how) for image in pixels]
