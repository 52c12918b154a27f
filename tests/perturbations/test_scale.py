"""A knob means the same at every resolution: lengths are fractions of the image's short side."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from hardgen import perturbations as catalogue
from hardgen.batch import Batch, Donors
from hardgen.functional.sampling import boxes_to_mask
from hardgen.pipeline import Pipeline
from hardgen.registry import perturbations

IN_PIXELS = {
    "jpeg": "a codec's blocks are 8 pixels",
    "webp": "a codec's blocks are 4 to 16 pixels",
    "bayer": "cells are whole pixels, an even number of them",
}
"""What works on an image's own pixels, whatever they show."""
COARSE = {"pixelate": 0.6, "downscale": 0.6, "chroma_subsampling": 0.5, "ringing": 0.8}
"""Hardness from which on the smaller image too has several pixels to each of the few that are left."""
NAMES = [
    name
    for name, cls in perturbations().items()
    if cls.__module__.startswith(catalogue.__name__)
    and cls.family not in ("imagenet_c", "adapters")
    and name not in IN_PIXELS
]
"""ImageNet-C's tables are in pixels, and so are many parameters of other libraries."""


def scene(side: int, phase: float) -> NDArray[np.float32]:
    """A smooth coloured picture, the same at every resolution."""
    y, x = np.mgrid[0:side, 0:side].astype(np.float32) / side
    channels = [0.5 + 0.4 * np.sin(2 * np.pi * (3 * x + (i + 1) * y + phase)) for i in range(3)]
    return np.stack(channels).astype(np.float32)


def batch(side: int) -> Batch:
    ids = tuple(str(i) for i in range(8))
    images = torch.from_numpy(np.stack([scene(side, i / 8) for i in range(8)]))
    donors = torch.from_numpy(np.stack([scene(side, 0.3 + i / 5) for i in range(5)]))
    boxes = tuple(torch.tensor([[0.3, 0.4, 0.6, 0.7]]) * side for _ in ids)
    return Batch(
        images.contiguous(memory_format=torch.channels_last),
        ids,
        (0, 1) * 4,
        boxes,
        boxes_to_mask(boxes, side, side),
        Donors(donors, (0, 1, 0, 1, 0)),
        ("cat", "dog"),
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("hardness", [0.3, 0.8])
def test_another_resolution_gives_the_same_dose(name: str, hardness: float) -> None:
    doses = []
    for side in (96, 192):
        pictures = batch(side)
        pipeline = Pipeline({"a": perturbations()[name]().at(max(hardness, COARSE.get(name, 0.0)))})
        doses.append(pipeline(pictures, pipeline.rngs(0, pictures)).doses["a.rmse"].mean().item())
    # An outline of 1.5 pixels at the smaller side is half averaged away; superpixels' contours lie on 96 and 112 rows.
    fine = {"watermark": 0.15, "superpixels": 0.12}.get(name, 0.08)
    assert doses[0] == pytest.approx(doses[1], rel=fine)
