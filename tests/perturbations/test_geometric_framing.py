"""Framing and patches: realised doses, no aliasing, no copies of the object, nested swaps."""

import numpy as np
import pytest
import torch
from skimage.transform import resize

from hardgen.batch import Batch
from hardgen.functional.sampling import Border
from hardgen.perturbations.geometric.framing import Shrink, Translation, Truncation, ZoomIn
from hardgen.perturbations.geometric.patches import PatchShuffle
from hardgen.perturbations.geometric.warps import Elastic, ThinPlate, Turbulence
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch


def rng(batch: Batch) -> SampleRng:
    return SampleRng(3, "s", batch.ids)


def test_a_fine_checkerboard_shrinks_to_grey_and_not_to_an_alias() -> None:
    board = (torch.arange(96)[:, None] + torch.arange(96)[None]) % 2
    batch = Batch(board.float().expand(1, 3, -1, -1).contiguous(), ("a",))
    for scale in (0.45, 0.3, 0.1):
        image = Shrink(scale)(batch, rng(batch)).batch.images
        assert float((image - 0.5).abs().max()) < 0.13


def test_a_shrunk_image_is_the_antialiased_one_of_scikit_image() -> None:
    batch = sample_batch(96, 96)
    images = Shrink(0.25)(batch, rng(batch)).batch.images
    for image, clean in zip(images, batch.images, strict=True):
        small = resize(clean.permute(1, 2, 0).numpy(), (24, 24), order=1, anti_aliasing=True)
        inner = image[:, 37:59, 37:59].permute(1, 2, 0).numpy()
        assert np.abs(inner - small[1:-1, 1:-1]).max() < 0.03


def test_the_object_stands_once_in_a_shrunk_image() -> None:
    picture = torch.zeros(1, 3, 80, 80)
    picture[:, :, 30:50, 30:50] = 1.0
    batch = Batch(picture, ("a",))
    image = Shrink(0.3)(batch, rng(batch)).batch.images[0, 0]
    mirrored = Shrink(0.3, border=Border.mirror)(batch, rng(batch)).batch.images[0, 0]
    middle = image[36:44, 36:44].clone()
    image[36:44, 36:44] = 0
    mirrored[36:44, 36:44] = 0
    assert float(middle.max()) > 0.9
    assert float(image.max()) < 0.5
    assert float(mirrored.max()) > 0.9


@pytest.mark.parametrize("visible", [0.9, 0.5, 0.23, 0.05])
def test_the_visible_share_of_the_object_is_the_one_asked_for(visible: float) -> None:
    batch = sample_batch(200, 160)
    assert batch.masks is not None
    after = Truncation(visible)(batch, rng(batch))
    assert after.batch.masks is not None
    left = after.batch.masks.flatten(1).sum(1) / batch.masks.flatten(1).sum(1)
    column = 1 / 40 + 1e-6
    assert after.doses["visible"].tolist() == pytest.approx(left.tolist(), abs=column)
    assert after.doses["visible"].tolist() == pytest.approx([visible] * 7, abs=0.5 / 40 + 1e-6)
    plain = Batch(batch.images, batch.ids)
    assert Truncation(visible)(plain, rng(plain)).doses["visible"].tolist() == pytest.approx(
        [visible] * 7, abs=0.5 / 160
    )
    boxed = Batch(batch.images, batch.ids, boxes=batch.boxes)
    assert torch.equal(Truncation(visible)(boxed, rng(boxed)).batch.images, after.batch.images)


def test_truncation_at_neutral_is_the_batch_itself() -> None:
    batch = sample_batch()
    assert torch.equal(Truncation(1.0)(batch, rng(batch)).batch.images, batch.images)


def test_zooming_in_leaves_the_share_of_the_frame_in_sight() -> None:
    batch = sample_batch(100, 60)
    flow = ZoomIn(0.25).flow(batch, rng(batch))
    assert (flow[0, -1, -1] - flow[0, 0, 0]).tolist() == pytest.approx([59 / 2, 99 / 2], abs=1e-3)


def test_what_left_the_frame_has_no_area() -> None:
    masks = torch.zeros(1, 1, 40, 40, dtype=torch.bool)
    masks[:, :, :, :2] = masks[:, :, :, -2:] = masks[:, :, :2] = masks[:, :, -2:] = True
    sides = torch.tensor([[0.0, 0, 2, 40], [38, 0, 40, 40], [0, 0, 40, 2], [0, 38, 40, 40], [18, 18, 22, 22]])
    batch = Batch(torch.rand(1, 3, 40, 40), ("a",), boxes=(sides,), masks=masks)
    after = Translation(0.3)(batch, rng(batch)).batch
    assert after.boxes is not None
    areas = (after.boxes[0][:, 2:] - after.boxes[0][:, :2]).prod(1)
    assert int((areas == 0).sum()) in (1, 2)
    assert float(areas[4]) == pytest.approx(16, abs=5)


@pytest.mark.parametrize("cls", [Elastic, Turbulence, ThinPlate])
def test_warps_have_the_rms_way_asked_for_in_every_image(cls: type[Elastic | Turbulence | ThinPlate]) -> None:
    batch = sample_batch(40, 72)
    assert cls(0.04)(batch, rng(batch)).doses["displacement"].tolist() == pytest.approx([0.04] * 7, rel=1e-3)


def test_swapped_patches_stay_swapped_and_every_patch_is_still_there() -> None:
    batch = sample_batch(64, 64)
    before = torch.zeros(7, 64, 64, dtype=torch.bool)
    kept = batch.images.flatten(2).sort(2).values
    for fraction in (0.2, 0.6, 1.0):
        flow = PatchShuffle(fraction).flow(batch, rng(batch))
        moved = (flow != PatchShuffle(1e-9).flow(batch, rng(batch))).any(-1)
        assert bool((moved | ~before).all())
        assert moved.float().mean((1, 2)).tolist() == pytest.approx([fraction] * 7, abs=1 / 32)
        images = PatchShuffle(fraction)(batch, rng(batch)).batch.images
        assert torch.equal(images.flatten(2).sort(2).values, kept)
        before = moved
