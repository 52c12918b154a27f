"""Occluders: exact, nested, of what they say, over images and objects."""

import dataclasses
import functools
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from hardgen.batch import Batch, Donors
from hardgen.errors import HardgenError
from hardgen.perturbation import Outcome, Target
from hardgen.perturbations.occlusion import (
    Bars,
    Blobs,
    Checkerboard,
    CrossBars,
    Cutout,
    Fill,
    Grid,
    Holes,
    InsideOut,
    Leaves,
    Occluder,
    OutsideIn,
    PixelDrop,
    PolkaDots,
    Rectangle,
    SalientCells,
)
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch

UNDRAWN: list[Callable[..., Occluder]] = [OutsideIn, InsideOut]
DRAWN: list[Callable[..., Occluder]] = [
    Rectangle,
    Holes,
    Grid,
    Bars,
    CrossBars,
    PolkaDots,
    functools.partial(PolkaDots, dot="square"),
    Checkerboard,
    PixelDrop,
    functools.partial(PixelDrop, pattern="blue"),
    Blobs,
    functools.partial(Cutout, fill=Fill.colour),
    functools.partial(Leaves, shading=0.0),
    SalientCells,
    functools.partial(SalientCells, first="plain"),
]
OCCLUDERS = DRAWN + UNDRAWN
RED = (1.0, 0.0, 0.0)


def black(height: int, width: int, count: int, **known: object) -> Batch:
    images = torch.zeros(count, 1, height, width)
    return dataclasses.replace(Batch(images, tuple(f"sample-{i}" for i in range(count))), **known)


def run(occluder: Occluder, batch: Batch, seed: int = 5) -> Outcome:
    return occluder(batch, SampleRng(seed, "occlusion", batch.ids, batch.images.device))


def hidden(outcome: Outcome) -> Tensor:
    """B x H x W bool: what a white occluder covers of black images."""
    return outcome.batch.images[:, 0] > 0.5


def irregular(height: int, width: int, count: int) -> Tensor:
    """Ellipses with a hole, at different places, as objects' masks."""
    y, x = torch.meshgrid(torch.linspace(-1, 1, height), torch.linspace(-1, 1, width), indexing="ij")
    shift = torch.linspace(-0.3, 0.3, count)[:, None, None]
    radius = ((x - shift) / 0.6) ** 2 + (y / 0.45) ** 2
    return ((radius < 1) & (radius > 0.1))[:, None]


@pytest.mark.parametrize("side", [32, 224])
@pytest.mark.parametrize("kind", OCCLUDERS)
def test_many_draws_realise_the_fraction_of_the_image(kind: Callable[..., Occluder], side: int) -> None:
    batch = black(side, side, 200 if side < 100 else 40)
    for fraction in (0.5, 0.8, 0.95):
        outcome = run(kind(fraction=fraction, colour=(1, 1, 1)), batch)
        share = hidden(outcome).float().mean((1, 2))
        assert float((share - fraction).abs().max()) < 0.01
        assert torch.allclose(outcome.doses["covered"], share, atol=1e-6)


@pytest.mark.parametrize("side", [32, 224])
@pytest.mark.parametrize("kind", OCCLUDERS)
def test_the_fraction_of_an_object_is_realised(kind: Callable[..., Occluder], side: int) -> None:
    box = torch.tensor([[side * 0.2, side * 0.3, side * 0.7, side * 0.8]])
    for known in ({"boxes": (box,) * 40}, {"masks": irregular(side, side, 40)}):
        batch = black(side, side, 40, **known)
        mask = batch.target()[:, 0]
        for fraction in (0.3, 0.81, 0.95):
            outcome = run(kind(fraction=fraction, target=Target.object, colour=(1, 1, 1)), batch)
            share = (hidden(outcome) & mask).sum((1, 2)) / mask.sum((1, 2))
            assert float((share - fraction).abs().max()) < 0.01
            assert torch.allclose(outcome.doses["target_covered"], share, atol=1e-6)
            window = torch.stack([_box_of(m) for m in mask])
            assert not (hidden(outcome) & ~window).any()


def _box_of(mask: Tensor) -> Tensor:
    return mask.any(1)[:, None] & mask.any(0)[None, :] if mask.any() else mask


@pytest.mark.parametrize("target", Target)
@pytest.mark.parametrize("kind", OCCLUDERS)
def test_more_contains_less(kind: Callable[..., Occluder], target: Target) -> None:
    batch = black(40, 60, 6, masks=irregular(40, 60, 6))
    before = torch.zeros(6, 40, 60, dtype=torch.bool)
    for hardness in torch.linspace(0.02, 1, 30).tolist():
        now = hidden(run(kind(target=target, colour=(1, 1, 1)).at(hardness), batch))
        assert bool((before <= now).all())
        before = now


def test_places_differ_between_images() -> None:
    for kind in DRAWN:
        masks = hidden(run(kind(fraction=0.4, colour=(1, 1, 1)), black(32, 32, 12)))
        assert len({tuple(m.flatten().tolist()) for m in masks}) == 12


def test_eight_holes_of_a_sixteenth_cover_a_half() -> None:
    covered = hidden(run(Holes(fraction=0.5, count=8, colour=(1, 1, 1)), black(128, 128, 20)))
    assert covered.sum((1, 2)).tolist() == [128 * 128 // 2] * 20


def test_fills_show_what_they_say() -> None:
    batch = sample_batch(pick=(0, 1))
    where = hidden(run(Rectangle(fraction=0.4, colour=(1, 1, 1)), batch.replace(torch.zeros_like(batch.images))))
    assert batch.donors is not None
    shown = {
        fill: [run(Rectangle(0.4, fill=fill, colour=RED), batch).batch.images[i][:, where[i]] for i in range(2)]
        for fill in Fill
    }
    inside = [batch.images[i][:, where[i]] for i in range(2)]
    for i in range(2):
        assert torch.equal(shown[Fill.colour][i], torch.tensor(RED)[:, None].expand_as(inside[i]))
        mean = batch.images[i].mean((1, 2))[:, None]
        assert torch.allclose(shown[Fill.mean][i], mean.expand_as(inside[i]), atol=1e-6)
        assert float(shown[Fill.noise][i].mean()) == pytest.approx(0.5, abs=0.03)
        assert float(shown[Fill.noise][i].std()) == pytest.approx(12**-0.5, abs=0.03)
        assert 0 < float(shown[Fill.blur][i].std()) < 0.7 * float(inside[i].std())
        pool = batch.donors.resized(48, 48)
        assert any(torch.equal(shown[Fill.texture][i], donor[:, where[i]]) for donor in pool)


def test_what_is_not_covered_stays_bit_for_bit() -> None:
    batch = sample_batch()
    where = hidden(run(Bars(fraction=0.4, colour=(1, 1, 1)), batch.replace(torch.zeros_like(batch.images))))
    kept = ~where[:, None].expand_as(batch.images)
    for fill in Fill:
        after = run(Bars(fraction=0.4, fill=fill), batch).batch.images
        assert torch.equal(after[kept], batch.images[kept])


def test_grey_images_get_grey_fills_of_the_same_brightness() -> None:
    batch = sample_batch(pick=(5,))
    single = sample_batch(pick=(5,), channels=1)
    for images in (run(Rectangle(0.9, colour=RED), b).batch.images for b in (batch, single)):
        assert float(images.mode(-1).values.mode(-1).values[0, 0]) == pytest.approx(0.299, abs=1e-6)


def test_an_image_is_never_its_own_texture() -> None:
    batch = sample_batch(24, 24, pick=range(5))
    own = dataclasses.replace(batch, donors=Donors(batch.images, batch.labels, batch.ids))
    after = run(Rectangle(fraction=0.95, fill=Fill.texture), own).batch.images
    assert bool(((after - batch.images).abs() > 1e-3).flatten(1).any(1).all())
    alone = dataclasses.replace(sample_batch(24, 24, pick=(0,)), donors=Donors(batch.images[:1], (0,), (batch.ids[0],)))
    with pytest.raises(HardgenError, match="needs a donor other than the image itself"):
        run(Rectangle(fraction=0.5, fill=Fill.texture), alone)


def test_what_is_missing_is_named() -> None:
    batch = black(16, 16, 1)
    with pytest.raises(HardgenError, match=r"rectangle takes its pixels from other images"):
        run(Rectangle(fraction=0.5, fill=Fill.texture), batch)
    with pytest.raises(HardgenError, match="target=object needs data with boxes or masks"):
        run(Rectangle(fraction=0.5, target=Target.object), batch)
    for colour in ((0.5, 0.5), (0.5, 0.5, 2.0), (float("nan"), 0.0, 0.0), ("red", 0.0, 0.0)):
        with pytest.raises(HardgenError, match=r"rectangle\.colour must be a list of 3 numbers"):
            Rectangle(colour=colour)
    with pytest.raises(HardgenError, match=r"holes\.count must be"):
        Holes(count=0)


def test_the_object_is_reported_where_there_is_one() -> None:
    boxes = (torch.tensor([[2.0, 2.0, 8.0, 8.0]]), torch.zeros(0, 4))
    doses = run(Grid(fraction=0.5), black(16, 16, 2, boxes=boxes)).doses
    assert 0 <= float(doses["target_covered"][0]) <= 1
    assert bool(doses["target_covered"][1].isnan())
    assert "target_covered" not in run(Grid(fraction=0.5), black(16, 16, 2)).doses
