import numpy as np
import pytest
from scipy.stats import binomtest

from hardgen.analysis.intervals import percentile, resampled_means, resampled_sums, simultaneous, wilson


@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (3, 7), (250, 500), (1, 1000), (999, 1000), (0, 1), (1, 1)])
def test_wilson_is_scipys(k: int, n: int) -> None:
    low, high = wilson(k, n)
    expected = binomtest(k, n).proportion_ci(method="wilson")
    assert float(low) == pytest.approx(expected.low, abs=1e-12)
    assert float(high) == pytest.approx(expected.high, abs=1e-12)


def test_wilson_of_no_trials_says_nothing() -> None:
    low, high = wilson([0, 1], [0, 2])
    assert (low[0], high[0]) == (0.0, 1.0)
    assert 0 < low[1] < 0.5 < high[1] < 1


def test_resamples_are_seeded_paired_and_whole() -> None:
    column = (np.random.default_rng(0).random((400, 1)) < 0.3).astype(np.float32)
    columns = np.concatenate([column, column, 1 - column], axis=1)
    sums = resampled_sums(columns, 300, seed=5)
    np.testing.assert_array_equal(sums, resampled_sums(columns, 300, seed=5))
    assert not np.array_equal(sums, resampled_sums(columns, 300, seed=6))
    np.testing.assert_array_equal(sums[:, 0], sums[:, 1])
    np.testing.assert_array_equal(sums[:, 0] + sums[:, 2], 400)


def test_resampling_in_blocks_draws_anew_in_each(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (np.random.default_rng(0).random((50, 2)) < 0.5).astype(np.float32)
    monkeypatch.setattr("hardgen.analysis.intervals._CELLS", 200)
    sums = resampled_sums(columns, 101, seed=1)
    assert sums.shape == (101, 2)
    assert len(np.unique(sums[:, 0])) > 10


def test_absent_answers_are_left_out_of_the_mean() -> None:
    columns = np.array([[1, np.nan], [1, 0], [1, 1], [1, np.nan]], np.float32)
    means = resampled_means(columns, 200)
    np.testing.assert_array_equal(means[:, 0], 1)
    assert np.nanmin(means[:, 1]) == 0
    assert np.nanmax(means[:, 1]) == 1


def test_bootstrap_of_a_paired_difference_covers_the_truth_about_as_often_as_it_says() -> None:
    rng, truth, hits = np.random.default_rng(11), 0.2, 0
    for trial in range(200):
        skill = rng.random(150)
        columns = np.stack([skill < 0.7, skill < 0.5], axis=1).astype(np.float32)
        means = resampled_means(columns, 400, seed=trial)
        low, high = percentile(means[:, 0] - means[:, 1])
        hits += bool(low <= truth <= high)
    assert 0.89 <= hits / 200 <= 0.99


def test_infinite_draws_open_the_interval_and_nan_draws_do_not_count() -> None:
    draws = np.concatenate([np.linspace(0, 1, 90), np.full(10, np.inf)])[:, None]
    low, high = percentile(draws)
    assert 0 <= low[0] < 0.05
    assert np.isinf(high[0])
    low, high = percentile(np.concatenate([draws[:90], np.full((10, 1), np.nan)]))
    assert high[0] <= 1


def test_the_simultaneous_band_is_wider_than_pointwise_intervals_and_covers_together() -> None:
    rng = np.random.default_rng(2)
    draws = rng.normal(size=(4000, 12))
    low, high = simultaneous(np.zeros(12), draws)
    point_low, point_high = percentile(draws)
    assert (low < point_low).all()
    assert (high > point_high).all()
    fresh = rng.normal(size=(4000, 12))
    assert ((fresh > low) & (fresh < high)).all(1).mean() == pytest.approx(0.95, abs=0.02)
