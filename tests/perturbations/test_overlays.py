"""Painted distractors: they keep off the target, show what they say, and report what they cover."""

import dataclasses

import pytest
import torch

from hardgen.batch import Batch, Donors
from hardgen.errors import HardgenError
from hardgen.perturbation import Outcome, Perturbation
from hardgen.perturbations.distractors.marks import Emoji, Lines, Logo, Stripes
from hardgen.perturbations.distractors.overlay import Overlay
from hardgen.perturbations.distractors.pictures import BackgroundSwap, DonorPaste
from hardgen.perturbations.distractors.screens import Frame, MemeFrame, Screenshot
from hardgen.perturbations.distractors.shortcut import ShortcutWatermark
from hardgen.perturbations.occlusion import BackgroundOcclusion
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch

OVERLAYS: list[type[Overlay]] = [
    Logo, Emoji, Stripes, Lines, Frame, MemeFrame, Screenshot, BackgroundSwap, DonorPaste
]  # fmt: skip


def run(perturbation: Perturbation, batch: Batch) -> Outcome:
    return perturbation(batch, SampleRng(3, "slot", batch.ids))


@pytest.mark.parametrize("kind", [*OVERLAYS, BackgroundOcclusion])
@pytest.mark.parametrize("known", [True, False])
def test_the_target_stays_bit_for_bit(kind: type[Perturbation], known: bool) -> None:
    batch = sample_batch()
    target = batch.target()
    if not known:
        batch = dataclasses.replace(batch, masks=None, boxes=None)
        target = torch.zeros_like(target)
        target[..., 12:36, 12:36] = True
    got = run(kind().at(1.0), batch)
    inside = target.expand_as(batch.images)
    assert torch.equal(got.batch.images[inside], batch.images[inside])
    if known or kind is not BackgroundOcclusion:
        assert got.doses["target_covered"].tolist() == [0.0] * len(batch)
        assert got.doses["least_visible"].tolist() == [1.0] * len(batch)
    assert bool((got.doses["covered"] > 0.02).all())


@pytest.mark.parametrize("area", [0.05, 0.2, 0.45])
def test_a_pasted_part_takes_its_area(area: float) -> None:
    doses = run(DonorPaste(area=area), sample_batch(96, 96)).doses
    assert doses["covered"].tolist() == pytest.approx([area] * 7, abs=0.012)
    overlapped = run(DonorPaste(area=area, overlap=0.3), sample_batch(96, 96)).doses
    assert float(overlapped["target_covered"].max()) <= 0.31


def test_backgrounds_are_of_the_class_asked_for() -> None:
    donors = Donors(torch.linspace(0.1, 0.6, 6)[:, None, None, None].expand(6, 3, 8, 8), (0, 1, 4, 0, 1, 4))
    batch = dataclasses.replace(sample_batch(pick=(0, 1, 2, 3)), donors=donors, labels=(0, 1, 4, 0))
    for background, classes in (("same", [0, 1, 4, 0]), ("next", [1, 4, 0, 1])):
        images = run(BackgroundSwap(blend=1.0, background=background), batch).batch.images
        shown = [round((float(image[0, 0, 0]) - 0.1) / 0.1) for image in images]
        assert [donors.labels[k] for k in shown] == classes
    alone = dataclasses.replace(batch, labels=(-1, 1, 4, 0))
    with pytest.raises(HardgenError, match=r"background_swap\.background=next needs labelled data"):
        run(BackgroundSwap(blend=1.0, background="next"), alone)


def test_a_swap_blends_evenly() -> None:
    batch = sample_batch()
    whole, half = (run(BackgroundSwap(blend=b), batch).batch.images for b in (1.0, 0.5))
    colour = ~batch.grey
    assert torch.allclose(half[colour], ((whole + batch.images) / 2)[colour], atol=1e-6)


def test_the_watermark_lies_where_imagenet_w_has_it() -> None:
    batch = Batch(torch.zeros(1, 3, 224, 224), ("a",))
    got = run(ShortcutWatermark(opacity=0.5), batch).batch.images[0, 0]
    rows, columns = (got > 0.1).any(1).nonzero()[:, 0], (got > 0.1).any(0).nonzero()[:, 0]
    assert int(rows[0]) in range(89, 96)
    assert int(rows[-1]) in range(118, 126)
    assert int(columns[0]) in range(2, 8)
    assert columns[-1] <= (0.01 + 6 / 6.22) * 224
    assert columns[-1] > 0.93 * 224
    assert float(got.max()) == pytest.approx(0.5, abs=1e-3)


def test_frames_and_screens_take_their_share() -> None:
    batch = Batch(torch.full((2, 3, 200, 200), 0.5), ("a", "b"))
    frame = run(Frame(width=0.1, protect=False), batch).doses["covered"]
    assert frame.tolist() == pytest.approx([1 - 0.8**2] * 2, abs=1e-3)
    assert run(Screenshot(share=0.3, protect=False), batch).doses["covered"].tolist() == pytest.approx(
        [0.3] * 2, abs=0.01
    )
    assert run(MemeFrame(height=0.2, protect=False), batch).doses["covered"].tolist() == pytest.approx(
        [0.4] * 2, abs=0.01
    )


@pytest.mark.parametrize("kind", [Emoji, Lines])
def test_one_more_leaves_the_others_as_they_are(kind: type[Emoji] | type[Lines]) -> None:
    images = torch.zeros(2, 3, 64, 64)
    images[:, 2] = 0.01  # not grey, so that colours stay
    batch = Batch(images, ("a", "b"))
    few, many = (run(kind(count=n, protect=False), batch).batch.images for n in (4, 9))
    inked = few.amax(1, keepdim=True) > 0.5
    assert bool(inked.any())
    wide = inked.expand_as(few)
    assert float((few[wide] - many[wide]).abs().gt(0.02).float().mean()) < 0.03  # soft rims let others through
    assert bool(((many - images).abs().sum((1, 2, 3)) > (few - images).abs().sum((1, 2, 3))).all())


def test_a_fraction_of_the_background_is_covered_exactly() -> None:
    batch = sample_batch(64, 64)
    for fraction in (0.3, 1.0):
        got = run(BackgroundOcclusion(fraction=fraction, colour=(1, 0, 0)), batch)
        changed = (got.batch.images != batch.images).any(1, keepdim=True)
        assert not bool((changed & batch.target()).any())
        beside = (changed & ~batch.target()).flatten(1).sum(1) / (~batch.target()).flatten(1).sum(1)
        assert beside[:5].tolist() == pytest.approx([fraction] * 5, abs=0.002)
        assert got.doses["background_covered"].tolist() == pytest.approx([fraction] * 7, abs=0.001)
