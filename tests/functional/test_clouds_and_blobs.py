"""Fields of the weather: the same at every size, and by their formulas."""

import cv2
import numpy as np
import torch

from hardgen.functional import blobs, clouds, coating, crystals, glints, streaks

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


def test_splashes_are_round_about_their_place_in_pixels() -> None:
    none = np.zeros((blobs.GRID, blobs.GRID), np.float32)
    place, radius = np.array([[0.25, 0.5]], np.float32), np.array([0.2], np.float32)
    rank = blobs.splashes(100, 200, place, radius, none)
    y, x = np.mgrid[0:100, 0:200] + 0.5
    far = np.hypot(x - 50, y - 50) / 20
    middle = (far > 0.3) & (far < 2)
    assert np.abs(rank - far)[middle].max() < 0.06


def test_the_first_line_and_the_first_drop_lie_on_top() -> None:
    rest = np.full((40, 40), 0.5, np.float32)
    ends = np.array([[5, 20, 35, 20], [20, 5, 20, 35]], np.float32)
    rank = streaks.lines(40, 40, ends, np.array([3, 3], np.float32), rest)
    assert (rank[20, 20], rank[20, 8], rank[8, 20], rank[0, 0]) == (0, 0, 1, 2.5)
    places, radii = np.array([[15, 20], [25, 20]], np.float32), np.array([8, 8], np.float32)
    order = blobs.drops(40, 40, places, radii, rest)
    assert (order[20, 19], order[20, 29], order[0, 0]) == (0, 1, 2.5)
    centre, way = blobs.within(*(torch.from_numpy(part)[None] for part in (order, places, radii)))
    assert (way[0, 20, 19].tolist(), centre[0, 20, 19].tolist()) == ([0.5, 0.0], [15.0, 20.0])
    assert (way[0, 0, 0].tolist(), centre[0, 0, 0].tolist()) == ([0.0, 0.0], [0.0, 0.0])


def test_a_star_is_an_inverse_square_along_its_rays() -> None:
    x, y = np.array([[4.0, 8.0]], np.float32), np.zeros((1, 1), np.float32)
    light = glints.star(x, y, np.full(8, 2.0, np.float32))
    assert np.allclose(light, [[0.75 * 4 / 16, 0.75 * 4 / 64]], rtol=1e-3)


def test_a_coating_s_soft_edge_lies_within_what_is_covered() -> None:
    covered = torch.zeros(1, 1, 60, 60, dtype=torch.bool)
    covered[..., 20:40, 20:40] = True
    soft = coating.coat(torch.zeros(1, 3, 60, 60), torch.ones(1, 1, 1, 1), covered, edge=0.1)[:, :1]
    assert torch.equal(soft > 0, covered)
    assert float(soft[..., 30, 30]) == 1.0
    assert float(soft[..., 20, 30]) < 0.5
