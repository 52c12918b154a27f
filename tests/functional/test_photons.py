"""Photon counts against SciPy's Poisson distribution, and the noise of thinned light."""

import numpy as np
import pytest
import scipy.stats
import torch

from hardgen.functional import photons
from hardgen.functional.photons import amplify, count, poisson, thin

NORMAL = torch.from_numpy(np.random.default_rng(3).standard_normal((1, 100_000), dtype=np.float32))


@pytest.mark.parametrize("mean", [0.003, 0.1, 1.0, 2.5, 7.0, 20.0, 63.9, 64.1, 100.0, 1000.0])
def test_counts_are_the_quantiles(mean: float) -> None:
    counts = poisson(torch.full_like(NORMAL, mean), NORMAL)[0].numpy()
    expected = scipy.stats.poisson.ppf(scipy.stats.norm.cdf(NORMAL[0].double().numpy()), mean)
    assert np.abs(counts - expected).max() <= 1
    assert (counts != expected).mean() < 1e-3
    assert counts.mean() == pytest.approx(mean, abs=5 * (mean / 1e5) ** 0.5)
    assert counts.var() == pytest.approx(mean, rel=5 * ((2 + 1 / mean) / 1e5) ** 0.5)
    for k in range(int(mean), int(mean) + 3):
        assert (counts <= k).mean() == pytest.approx(scipy.stats.poisson.cdf(k, mean), abs=0.008)


def test_paths_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = NORMAL[:, :6000].reshape(2, 3, 1000)
    mean = torch.linspace(0.0, 90.0, 6000).reshape(2, 3, 1000)
    here = poisson(mean, draws)
    monkeypatch.setattr(photons, "MOST_REMAPPED", 0)
    assert float((poisson(mean, draws) != here).float().mean()) < 1e-3
    assert float((poisson(mean, draws) - here).abs().max()) <= 1.0


def test_counts_rise_with_the_mean_draw_for_draw() -> None:
    draws = NORMAL[:, :2000]
    before = poisson(torch.zeros_like(draws), draws)
    assert not before.any()
    for mean in np.geomspace(0.01, 500.0, 60):
        counts = poisson(torch.full_like(draws, float(mean)), draws)
        assert bool((counts >= before).all())
        before = counts


@pytest.mark.parametrize("photons", [3.0, 100.0, 5000.0])
def test_thinned_light_is_unbiased_with_the_stated_variance(photons: float) -> None:
    light, full, read_noise = 0.4, 10_000.0, 2.0
    shot, read = NORMAL[:, :50_000], NORMAL[:, 50_000:]
    measured = thin(torch.full_like(shot, light), photons, full, shot, read, read_noise)
    variance = light * (1 / photons - 1 / full) + read_noise**2 * (1 / photons**2 - 1 / full**2)
    assert float(measured.mean()) == pytest.approx(light, abs=5 * (variance / 5e4) ** 0.5)
    assert float(measured.var()) == pytest.approx(variance, rel=0.05)


def test_thinning_vanishes_at_full_exposure() -> None:
    draws = NORMAL[:, :1000]
    light = torch.full_like(draws, 0.4)
    measured = thin(light, 9999.9, 10_000.0, draws, draws, 2.0)
    assert float((measured - light).abs().max()) < 2e-4


def test_black_stays_black_without_read_noise() -> None:
    draws = NORMAL[:, :1000]
    assert not thin(torch.zeros_like(draws), 5.0, 10_000.0, draws, draws, 0.0).any()


def test_counted_values_are_whole_photons() -> None:
    draws = NORMAL[:, :50_000]
    values = count(torch.full_like(draws, 0.3), 20.0, draws)
    assert float((values * 20 - (values * 20).round()).abs().max()) < 1e-4
    assert float(values.mean()) == pytest.approx(0.3, abs=0.005)
    assert float(values.var()) == pytest.approx(0.3 / 20, rel=0.05)


@pytest.mark.parametrize("photons_left", [3.0, 100.0, 9999.0])
def test_amplified_light_has_the_variance_of_thinned_light(photons_left: float) -> None:
    light, full, read_noise = torch.full((1, 50_000), 0.4), 10_000.0, 2.0
    noise = amplify(light, photons_left, full, NORMAL[:, :50_000], read_noise) - light
    variance = 0.4 * (1 / photons_left - 1 / full) + read_noise**2 * (1 / photons_left**2 - 1 / full**2)
    assert float(noise.var()) == pytest.approx(variance, rel=0.03)
