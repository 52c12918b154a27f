"""Patterns: against brute force over lattice points, known spectra, scipy."""

import cv2
import numpy as np
import pytest
import scipy.ndimage
import torch

from hardgen.functional import cells, layering, marks, occlusion, patterns, silhouettes
from hardgen.functional.strokes import STROKES, written

SEED = torch.Generator().manual_seed(3)


@pytest.mark.parametrize("square", [False, True])
def test_dots_rank_by_the_distance_from_the_nearest_lattice_point(square: bool) -> None:
    angle, phases = torch.tensor(0.0), torch.tensor([0.0, 0.0])
    got = patterns.dots(40, 60, 0.25, angle, phases, square)
    y, x = (np.mgrid[0:40, 0:60] + 0.5) / 10
    points = [(j, i) for j in np.arange(-1, 9, 0.5) for i in np.arange(-1, 9, 0.5) if (j + i) % 1 == 0 and j % 0.5 == 0]
    # Every middle and every corner of the lattice's squares.
    points = [(j, i) for j, i in points if (j % 1 == 0.5) == (i % 1 == 0.5)]
    if square:
        want = np.min([np.maximum(abs(y - j), abs(x - i)) for j, i in points], 0)
    else:
        want = np.min([(y - j) ** 2 + (x - i) ** 2 for j, i in points], 0)
    assert np.allclose(got.numpy(), want, atol=1e-5)


def test_crossed_bars_cover_what_their_width_says() -> None:
    rank = patterns.cross_bars(200, 200, 0.25, torch.tensor(0.0), torch.tensor([0.3, 0.6]))
    for width in (0.2, 0.5, 0.8):
        assert float((rank < width / 2).float().mean()) == pytest.approx(1 - (1 - width) ** 2, abs=0.02)


def test_half_a_checkerboard_has_one_colour() -> None:
    scores = torch.rand(patterns.TABLE, patterns.TABLE, generator=SEED)
    rank = patterns.checkerboard(80, 80, 0.125, torch.tensor(0.0), torch.tensor([0.0, 0.0]), scores)
    y, x = np.mgrid[0:80, 0:80] // 10
    half = occlusion.cover(rank, 0.5).numpy()
    assert np.array_equal(half, (y + x) % 2 == 0) or np.array_equal(half, (y + x) % 2 == 1)
    quarter = scipy.ndimage.label(occlusion.cover(rank, 0.25))[1]
    assert quarter == 16


def test_blue_noise_keeps_its_pixels_apart() -> None:
    tile = patterns.blue_noise()
    assert np.array_equal(np.sort(tile.ravel()) * tile.size, np.arange(tile.size))
    white = np.random.default_rng(1).permutation(tile.size).reshape(tile.shape) / tile.size
    for share in (0.05, 0.3):
        power = []
        for order in (tile, white):
            mask = (order < share) - share
            spectrum = abs(np.fft.fft2(mask)) ** 2
            radius = np.hypot(*np.meshgrid(np.fft.fftfreq(64), np.fft.fftfreq(64)))
            power.append(spectrum[(radius < 0.08) & (radius > 0)].mean())
        assert power[0] < 0.2 * power[1]


def test_smooth_fields_are_the_same_by_torch_and_opencv() -> None:
    coarse = torch.randn(32, 32, generator=SEED)
    for height, width in ((60, 90), (17, 5), (1, 1)):
        got = silhouettes.smooth_field(height, width, 0.2, coarse)
        rows, columns = (max(round(side / (0.2 * min(height, width))), 1) + 1 for side in (height, width))
        want = torch.nn.functional.interpolate(coarse[None, None, :rows, :columns], (height, width), mode="bicubic")
        assert torch.allclose(got, want[0, 0], atol=1e-4)


def test_an_outline_without_waves_is_a_circle() -> None:
    middles = torch.tensor([[0.25, 0.5], [0.8, 0.1]])
    got = silhouettes.outlines(50, 100, middles, torch.zeros(2, 2, 5))
    y, x = np.mgrid[0:50, 0:100] + 0.5
    want = np.minimum(np.hypot(x - 25, y - 25), np.hypot(x - 80, y - 5)) / 50
    assert np.allclose(got.numpy(), want, atol=1e-5)


def test_an_outline_follows_its_waves() -> None:
    waves = torch.randn(1, 2, 5, generator=SEED) * 0.2
    got = silhouettes.outlines(80, 80, torch.tensor([[0.4, 0.6]]), waves).numpy()
    y, x = np.mgrid[0:80, 0:80] + 0.5 - np.array([48, 32])[:, None, None]
    turn, k = np.arctan2(y, x), np.arange(1, 6)[:, None, None]
    a, b = waves[0].numpy()[..., None, None]
    radius = np.exp((a * np.cos(k * turn) + b * np.sin(k * turn)).sum(0))
    assert np.allclose(got, np.hypot(x, y) / 80 / radius, atol=4e-3)


def test_one_more_leaf_never_hides_another() -> None:
    draws = np.random.default_rng(2).random((60, 6), np.float32)
    few, many = (silhouettes.leaves(64, 64, 0.3, draws[:n]).rank.numpy() for n in (30, 60))
    covered = few < 30
    assert 0.2 < covered.mean() < 1
    assert np.array_equal(few[covered], many[covered])


@pytest.mark.parametrize("size", [(30, 40), (9, 31)])
def test_cell_contrast_is_the_standard_deviation(size: tuple[int, int]) -> None:
    image = torch.rand(3, *size, generator=SEED)
    rows, columns = 3, 4
    got = cells.cell_contrast(image, rows, columns).numpy()
    level = image.mean(0).numpy()
    y, x = np.arange(size[0]) * rows // size[0], np.arange(size[1]) * columns // size[1]
    for j in range(rows):
        for i in range(columns):
            assert got[j, i] == pytest.approx(level[y == j][:, x == i].std(), abs=1e-4)


def test_depth_is_scipys_distance() -> None:
    mask = torch.rand(30, 40, generator=SEED) > 0.1
    want = scipy.ndimage.distance_transform_edt(np.pad(mask.numpy(), 1))[1:-1, 1:-1]
    assert np.allclose(cells.depth(mask).numpy(), want, atol=1e-3)


@pytest.mark.parametrize("channels", [1, 3])
def test_replacing_by_opencv_and_by_torch_is_the_same(channels: int) -> None:
    for size in ((1, 1), (7, 5), (20, 33)):
        images = torch.rand(3, channels, *size, generator=SEED)
        covered = torch.rand(3, 1, *size, generator=SEED) > 0.5
        shapes = ((1, channels, 1, 1), (3, channels, 1, 1), (3, channels, *size), (1, channels, *size))
        for canvas in (torch.rand(shape, generator=SEED) for shape in shapes):
            kept = images.clone()
            assert torch.equal(layering.replace_where(images, covered, canvas), torch.where(covered, canvas, images))
            assert torch.equal(images, kept)


def test_lines_run_through_their_points() -> None:
    draws = np.random.default_rng(4).random((12, 4), np.float32)
    turns = marks.lines(90, 120, 3.0, draws)
    for k, (x0, y0, x1, y1) in enumerate(draws):
        for x, y in ((x0, y0), (x1, y1)):
            assert turns[min(int(y * 90), 89), min(int(x * 120), 119)] <= k


def test_every_character_has_its_own_strokes() -> None:
    pair = written("捷径", 64)
    assert pair.shape == (64, 128)
    assert 0.1 < pair.mean() < 0.5
    assert abs(pair[:, :64] - pair[:, 64:]).mean() > 0.1
    assert {k: len(v) for k, v in STROKES.items()} == {"捷": 11, "径": 8}
    small = cv2.resize(written("径", 128), (32, 32), interpolation=cv2.INTER_AREA)
    assert abs(small - written("径", 32)).mean() < 0.05


def test_faces_are_discs_and_differ() -> None:
    faces = [marks.face(kind, 40) for kind in range(marks.FACES)]
    for _, alpha in faces:
        assert alpha.mean() == pytest.approx(np.pi * 0.49**2, abs=0.01)
    signs = [*(colour[..., 0] for colour, _ in faces), *(marks.logo(kind, 40) for kind in range(marks.LOGOS))]
    for i, one in enumerate(signs):
        assert all(abs(one - other).mean() > 0.005 for other in signs[:i])
