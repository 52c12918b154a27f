"""Fields of the weather: the same at every size, and by their formulas."""

import cv2
import numpy as np
import pytest
import torch

from hardgen.functional import blobs, clouds, coating, crystals, glints, scatter, smears

RNG = np.random.Generator(np.random.PCG64(4))


def test_a_cloud_looks_the_same_at_every_size() -> None:
    numbers = torch.from_numpy(RNG.standard_normal((1, clouds.NUMBERS), dtype=np.float32))
    small, large = clouds.clouds(numbers, 64, 64)[0, 0].numpy(), clouds.clouds(numbers, 512, 512)[0, 0].numpy()
    shrunk = cv2.resize(large, (64, 64), interpolation=cv2.INTER_AREA)
    assert np.corrcoef(small.ravel(), shrunk.ravel())[0, 1] > 0.97
    assert abs(float(large.mean())) < 0.1
    assert 0.8 < float(large.std()) < 1.1


def test_frost_looks_the_same_at_every_size_and_begins_at_the_edge() -> None:
    numbers = RNG.random((crystals.STEMS, crystals.NUMBERS), dtype=np.float32)
    small, large = crystals.ferns(96, 96, numbers), crystals.ferns(480, 480, numbers)
    shrunk = cv2.resize(large, (96, 96), interpolation=cv2.INTER_AREA)
    assert np.corrcoef(small.ravel(), shrunk.ravel())[0, 1] > 0.95
    border = np.concatenate([large[:20].ravel(), large[-20:].ravel(), large[:, :20].ravel(), large[:, -20:].ravel()])
    assert border.mean() < large[160:320, 160:320].mean()


def test_an_endless_cloud_has_no_seam() -> None:
    numbers = RNG.standard_normal(4 * 4 + 8 * 8, dtype=np.float32)
    cloud = clouds.endless(numbers, 4, 64, 0.5)
    for axis in (0, 1):
        steps = np.abs(np.diff(np.concatenate((cloud, cloud), axis), axis=axis)).max(1 - axis)
        assert steps[63] < 1.5 * np.delete(steps, 63).max()
    assert (float(cloud.mean()), float(cloud.std())) == pytest.approx((0, 1), abs=1e-5)


def test_splashes_are_round_about_their_place_across_the_edges() -> None:
    places, radii = np.array([[0.1, 1.0], [0.1, 1.0]], np.float32), np.array([0.2, 0.4], np.float32)
    rank, slope, square = blobs.splashes(100, 3, places, radii, np.ones((300, 300), np.float32))
    y, x = np.mgrid[0:300, 0:300] + 0.5
    across, down = (x - 10 + 150) % 300 - 150, y - 100
    far = np.hypot(across, down)
    first = blobs.SWELLING * (far / 20) ** 6
    second = 0.5 + blobs.SWELLING * (far / 40) ** 6
    near, middling = far < 24, (far > 32) & (far < 60)
    assert rank[near] == pytest.approx(first[near], abs=1e-5)
    assert rank[middling] == pytest.approx(second[middling], abs=1e-5)
    assert square[near] == pytest.approx(((far / 20) ** 2)[near], abs=1e-5)
    assert slope[near] == pytest.approx(((across + down) / 20)[near], abs=1e-5)
    assert (rank[200, 150], slope[200, 150], square[200, 150]) == (blobs.LAST, 0, 0)


def test_a_layer_lies_below_its_level_and_thickens_from_there() -> None:
    ranks = np.arange(100, dtype=np.uint16).reshape(10, 10)
    assert [coating.level(ranks, fraction) for fraction in (0.0, 0.004, 0.3, 1.0)] == [0, 0, 30, 99]
    opacity = coating.thickened(ranks, 30, 20.0).ravel()
    assert opacity[[0, 10, 20, 29, 30, 99]].tolist() == [255, 255, 128, 13, 0, 0]


@pytest.mark.parametrize("channels", [1, 3])
def test_bytes_under_a_layer_are_the_floats_rounded(channels: int) -> None:
    pixels, layer = (RNG.integers(0, 256, (40, 50, channels), dtype=np.uint8) for _ in range(2))
    opacity = RNG.integers(0, 256, (40, 50), dtype=np.uint8)
    share = opacity[..., None] / 255
    exact = (pixels * (1 - share) + layer * share).reshape(40, -1)
    assert np.array_equal(coating.laid_over(pixels, layer, opacity), np.rint(exact))
    floats = coating.laid_over((pixels / 255).astype(np.float32), layer, opacity)
    assert floats * 255 == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize("fine", [1, 2, 4])
def test_the_first_disc_lies_on_top_and_has_the_size_that_was_asked_for(fine: int) -> None:
    places, radii = np.array([[15, 20], [25, 20]], np.float32), np.array([8, 8], np.float32)
    discs = scatter.discs(40, 40, places, radii, fine)
    assert (discs[20 * fine, 19 * fine], discs[20 * fine, 29 * fine], discs[0, 0]) == (0, 1, 2)
    assert float((discs == 0).sum()) / fine**2 == pytest.approx(np.pi * 64, rel=0.08)


def test_things_come_one_by_one_until_the_fraction_is_met() -> None:
    canvas = np.array([[0, 0, 1, 1], [1, 1, 2, 2]], np.uint16)
    assert scatter.shares(canvas, 2, 0.125).tolist() == [0.5, 0, 0]
    assert scatter.shares(canvas, 2, 0.5).tolist() == [1, 0.5, 0]
    assert scatter.shares(canvas, 2, 0.875).tolist() == [1, 1, 0.5]
    seen = scatter.seen(canvas, np.array([1, 0.5, 0], np.float32), 2)
    assert seen.tolist() == [[0.75, 0.25]]


def test_a_drop_shows_the_scene_upside_down_about_its_centre() -> None:
    places, radii = np.array([[15, 20], [25, 20]], np.float32), np.array([8, 8], np.float32)
    flow, looks = np.empty((40, 40, 2), np.float32), np.empty((2, 40, 40), np.float32)
    blobs.lens(scatter.discs(40, 40, places, radii), 1, places, radii, 10.0, flow, looks)
    assert flow[20, 19].tolist() == [15 - 5, 20]
    assert flow[22, 25].tolist() == [25, 20 - 2.5]
    assert flow[0, 3].tolist() == [3, 0]
    assert looks[0, 20, 15] == pytest.approx(1.1, abs=1e-3)
    assert looks[1, 17, 12] > 0.7 > 0.01 > looks[1, 23, 18]
    assert looks[0, 27, 18] < 0.6


def test_a_wipe_draws_a_field_out_along_its_direction() -> None:
    field = clouds.cloud(RNG.standard_normal(clouds.NUMBERS, dtype=np.float32), 0.9)
    along, across = (np.abs(np.diff(smears.wiped(field, 0.0), axis=k)).mean() for k in (1, 0))
    assert along < 0.5 * across


def test_specks_lie_where_they_were_drawn_at_every_size() -> None:
    draws = np.array([[0.255, 0.505, 0.99]], np.float32)
    small, large = smears.specks(draws, 100, 100), smears.specks(draws, 100, 400)
    assert (small[50, 25] > 0.5, large[50, 100] > 0.5) == (True, True)
    area = np.pi * (smears.LARGEST * 0.93) ** 2
    assert float(small.mean()) == pytest.approx(0.55 * area, rel=0.3)


def test_a_star_is_an_inverse_square_along_its_rays() -> None:
    x, y = np.array([[4.0, 8.0]], np.float32), np.zeros((1, 1), np.float32)
    light = glints.star(x, y, np.full(8, 2.0, np.float32))
    assert np.allclose(light, [[0.75 * 4 / 16, 0.75 * 4 / 64]], rtol=1e-3)


def test_a_coating_fades_in_along_its_order() -> None:
    ranks = torch.arange(100.0).reshape(1, 10, 10)
    covered = coating.covered_by_rank(ranks, 0.5)
    soft = coating.fade(ranks, covered, 20.0)
    assert torch.equal(soft > 0, covered)
    assert soft[0, 0].flatten()[[0, 29, 39, 49, 50]].tolist() == pytest.approx([1, 1, 0.5, coating.FAINTEST, 0])
    more = coating.fade(ranks, coating.covered_by_rank(ranks, 0.6), 20.0)
    assert bool((more >= soft).all())


def test_both_ways_to_blend_agree() -> None:
    images, opacity = torch.rand(2, 3, 9, 7), torch.rand(2, 1, 9, 7)
    light = 0.5 + torch.rand(2, 1, 9, 7)
    for colour, shade in (
        (torch.rand(2, 3, 1, 1), None),
        (torch.rand(2, 3, 1, 1), light),
        (torch.rand(2, 3, 9, 7), None),
    ):
        expected = images + (colour * (1 if shade is None else shade) - images) * opacity
        assert torch.allclose(coating.blend_opencv(images, colour, shade, opacity), expected, atol=1e-6)
        assert torch.allclose(coating.blend_torch(images, colour, shade, opacity), expected, atol=1e-6)
