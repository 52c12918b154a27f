"""Blur: nothing moves, every setting blurs, sizes follow the image."""

import pytest
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.perturbation import Perturbation
from hardgen.perturbations.blur import DefocusBlur, GaussianBlur, MotionBlur
from hardgen.perturbations.blur.linear import BokehBlur, BoxBlur, ShakeBlur
from hardgen.perturbations.blur.radial import CircularMotionBlur, ZoomBlur
from hardgen.perturbations.blur.scattered import GlassBlur, MedianBlur, Scatter
from hardgen.perturbations.blur.varying import LensBlur, TiltShift
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch

BLURS: list[type[Perturbation]] = [GaussianBlur, MotionBlur, DefocusBlur]
CENTRED: list[type[Perturbation]] = [*BLURS, BokehBlur, BoxBlur, ShakeBlur, CircularMotionBlur]


def spots(height: int, width: int, count: int = 20) -> Batch:
    """A white spot of 3 x 3 px amid black."""
    images = torch.zeros(count, 3, height, width)
    images[:, :, height // 2 - 1 : height // 2 + 2, width // 2 - 1 : width // 2 + 2] = 1
    return Batch(images, tuple(f"s{i}" for i in range(count)))


def run(blur: Perturbation, batch: Batch) -> Tensor:
    return blur(batch, SampleRng(1, "blur", batch.ids)).batch.images


@pytest.mark.parametrize("size", [(224, 224), (65, 101)])
@pytest.mark.parametrize("kind", CENTRED)
def test_the_centroid_stays_and_light_is_kept(kind: type[Perturbation], size: tuple[int, int]) -> None:
    batch = spots(*size)
    y, x = torch.meshgrid(torch.arange(size[0]), torch.arange(size[1]), indexing="ij")
    for hardness in (0.05, 0.3, 0.6, 1.0):
        after = run(kind().at(hardness), batch)[:, 0]
        mass = after.sum((1, 2))
        assert mass.tolist() == pytest.approx([9.0] * len(batch), rel=2e-2)
        for axis, middle in ((y, size[0] // 2), (x, size[1] // 2)):
            centroid = (after * axis).sum((1, 2)) / mass
            assert float((centroid - middle).abs().max()) < 0.05


@pytest.mark.parametrize("side", [32, 224])
@pytest.mark.parametrize("kind", [MotionBlur, DefocusBlur, BokehBlur, ShakeBlur])
def test_every_setting_above_neutral_blurs(kind: type[Perturbation], side: int) -> None:
    batch = spots(side, side, 4)
    for hardness in (0.002, 0.01, 0.05, 0.2, 1.0):
        change = run(kind().at(hardness), batch).sub(batch.images).abs().amax((1, 2, 3))
        assert bool((change > 1e-3).all())


def test_motion_goes_where_it_is_told_or_where_each_image_draws() -> None:
    batch = spots(64, 64, 6)
    level = run(MotionBlur(0.25, angle=0.0), batch)
    assert float(level[:, :, :30].abs().max()) < 1e-6
    assert float(level[:, :, 34:].abs().max()) < 1e-6
    assert bool((level[:, 0, 32, 26] > 0.05).all())
    upright = run(MotionBlur(0.25, angle=90.0), batch)
    assert torch.allclose(upright, level.transpose(2, 3), atol=1e-5)
    drawn = run(MotionBlur(0.25), batch)
    assert float((drawn[0] - drawn[1]).abs().max()) > 0.05
    with pytest.raises(HardgenError, match=r"motion_blur\.angle must be in \[0, 180\] degrees"):
        MotionBlur(angle=400.0)


def test_lengths_are_fractions_of_the_short_side() -> None:
    wide, tall = spots(64, 128, 1), spots(128, 64, 1)
    for kind in (GaussianBlur, DefocusBlur):
        a, b = (run(kind().at(0.5), batch)[0, 0] for batch in (wide, tall))
        assert torch.allclose(a[2:62, 34:94], b[34:94, 2:62], atol=1e-5)


@pytest.mark.parametrize("kind", BLURS)
def test_more_blur_never_comes_nearer_within_a_rounding_step(kind: type[Perturbation]) -> None:
    batch = sample_batch(64, 64)
    before = torch.zeros(len(batch))
    for step in range(1, 41):
        now = kind().at(step / 40)(batch, SampleRng(1, "blur", batch.ids)).doses["rmse"]
        assert bool((now >= before - 1 / 255).all())
        before = now


def dots(side: int) -> tuple[Batch, list[tuple[int, int]]]:
    """White spots of 3 x 3 px amid black, one to an image, at different places."""
    places = [(side // 2, side // 2), (side // 3, side // 2), (side // 2, side * 5 // 8), (side * 3 // 8, side // 3)]
    images = torch.zeros(len(places), 3, side, side)
    for image, (row, column) in zip(images, places, strict=True):
        image[:, row - 1 : row + 2, column - 1 : column + 2] = 1
    return Batch(images, tuple(f"d{i}" for i in range(len(places)))), places


@pytest.mark.parametrize("hardness", [0.1, 0.5, 1.0])
def test_zoom_blur_moves_nothing_on_average_unless_it_starts_at_the_image(hardness: float) -> None:
    batch, places = dots(225)
    moved = {}
    for where in ("middle", "start"):
        after = run(ZoomBlur(image=where).at(hardness), batch)[:, 0]
        rows = (after.sum(2) * torch.arange(225)).sum(1) / after.sum((1, 2))
        moved[where] = [abs(float(row) - place[0]) for row, place in zip(rows, places, strict=True)]
    assert moved["middle"][0] < 0.1
    assert max(moved["middle"]) < 0.5 + 2.5 * hardness**2
    assert max(moved["start"]) > 2 * max(moved["middle"])


def test_a_shaken_camera_draws_one_path_that_grows() -> None:
    batch = spots(128, 128, 3)
    small, large = (run(ShakeBlur(length), batch)[:, 0] for length in (0.15, 0.3))
    at = torch.arange(128) - 64.0
    spread = [(image.sum(1) * at.square()).sum(1) / image.sum((1, 2)) for image in (small, large)]
    assert torch.allclose(spread[1] - 0.9, 4 * (spread[0] - 0.9), rtol=0.15, atol=1.0)
    assert float((small[0] - small[1]).abs().max()) > 0.05


def test_glass_scatters_evenly_up_to_its_displacement_in_bumps() -> None:
    ramp = torch.linspace(0.0, 1.0, 201)[None, None, None, :].expand(4, 3, 201, 201).contiguous()
    batch = Batch(ramp, tuple("abcd"))
    way = (run(GlassBlur(0.03, smoothing=0.0), batch) - ramp)[:, 0, :, 20:-20] * 200
    assert float(way.abs().max()) == pytest.approx(6.0, abs=0.6)
    assert float(way.std()) == pytest.approx(6.03 / 3**0.5, rel=0.05)
    beside = torch.corrcoef(torch.stack((way[:, :, 1:].flatten(), way[:, :, :-1].flatten())))[0, 1]
    assert float(beside) > 0.7
    smooth = (run(GlassBlur(0.03, smoothing=0.02), batch) - ramp)[:, 0, :, 20:-20] * 200
    assert float(smooth.std()) < 0.8 * float(way.std())


def test_scattered_pixels_keep_their_direction() -> None:
    ramp = torch.linspace(0.2, 0.8, 101)[None, None, None, :].expand(1, 3, 101, 101).contiguous()
    batch = Batch(ramp, ("a",))
    near, far = (run(Scatter(d), batch)[0, 0, :, 30:70] - ramp[0, 0, :, 30:70] for d in (0.03, 0.06))
    assert float((near * far).min()) > -0.003
    assert float(torch.corrcoef(torch.stack((near.flatten(), far.flatten())))[0, 1]) > 0.98


def test_medians_remove_a_spot_and_keep_an_edge() -> None:
    images = torch.zeros(1, 3, 60, 60)
    images[..., 30:] = 1.0
    images[..., 20, 10] = 1.0
    after = run(MedianBlur(7 / 60), Batch(images, ("a",)))
    assert float(after[..., 20, 10].max()) == 0.0
    assert torch.equal(after[..., 29:31], images[..., 29:31])


def test_sharpness_is_left_in_the_centre_or_the_band() -> None:
    images = (torch.rand(4, 3, 96, 96, generator=torch.Generator().manual_seed(1)) > 0.5).float()
    batch = Batch(images, tuple("abcd"))
    lens = (run(LensBlur().at(0.5), batch) - images).abs().mean((0, 1))
    assert float(lens[46:50, 46:50].mean()) < 0.02
    assert float(lens[:8, :8].mean()) > 0.45
    level = (run(TiltShift(angle=0.0).at(0.5), batch) - images).abs().mean((1, 3))
    assert bool((level.min(1).values < 1e-6).all())
    assert bool((level.max(1).values > 0.4).all())
    upright = (run(TiltShift(angle=90.0).at(0.5), batch) - images).abs().mean((1, 2))
    assert bool((upright.min(1).values < 1e-6).all())
