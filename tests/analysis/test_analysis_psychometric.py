import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from scipy.stats import false_discovery_control, weibull_min

from hardgen.analysis.answers import Answers
from hardgen.analysis.bands import band
from hardgen.analysis.bestfit import PEOPLE, best_fit
from hardgen.analysis.calibration import ece
from hardgen.analysis.multiple import benjamini_hochberg, holm
from hardgen.analysis.profile import profile_interval
from hardgen.analysis.psychometric import fitted, psychometric, whole_curves
from hardgen.analysis.sigmoids import THRESHOLD, WIDTH, Shape, Sigmoid

DOSES = np.linspace(0, 1, 11)


def theta(m: float, w: float, lapse: float, floor: float) -> np.ndarray:
    return np.array([[m, np.log(w), lapse, floor]])


def test_the_logistic_is_scipys() -> None:
    own = Sigmoid("logistic").accuracy(theta(0.4, 0.5, 0.1, 0.2), DOSES)[0]
    np.testing.assert_allclose(own, 0.2 + 0.7 * expit(-(DOSES - 0.4) * 2 * np.log(19) / 0.5))


def test_the_weibull_is_scipys() -> None:
    sigmoid, own = Sigmoid("weibull"), theta(np.log(0.4), 1.5, 0.1, 0.2)
    k = (np.log(-np.log(0.05)) - np.log(-np.log(0.95))) / 1.5
    expected = 0.2 + 0.7 * weibull_min.sf(DOSES, k, scale=0.4 / np.log(2) ** (1 / k))
    np.testing.assert_allclose(sigmoid.accuracy(own, sigmoid.place(DOSES))[0], expected, atol=1e-9)


@pytest.mark.parametrize("shape", ["logistic", "weibull"])
def test_derivatives_are_those_of_small_steps(shape: Shape) -> None:
    sigmoid, own = Sigmoid(shape), theta(-0.7, 1.2, 0.1, 0.2)
    x = sigmoid.place(DOSES)
    _, gradient = sigmoid.with_gradient(own, x)
    for i in range(4):
        step = np.eye(4)[i] * 1e-6
        numeric = (sigmoid.accuracy(own + step, x) - sigmoid.accuracy(own - step, x))[0] / 2e-6
        np.testing.assert_allclose(gradient[0, :, i], numeric, atol=1e-7)


@pytest.mark.parametrize("shape", ["logistic", "weibull"])
def test_counts_without_noise_give_their_parameters_back(shape: Shape) -> None:
    sigmoid = Sigmoid(shape)
    true = theta(0.4, 0.5, 0.05, 0.1) if shape == "logistic" else theta(np.log(0.4), 1.5, 0.05, 0.1)
    n = np.full(11, 1e6)
    found = best_fit(DOSES, sigmoid.accuracy(true, sigmoid.place(DOSES))[0] * n, n, 0.1, free_floor=False)
    assert found is not None
    assert found.problem.sigmoid.shape == shape
    np.testing.assert_allclose(found.theta, true[0], atol=2e-3)
    assert found.misfit < 1e-3


@pytest.mark.parametrize("right", [[20] * 4, [20, 20, 0, 0], [20, 0, 0, 0], [20, 20, 20, 0], [3, 2, 1, 2]])
def test_extreme_counts_of_20_images_do_not_crash(right: list[int]) -> None:
    found = best_fit(np.linspace(0, 1, 4), right, [20] * 4, 0.1)
    assert found is not None
    assert np.isfinite(found.theta).all()
    for parameter in (THRESHOLD, WIDTH):
        low, high = profile_interval(found, parameter)
        assert low <= found.theta[parameter] <= high


def test_a_curve_at_chance_has_no_fit() -> None:
    assert best_fit(DOSES, np.full(11, 5), np.full(11, 100), 0.1) is None


def simulated(n: int, seed: int) -> Answers:
    """Images share a skill over doses; each is right where it exceeds the dose's difficulty."""
    rng = np.random.default_rng(seed)
    skill = np.where(rng.random((n, 11)) < 0.2, rng.random((n, 11)), rng.random((n, 1)))
    right = skill < Sigmoid("logistic").accuracy(theta(0.5, 0.5, 0.1, 0.1), DOSES)
    ids = [f"{i:04d}" for i in range(n)]
    samples = pl.concat(
        pl.DataFrame({"condition_id": f"c{j}", "model": "m", "sample_id": ids, "correct": right[:, j]})
        for j in range(11)
    )
    places = pl.DataFrame(
        {"condition_id": [f"c{j}" for j in range(11)], "axis": "x.y", "hardness": DOSES, "value": DOSES * 3, "unit": ""}
    )
    return Answers.of(samples, places, 200, seed)


def test_intervals_cover_the_truth() -> None:
    """A quick one: 60 runs of 200 images, within what 95% may give by chance."""
    tables = [psychometric(fitted(simulated(200, seed), {"m": 0.1})) for seed in range(60)]
    table = pl.concat(tables)
    covered = ((table["threshold_low"] <= 0.5) & (table["threshold_high"] >= 0.5)).sum()
    assert 51 <= covered <= 60
    assert table["threshold_value"].to_numpy() == pytest.approx(3 * table["threshold"].to_numpy())
    assert table["poor"].sum() <= 3


def test_bands_hold_every_point_and_the_fit() -> None:
    table = whole_curves(fitted(simulated(200, 0), {"m": 0.1}))
    assert table.height == 11
    assert (table["band_low"] <= table["accuracy"]).all()
    assert (table["band_high"] >= table["accuracy"]).all()
    assert (table["fitted_low"] <= table["fitted"]).all()


def test_a_band_is_open_where_everybody_is_right() -> None:
    low, high = band([1.0, 1.0], [20, 20], np.ones((100, 2)))
    assert (low < 0.85).all()
    assert (high == 1).all()


def test_adjusted_p_values_by_hand_and_scipy() -> None:
    p = np.array([0.01, np.nan, 0.04, 0.03, 0.005])
    np.testing.assert_allclose(holm(p), [0.03, np.nan, 0.06, 0.06, 0.02])
    known = ~np.isnan(p)
    np.testing.assert_allclose(benjamini_hochberg(p)[known], false_discovery_control(p[known]))


def test_calibration_error_by_hand() -> None:
    confidence = np.repeat([0.6, 0.9], 50)
    right = np.concatenate([np.arange(50) < 20, np.arange(50) < 45]).astype(float)
    assert ece(confidence, right, 2) == (pytest.approx(0.1), 2)
    assert ece(confidence[::-1], right[::-1], 2)[0] == pytest.approx(0.1)


# By psignifit 4.3, MAP: doses negated and its rising sigmoids (its falling ones swap lapse and guess rate), gamma 1/16,
# eta 0, all else as it comes; contrast as -log of its fraction, high-pass as 1 / sigma.
PSIGNIFIT = {
    "contrast": (2.6876, 2.6266),
    "low-pass": (7.7045, 20.858),
    "high-pass": (1.2156, 1.8819),
    "uniform-noise": (0.3106, 0.7603),
    "phase-scrambling": (109.552, 110.0966),
    "rotation": (366.5284, 139.5187),
}


@pytest.mark.parametrize("experiment", PSIGNIFIT)
def test_peoples_thresholds_and_widths_are_psignifits(experiment: str, test_data: Path) -> None:
    table: dict[float, np.ndarray] = defaultdict(lambda: np.zeros(2))
    with (test_data / "human" / "human_accuracy.csv").open() as stream:
        for row in csv.DictReader(stream):
            if row["experiment"] == experiment:
                table[dose(experiment, row["condition"])] += [int(row["correct"]), int(row["trials"])]
    x = np.array(sorted(table))
    right, n = np.array([table[v] for v in x]).T
    found = best_fit(x, right, n, 1 / 16, PEOPLE, ("logistic",), free_floor=False)
    assert found is not None
    own = (found.theta[THRESHOLD], np.exp(found.theta[WIDTH]))
    assert own == pytest.approx(PSIGNIFIT[experiment], rel=0.002)


def dose(experiment: str, condition: str) -> float:
    if experiment == "contrast":
        return -float(np.log(float(condition[1:]) / 100))
    return 1 / float(condition) if experiment == "high-pass" else float(condition)
