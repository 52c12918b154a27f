"""Curves from a few answers an image."""

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from hardgen.analysis.curves import band
from hardgen.analysis.intervals import percentile, resampled_sums
from hardgen.analysis.levels import Reading
from hardgen.sweeps.design import Design

LEVELS = 32
DESIGN = Design.parse("levels")


def answers(images: int, rng: np.random.Generator, middle: float = 0.5, width: float = 0.2) -> NDArray[np.float32]:
    """Images that go wrong at a hardness of their own, asked at every level."""
    critical = rng.normal(middle, width, images)
    return (np.linspace(0, 1, LEVELS + 1) < critical[:, None]).astype(np.float32)


def asked(right: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """What the level design asks of it."""
    mask = DESIGN.asked([str(i) for i in range(len(right))], "axis", LEVELS, seed)
    return np.where(np.pad(mask, [(0, 0), (1, 0)], constant_values=True), right, np.float32(np.nan))


def curve(right: NDArray[np.float32]) -> NDArray[np.float64]:
    reading = Reading.of(right)
    return reading.curves(reading.columns.sum(0, dtype=np.float64)[None])[0]


def test_a_full_grid_gives_the_plain_means() -> None:
    rng = np.random.default_rng(0)
    right = (rng.random((50, 9)) < 0.6).astype(np.float32)
    np.testing.assert_allclose(curve(right), right.mean(0), atol=1e-12)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_images_that_are_all_right_or_all_wrong_are_so_at_every_level(value: float) -> None:
    right = np.full((20, LEVELS + 1), value, np.float32)
    np.testing.assert_allclose(curve(asked(right, 0)), right[0], atol=1e-9)


def test_images_that_were_not_asked_do_not_count() -> None:
    right = asked(answers(100, np.random.default_rng(1)), 0)
    more = np.concatenate([right, np.full((30, LEVELS + 1), np.nan, np.float32)])
    np.testing.assert_allclose(curve(more), curve(right), atol=1e-12)


@pytest.mark.parametrize(("middle", "width"), [(0.5, 0.2), (0.3, 0.08), (1.0, 0.3)])
def test_the_curve_is_near_that_of_all_answers_and_its_area_is_unbiased(middle: float, width: float) -> None:
    right = answers(500, np.random.default_rng(2), middle, width)
    errors = np.array([curve(asked(right, seed)) - right.mean(0) for seed in range(40)])
    areas = np.trapezoid(errors, axis=1) / LEVELS
    assert np.sqrt((errors**2).mean()) < 0.02
    assert np.sqrt((areas**2).mean()) < 0.004
    assert abs(areas.mean()) < 0.0015


def test_resampled_images_are_read_as_if_they_were_the_images() -> None:
    right = asked(answers(60, np.random.default_rng(3)), 0)
    reading = Reading.of(right)
    rng = np.random.default_rng(7)
    rows = rng.integers(60, size=(1, 60))[0]
    draws = reading.curves(resampled_sums(reading.columns, 1, 7))
    np.testing.assert_allclose(draws[0], curve(right[rows]), atol=1e-9)


@pytest.mark.parametrize("images", [20, 300])
def test_intervals_hold_the_truth_about_as_often_as_they_say(images: int) -> None:
    rng = np.random.default_rng(images)
    truth, levels, areas = answers(100_000, rng).mean(0), [], []
    for simulation in range(150):
        right = asked(answers(images, rng), simulation)
        reading = Reading.of(right)
        draws = reading.curves(resampled_sums(reading.columns, 200, simulation))
        low, high = band(curve(right), draws, (~np.isnan(right)).sum(0), images)
        levels.append((low <= truth) & (truth <= high))
        low, high = percentile(np.trapezoid(draws, axis=1)[:, None], images=images)
        areas.append(low[0] <= np.trapezoid(truth) <= high[0])
    assert 0.915 <= np.mean(levels) <= 0.985
    assert 0.9 <= np.mean(areas) <= 0.99


def test_few_images_widen_a_percentile_interval_by_students_t() -> None:
    draws = np.random.default_rng(0).normal(size=(200_000, 1))
    low, high = percentile(draws, images=8)
    expected = np.sqrt(8 / 7) * 2.364624
    np.testing.assert_allclose([-low[0], high[0]], expected, rtol=0.02)
    assert pl.Series(percentile(draws, images=1)[1]).is_finite().all()
