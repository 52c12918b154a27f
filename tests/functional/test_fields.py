"""Fields: variance, size, spectrum, the same at every resolution; against loops over the definition."""

import math

import numpy as np
import pytest
import torch

from hardgen.functional import fields, waves


def normal(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(shape).standard_normal(shape, dtype=np.float32))


def uniform(*shape: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(shape).random(shape, dtype=np.float32))


@pytest.mark.parametrize("size", [(64, 64), (24, 96), (5, 3), (1, 1)])
def test_spline_noise_has_unit_variance_at_every_pixel(size: tuple[int, int]) -> None:
    field = fields.spline(normal(1500, 1, *fields.spline_shape(*size, 0.11)), *size, 0.11)
    assert field.shape[-2:] == size
    variance = field.var(0)
    assert float(variance.mean()) == pytest.approx(1.0, abs=0.1)
    assert float(variance.min()) > 0.8
    assert float(variance.max()) < 1.2


def test_spline_noise_is_smooth_over_a_cell_and_independent_beyond_four() -> None:
    field = fields.spline(normal(400, 1, *fields.spline_shape(80, 80, 0.1)), 80, 80, 0.1)[:, 0, 40]
    correlation = [float(torch.corrcoef(field[:, (20, 20 + d)].T)[0, 1]) for d in (1, 8, 33)]
    assert correlation[0] > 0.95
    assert 0.4 < correlation[1] < 0.85
    assert abs(correlation[2]) < 0.2


def test_the_same_draws_give_the_same_field_at_every_resolution() -> None:
    nodes, turns = normal(1, 1, *fields.spline_shape(32, 32, 0.1)), uniform(1, 1, *fields.lattice_shape(32, 32, 0.2))
    numbers = normal(1, 1, 2, 61, 31)
    for make in (
        lambda n: fields.spline(nodes, n, n, 0.1),
        lambda n: fields.perlin(turns, n, n, 0.2),
        lambda n: waves.grating(n, n, torch.tensor([5.0]), torch.tensor([30.0]), torch.tensor([0.2])),
        lambda n: waves.plasma(n, n, torch.tensor([0.3]), torch.tensor([2.0]), torch.tensor([2]), torch.tensor([0.5])),
    ):
        small, large = make(33), make(99)
        assert torch.allclose(small, large[..., 1::3, 1::3], atol=2e-4)
    small, large = (fields.spectral(numbers, 3.0, n, n)[0, 0] for n in (65, 195))
    assert torch.allclose(small / small.std(), (large / large.std())[::3, ::3], atol=2e-3)


def test_perlin_noise_is_its_definition() -> None:
    turns = uniform(1, 1, *fields.lattice_shape(20, 30, 0.25))
    got = fields.perlin(turns, 20, 30, 0.25)[0, 0]
    angle = turns[0, 0].double().numpy() * 2 * np.pi
    for row, column in ((0, 0), (3, 29), (19, 7), (11, 16)):
        y, x = (row + 0.5) / 20 / 0.25, (column + 0.5) / 20 / 0.25
        i, j = int(y), int(x)
        corners = [
            [np.cos(angle[i + a, j + b]) * (x - j - b) + np.sin(angle[i + a, j + b]) * (y - i - a) for b in (0, 1)]
            for a in (0, 1)
        ]
        u, v = ((t**3) * (t * (t * 6 - 15) + 10) for t in (x - j, y - i))
        top, bottom = (c[0] + u * (c[1] - c[0]) for c in corners)
        assert float(got[row, column]) == pytest.approx(top + v * (bottom - top), abs=1e-5)
    assert float(got.abs().max()) <= 0.5**0.5


@pytest.mark.parametrize("exponent", [-2.0, 0.0, 2.0, 4.0])
def test_power_falls_with_the_exponent(exponent: float) -> None:
    n = 96
    field = fields.spectral(normal(12, 3, 2, 225, 113), exponent, n, n)
    assert float(field.mean((2, 3)).abs().max()) < 1e-5
    assert field.square().mean((2, 3)).flatten().tolist() == pytest.approx([1.0] * 36, abs=1e-4)
    power = torch.fft.fft2(field).abs().square().mean((0, 1)).numpy()
    along = np.fft.fftfreq(n, 1 / n)
    frequency = np.hypot(along[:, None], along[None, :])
    bands = np.array([(4, 6), (10, 14), (25, 35)])
    levels = [np.log(power[(frequency >= a) & (frequency < b)].mean()) for a, b in bands]
    slope = np.polyfit(np.log(bands.mean(1)), levels, 1)[0]
    assert slope == pytest.approx(-exponent, abs=0.25)


def test_spectral_noise_of_oblong_and_tiny_images() -> None:
    numbers = normal(2, 3, 2, 225, 113)
    for size in ((40, 130), (130, 40), (2, 2), (1, 9)):
        field = fields.spectral(numbers, 2.0, *size)
        assert field.shape == (2, 3, *size)
        assert bool(field.isfinite().all())
    assert not fields.spectral(numbers, 2.0, 1, 1).any()


def test_lines_take_one_number_each() -> None:
    values = normal(1, fields.cells(40, 20, 0.1))
    assert torch.equal(fields.lines(values, 40, 20, 0.1)[0], values[0].repeat_interleave(2))
    fine = normal(1, fields.cells(40, 20, 0.01))
    assert len(fields.lines(fine, 40, 20, 0.01)[0].unique()) == 40


def test_voronoi_finds_the_nearest_site() -> None:
    offsets, levels = uniform(1, 2, waves.SITES, waves.SITES), uniform(1, waves.SITES, waves.SITES)
    distance, level = waves.voronoi(24, 36, torch.tensor([0.17]), offsets, levels)
    rows, columns = np.mgrid[-2:12, -2:14]
    sites_x = columns + (offsets[0, 0].numpy()[rows % 64, columns % 64] - 0.5) * waves.JITTER + 0.5
    sites_y = rows + (offsets[0, 1].numpy()[rows % 64, columns % 64] - 0.5) * waves.JITTER + 0.5
    for i in range(24):
        for j in range(36):
            away = np.hypot(sites_x - (j + 0.5) / 24 / 0.17, sites_y - (i + 0.5) / 24 / 0.17)
            first = np.unravel_index(away.argmin(), away.shape)
            assert float(distance[0, 0, i, j]) == pytest.approx(away[first], abs=1e-4)
            assert float(level[0, 0, i, j]) == float(levels[0, rows[first] % 64, columns[first] % 64])


def test_gratings_have_their_frequency_and_direction() -> None:
    field = waves.grating(64, 64, torch.tensor([8.0]), torch.tensor([0.0]), torch.tensor([0.0]))[0, 0]
    assert torch.allclose(field, field[:1].expand(64, -1), atol=1e-5)
    assert int(torch.fft.rfft(field[0]).abs().argmax()) == 8
    rising = waves.grating(64, 64, torch.tensor([2.0]), torch.tensor([90.0]), torch.tensor([0.0]))[0, 0, :, 0]
    assert float(rising[-1]) > 0
    assert float(rising[0]) < 0


def test_rings_lie_a_period_apart() -> None:
    rings = waves.rings(101, 101, torch.tensor([[0.5, 0.5]]), torch.tensor([0.1]), torch.zeros(1), torch.zeros(1))[0, 0]
    assert float(rings[50, 50]) == pytest.approx(0.0, abs=1e-5)
    assert (rings[50, 60] - rings[50, 50]).item() == pytest.approx(10 / 101 / 0.1, abs=1e-4)
    assert float((rings - rings.T).abs().max()) < 1e-4
    bent = waves.rings(
        101, 101, torch.tensor([[0.5, 0.5]]), torch.tensor([0.1]), torch.full((1,), 3.0), torch.full((1,), 0.05)
    )
    assert float((bent[0, 0] - rings).max()) == pytest.approx(0.5, abs=0.01)
    assert float((bent[0, 0] - rings).min()) == pytest.approx(-0.5, abs=0.01)


@pytest.mark.parametrize("size", [(1, 600), (600, 1), (2, 4000)])
def test_a_strip_takes_no_more_draws_than_one_of_sixteen_squares(size: tuple[int, int]) -> None:
    assert fields.unit(*size) == max(size) / 16
    assert math.prod(fields.lattice_shape(*size, 0.02)) <= 51 * 801
    assert math.prod(fields.spline_shape(*size, 0.02)) <= 54 * 804
    turns = uniform(1, 1, *fields.lattice_shape(*size, 0.02))
    assert float(fields.perlin(turns, *size, 0.02).std()) > 0.1
    nodes = normal(1, 1, *fields.spline_shape(*size, 0.02))
    assert float(fields.spline(nodes, *size, 0.02).std()) > 0.5
    count = [fields.cells(n, fields.unit(*size), 0.02) for n in size]
    assert fields.blocks(uniform(1, 1, *count), *size, 0.02).shape[-2:] == size


def test_an_image_that_is_no_strip_has_its_short_side_for_unit() -> None:
    assert [fields.unit(*size) for size in ((1, 1), (32, 512), (224, 100))] == [1, 32, 100]
