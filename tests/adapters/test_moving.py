"""Transforms that move pixels: the flow is the library's, and boxes and masks go along."""

import numpy as np
import pytest
import torch

from hardgen.adapters.places import flow_of, places
from hardgen.perturbation import GeometricPerturbation
from hardgen.rng import SampleRng
from hardgen.testing import check_perturbation, sample_batch
from tests.adapters.adapter_texts import Load

SHIFT = """\
name: shift
library: {library}
transform: {transform}
knob: {{name: share, neutral: 0.0, hardest: 0.4, unit: of the side, doc: How far.}}
parameters: {parameters}
moves: true
least_side: 4
doc: Moves the image.
limits: Flat.
exemptions: {{monotone: a periodic image comes nearer to itself}}
"""


@pytest.mark.parametrize(
    ("library", "transform", "parameters"),
    [
        ("albumentations", "Affine", "{translate_percent: [-value, value]}"),
        ("kornia", "RandomTranslate", "{translate_x: [-value, value]}"),
        ("torchvision", "RandomAffine", "{degrees: 0, scale: [0.9, 0.9], shear: [-value, value]}"),
    ],
)
def test_boxes_and_masks_go_along(library: str, transform: str, parameters: str, load: Load) -> None:
    cls = load(SHIFT.format(library=library, transform=transform, parameters=parameters))
    assert issubclass(cls, GeometricPerturbation)
    if transform != "RandomAffine":  # which scales at every value, and so jumps away from neutral
        check_perturbation(cls)
    batch = sample_batch()
    assert batch.boxes is not None
    after = cls().at(1.0)(batch, SampleRng(1, "slot", batch.ids)).batch
    assert after.boxes is not None
    assert any(not torch.equal(a, b) for a, b in zip(after.boxes, batch.boxes, strict=True))


def test_a_whole_step_takes_the_pixels_that_the_library_takes(load: Load) -> None:
    from kornia.augmentation import RandomTranslate

    cls = load(SHIFT.format(library="kornia", transform="RandomTranslate", parameters="{translate_x: [value, value]}"))
    batch = sample_batch(40, 40, pick=(0, 1))
    made = cls(share=0.25)(batch, SampleRng(1, "slot", batch.ids)).batch.images
    library = RandomTranslate(translate_x=(0.25, 0.25), p=1)(batch.images)
    assert torch.allclose(made[..., 10:], library[..., 10:], atol=1e-4)
    assert torch.allclose(made[..., :10], batch.images[..., 1:11].flip(-1), atol=1e-4)  # mirrored, not black


def test_unmoved_places_are_no_flow() -> None:
    for size in ((1, 1), (1, 7), (5, 9)):
        y, x = np.mgrid[: size[0], : size[1]]
        assert np.allclose(flow_of(places(*size))[0].numpy(), np.stack((x, y), -1), atol=1e-5)


def test_a_flow_goes_on_past_the_frame_along_its_homography() -> None:
    y, x = torch.meshgrid(torch.arange(60.0), torch.arange(80.0), indexing="ij")
    depth = 1 + 0.002 * x - 0.001 * y
    true = torch.stack(((1.1 * x + 0.2 * y - 14) / depth, (0.1 * x + 1.2 * y - 9) / depth), -1)
    inside = (true[..., 0] > 0) & (true[..., 0] < 79) & (true[..., 1] > 0) & (true[..., 1] < 59)
    assert 0.3 < inside.float().mean() < 0.95
    moved = torch.stack((true[..., 0] / 79, true[..., 1] / 59, torch.ones(60, 80))) * inside
    assert torch.allclose(flow_of(moved[None])[0], true, atol=0.6)
    assert torch.allclose(flow_of(moved[None])[0][inside], true[inside], atol=1e-4)


def test_what_is_filled_in_points_outside_the_frame() -> None:
    moved = places(20, 30)
    moved[..., 5:9, 4:12] = 0
    flow = flow_of(moved)[0]
    hole = flow[5:9, 4:12]
    outside = (hole[..., 0] < -0.5) | (hole[..., 0] > 29.5) | (hole[..., 1] < -0.5) | (hole[..., 1] > 19.5)
    assert bool(outside.all())
    assert bool((flow_of(torch.zeros(1, 3, 20, 30)) < -20).all())
