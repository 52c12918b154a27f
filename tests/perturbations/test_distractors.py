"""Clutter and flankers: where they lie, what they cover, whom they show."""

import pytest
import torch
from torch import Tensor

from hardgen.batch import Batch, Donors
from hardgen.errors import HardgenError
from hardgen.perturbation import Outcome, Perturbation
from hardgen.perturbations.distractors import Clutter, Flankers, Similarity, protected
from hardgen.rng import SampleRng

SIZE = 40


def plain(n: int = 6, boxes: Tensor | None = None, masks: Tensor | None = None, **more: object) -> Batch:
    """Black images, and donors of one grey value each, by which a patch is known again."""
    donors = Donors(torch.linspace(0.1, 0.8, 8)[:, None, None, None].expand(8, 3, 12, 12), (0, 1) * 4)
    fields: dict[str, object] = {"donors": donors, "labels": (0,) * n, **more}
    images = torch.zeros(n, 3, SIZE, SIZE).contiguous(memory_format=torch.channels_last)
    rows = None if boxes is None else tuple(boxes for _ in range(n))
    return Batch(images, tuple(f"s{i}" for i in range(n)), boxes=rows, masks=masks, **fields)  # type: ignore[arg-type]


def run(perturbation: Perturbation, batch: Batch, seed: int = 0) -> Outcome:
    return perturbation(batch, SampleRng(seed, "slot", batch.ids))


BOX = torch.tensor([[14.0, 12.0, 26.0, 22.0]])


@pytest.mark.parametrize("source", ["mask", "box", "centre"])
def test_clutter_never_covers_the_target(source: str) -> None:
    masks = torch.zeros(6, 1, SIZE, SIZE, dtype=torch.bool)
    masks[:, :, 5:9, 3:30] = True
    batch = {"mask": plain(masks=masks), "box": plain(boxes=BOX), "centre": plain()}[source]
    got = run(Clutter(count=32, size=0.2), batch)
    target = protected(batch, 0.5)
    assert target[0].sum() == {"mask": 108, "box": 120, "centre": 400}[source]
    assert not bool((got.batch.images.amax(1, keepdim=True) > 0)[target].any())
    assert got.doses["target_covered"].tolist() == [0.0] * 6
    assert got.doses["count"].tolist() == [32.0] * 6
    shown = (got.batch.images.amax(1) > 0).float().mean((1, 2))
    assert torch.allclose(got.doses["covered"], shown)
    assert float(shown.min()) > 0.3


def test_masks_count_before_boxes_and_an_image_without_either_has_a_centre() -> None:
    masks = torch.zeros(6, 1, SIZE, SIZE, dtype=torch.bool)
    masks[0, 0, 2, 3] = True
    target = protected(plain(boxes=BOX, masks=masks), 0.25)
    assert target[0].nonzero().tolist() == [[0, 2, 3]]
    assert target[1].nonzero()[[0, -1]].tolist() == [[0, 15, 15], [0, 24, 24]]


def test_one_more_patch_contains_all_before_it() -> None:
    batch = plain(boxes=BOX)
    before = run(Clutter(count=1), batch).batch.images
    for count in range(2, 33):
        now = run(Clutter(count=count), batch).batch.images
        assert torch.equal(now[before > 0], before[before > 0])
        before = now


@pytest.mark.parametrize("overlap", [0.1, 0.3, 0.8])
def test_clutter_keeps_to_the_overlap_allowed_and_uses_it(overlap: float) -> None:
    got = run(Clutter(count=32, overlap=overlap), plain(n=20, boxes=BOX))
    assert float(got.doses["target_covered"].max()) <= overlap + 1e-6
    assert float(got.doses["target_covered"].mean()) > 0.3 * overlap


def test_overlap_of_one_lets_patches_lie_anywhere() -> None:
    got = run(Clutter(count=1, overlap=1.0), plain(n=400, boxes=BOX))
    rows = torch.stack([row.amax((0, 2)).nonzero()[0, 0] for row in got.batch.images])
    assert (int(rows.min()), int(rows.max())) == (0, 30)
    assert 13.5 < float(rows.float().mean()) < 16.5


def test_where_nothing_fits_nothing_is_placed_and_the_dose_says_so() -> None:
    batch = plain(boxes=torch.tensor([[0.0, 0.0, SIZE, SIZE]]))
    got = run(Clutter(count=5), batch)
    assert got.doses["count"].tolist() == [0.0] * 6
    assert got.doses["covered"].tolist() == [0.0] * 6
    assert torch.equal(got.batch.images, batch.images)


def test_patch_size_is_a_share_of_the_short_side() -> None:
    got = run(Clutter(count=1, size=0.2), plain())
    assert got.doses["covered"].tolist() == pytest.approx([64 / 1600] * 6)


def test_no_image_is_its_own_donor() -> None:
    donors = Donors(torch.tensor([0.25, 0.75])[:, None, None, None].expand(2, 3, 8, 8), (0, 1), ("s0", "other"))
    got = run(Clutter(count=20), plain(n=1, donors=donors))
    assert got.batch.images.unique().mul(255).tolist() == [0.0, round(0.75 * 255)]
    alone = Donors(donors.images[:1], (0,), ("s0",))
    with pytest.raises(HardgenError, match="no donor suits sample 's0'"):
        run(Clutter(count=1), plain(n=1, donors=alone))


def test_colour_donors_come_grey_into_grey_images() -> None:
    colour = torch.tensor([1.0, 0.5, 0.0])[None, :, None, None].expand(1, 3, 8, 8)
    grey = round((0.299 + 0.5 * 0.587) * 255) / 255
    got = run(Clutter(count=1), plain(donors=Donors(colour, (0,))))
    assert got.batch.images.amax((2, 3)).flatten().tolist() == pytest.approx([grey] * 18)
    single = plain(donors=Donors(colour, (0,)))
    single = Batch(single.images[:, :1], single.ids, donors=single.donors)
    assert float(run(Clutter(count=1), single).batch.images.max()) == pytest.approx(grey)


def test_flankers_at_spacing_one_touch_the_target_and_never_cover_it() -> None:
    batch = plain(n=30, boxes=torch.tensor([[15.0, 14.0, 25.0, 24.0]]))
    got = run(Flankers(spacing=1.0, count=8), batch)
    lit = got.batch.images.amax(1) > 0
    assert not bool(lit[:, 14:24, 15:25].any())
    edges = torch.stack((lit[:, 13, 15:25], lit[:, 24, 15:25], lit[:, 14:24, 14], lit[:, 14:24, 25]))
    assert bool(edges.any(-1).all())
    assert got.doses["count"].tolist() == [8.0] * 30


@pytest.mark.parametrize("spacing", [1.0, 1.5, 2.5])
def test_flankers_lie_at_their_spacing(spacing: float) -> None:
    batch = plain(n=30, boxes=torch.tensor([[18.0, 18.0, 22.0, 22.0]]))
    images = run(Flankers(spacing=spacing, count=1), batch).batch.images
    for image in images:
        y, x = (image[0] > 0).nonzero().float().add(0.5).unbind(1)
        assert len(y) == 16
        far = max(abs(float(y.mean()) - 20), abs(float(x.mean()) - 20))
        assert abs(far - spacing * 4) <= 0.5


def test_four_flankers_stand_evenly_round_and_the_first_stay_where_they_were() -> None:
    batch = plain(n=10, boxes=torch.tensor([[18.0, 18.0, 22.0, 22.0]]))
    images = run(Flankers(spacing=2.0, count=4), batch).batch.images
    centre = torch.stack([(image[0] > 0).nonzero().float().add(0.5).mean(0) for image in images])
    assert float((centre - 20).abs().max()) <= 0.5
    for count in range(1, 8):
        some, more = (run(Flankers(spacing=2.0, count=n), batch).batch.images for n in (count, count + 1))
        assert torch.equal(more[some > 0], some[some > 0])


def test_flankers_far_outside_leave_the_image_as_it_is() -> None:
    batch = plain(boxes=BOX)
    got = run(Flankers(spacing=9.0), batch)
    assert torch.equal(got.batch.images, batch.images)
    assert got.doses["count"].tolist() == [0.0] * 6


def test_flankers_say_how_much_of_them_the_frame_leaves() -> None:
    """Of a flanker that has the target's size, a share that follows from where the frame cuts it."""
    batch = plain(n=30, boxes=torch.tensor([[10.0, 10.0, 30.0, 30.0]]))
    got = run(Flankers(spacing=1.0, count=1), batch)
    assert got.doses["in_frame"].tolist() == pytest.approx([c * 1600 / 400 for c in got.doses["covered"].tolist()])
    assert 0.2 < float(got.doses["in_frame"].min()) < float(got.doses["in_frame"].max()) <= 0.5
    far = run(Flankers(spacing=1.5, count=8), plain(boxes=BOX))
    assert bool((far.doses["in_frame"] < 1).all())
    near = run(Flankers(spacing=2.0, count=8), plain(boxes=torch.tensor([[18.0, 18.0, 22.0, 22.0]])))
    assert near.doses["in_frame"].tolist() == [1.0] * 6
    assert run(Flankers(spacing=9.0), plain(boxes=BOX)).doses["in_frame"].tolist() == [0.0] * 6


def test_flankers_have_the_target_s_longer_side() -> None:
    got = run(Flankers(spacing=1.0, count=1), plain(n=20, boxes=torch.tensor([[16.0, 18.0, 24.0, 21.0]])))
    assert got.doses["covered"].tolist() == pytest.approx([64 / 1600] * 20)


@pytest.mark.parametrize(
    ("similarity", "labels"), [("same_class", {0}), ("other_class", {1}), (Similarity.any, {0, 1})]
)
def test_flankers_are_chosen_by_class(similarity: Similarity, labels: set[int]) -> None:
    batch = plain(n=20, boxes=torch.tensor([[18.0, 18.0, 22.0, 22.0]]))
    assert batch.donors is not None
    images = run(Flankers(spacing=1.5, count=8, similarity=similarity), batch).batch.images
    shown = [
        i for i, donor in enumerate(batch.donors.images) if bool(((images - donor[0, 0, 0]).abs() < 0.51 / 255).any())
    ]
    assert {batch.donors.labels[i] for i in shown} == labels


@pytest.mark.parametrize("similarity", ["same_class", "other_class"])
def test_class_demands_need_labels(similarity: Similarity) -> None:
    flankers = Flankers(spacing=1.0, similarity=similarity)
    with pytest.raises(HardgenError, match=f"flankers.similarity={flankers.similarity.name} needs labelled data"):
        run(flankers, plain(labels=(-1,) * 6))
    with pytest.raises(HardgenError, match="no donor suits sample 's0'"):
        run(flankers, plain(donors=Donors(torch.ones(1, 3, 4, 4), (-1,))))


def test_donors_are_asked_for_by_name() -> None:
    for perturbation in (Clutter(count=1), Flankers(spacing=1.0)):
        with pytest.raises(HardgenError, match=f"{perturbation.name} takes its pixels from other images"):
            run(perturbation, plain(donors=None))


def test_unknown_similarity_is_refused_by_name() -> None:
    with pytest.raises(HardgenError, match=r"flankers\.similarity: unknown 'same'"):
        Flankers(similarity="same")  # type: ignore[arg-type]
