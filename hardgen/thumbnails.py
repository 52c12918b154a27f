"""Thumbnails: what each perturbation looks like, on one photograph that ships inside scikit-learn."""

import dataclasses
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from hardgen.batch import Batch
from hardgen.data.loading import sample_photographs
from hardgen.files import atomic_path
from hardgen.perturbation import Perturbation
from hardgen.pipeline import rounded
from hardgen.progress import progress
from hardgen.registry import perturbations
from hardgen.rng import SampleRng

HARDNESS = (0.25, 0.5, 1.0)
"""Pictures of a strip, left to right."""

SIDE = 224
"""Of the photograph when it is perturbed, px."""

PICTURE = 72
"""Of a picture in the strip, px."""

FLOWER = (308, 221, 137)
"""Centre and radius of the flower in the photograph, px: x, y, radius."""


def flower() -> Batch:
    """The photograph with its flower as box and mask, donors and class names: all that a perturbation may ask for."""
    from sklearn.datasets import load_sample_image  # its import takes half a second

    x, y, radius = FLOWER
    photograph = load_sample_image("flower.jpg")
    height = photograph.shape[0]
    left = x - height // 2
    square = Image.fromarray(photograph[:, left : left + height]).resize((SIDE, SIDE), Image.Resampling.LANCZOS)
    scale = SIDE / height
    cx, cy, r = (x - left) * scale, y * scale, radius * scale
    rows, columns = torch.meshgrid(torch.arange(SIDE) + 0.5, torch.arange(SIDE) + 0.5, indexing="ij")
    pool = sample_photographs()
    return Batch(
        torch.from_numpy(np.array(square)).permute(2, 0, 1)[None].float().div_(255),
        ("flower",),
        labels=(0,),
        boxes=(torch.tensor([[cx - r, cy - r, cx + r, cy + r]]),),
        masks=((columns - cx) ** 2 + (rows - cy) ** 2 <= r**2)[None, None],
        donors=dataclasses.replace(pool, labels=(1,) * len(pool.labels)),
        classes=("dahlia", "temple"),
    )


def strip(cls: type[Perturbation], batch: Batch) -> Image.Image:
    """The photograph with the main knob at each hardness of the strip, the other fields at their defaults."""
    page = Image.new("RGB", (PICTURE * len(HARDNESS), PICTURE))
    for place, hardness in enumerate(HARDNESS):
        made = rounded(cls().at(hardness)(batch, SampleRng(0, cls.name, batch.ids)).batch)
        pixels = (made.images[0] * 255).round().byte().permute(1, 2, 0).numpy()
        small = Image.fromarray(pixels).resize((PICTURE, PICTURE), Image.Resampling.LANCZOS)
        page.paste(small, (place * PICTURE, 0))
    return page


def write_thumbnails(folder: Path) -> int:
    """Writes `folder/NAME.jpg` for every registered perturbation, and says how many."""
    batch, classes = flower(), perturbations()
    with progress("thumbnails", len(classes), "perturbations") as advance:
        for name, cls in classes.items():
            with atomic_path(folder / f"{name}.jpg") as temporary:
                strip(cls, batch).save(temporary, format="JPEG", quality=82)
            advance(1)
    return len(classes)
