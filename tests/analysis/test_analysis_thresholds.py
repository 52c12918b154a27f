import numpy as np
import polars as pl
import pytest
from sklearn.isotonic import IsotonicRegression

from hardgen.analysis.answers import Answers
from hardgen.analysis.areas import areas
from hardgen.analysis.points import points
from hardgen.analysis.thresholds import crossing, isotonic, thresholds, value_at
from hardgen.sweeps.results import Run
from tests.report.simulated import BLUR, CONTRAST, GRATING, OCCLUSION, Axis, Simulated


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_is_sklearns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    heights, weights = rng.random((20, 13)), rng.integers(1, 50, 13).astype(float)
    fitted = isotonic(heights, weights)
    for row, own in zip(heights, fitted, strict=True):
        expected = IsotonicRegression(increasing=False).fit_transform(np.arange(13), row, sample_weight=weights)
        np.testing.assert_allclose(own, expected, atol=1e-12)


def test_crossing_is_linear_between_points_and_infinite_beyond() -> None:
    found = crossing([0, 0.5, 1.0], np.array([[0.9, 0.7, 0.3], [0.9, 0.8, 0.6], [0.9, 0.5, 0.5]]), [0.5, 0.5, 0.5])
    np.testing.assert_allclose(found, [0.75, np.inf, 0.5])


@pytest.mark.parametrize("axis", [OCCLUSION, CONTRAST, GRATING], ids=lambda axis: axis.scale)
def test_values_between_points_follow_the_knobs_scale(axis: Axis) -> None:
    stops = np.array([0, 0.3, 0.7, 1.0])
    values = np.array([axis.value(h) for h in stops])
    for h in (0.0, 0.1, 0.3, 0.45, 0.99, 1.0):
        assert value_at(h, stops, values, axis.scale) == pytest.approx(axis.value(h))
    assert np.isnan(value_at(1.01, stops, values, axis.scale))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Simulated, Run]:
    plan = Simulated(axes=(OCCLUSION, BLUR, CONTRAST, GRATING), n=1500, pictures=0, models=("a", "b"))
    return plan, Run.open(plan.write(tmp_path_factory.mktemp("planted") / "run"))


def test_thresholds_find_the_planted_ones(planted: tuple[Simulated, Run]) -> None:
    plan, run = planted
    table = thresholds(Answers.of(run.samples(), points(run.conditions, run.axes), 500), {"a": 0.1, "b": 0.1}, run.axes)
    assert table.height == 8
    fine = np.linspace(0, 1, 2001)
    for row in table.iter_rows(named=True):
        axis = next(a for a in plan.axes if a.name == row["axis"])
        model = plan.models.index(row["model"])
        true = np.array([plan.accuracy(model, axis, h) for h in fine])
        truth = fine[np.argmax(true <= (true[0] + plan.chance) / 2)]
        assert row["reached"]
        assert row["hardness"] == pytest.approx(truth, abs=0.03)
        assert row["low"] < row["hardness"] < row["high"]
        assert row["value"] == pytest.approx(axis.value(row["hardness"]), rel=0.02)
        assert row["unit"] == axis.unit


def test_a_threshold_that_is_not_reached_is_null_and_says_how_far_it_holds(tmp_path: object) -> None:
    plan = Simulated(axes=(OCCLUSION,), stops=(0.1, 0.2, 0.3), models=("a",), pictures=0)
    run = Run.open(plan.write(tmp_path / "run"))  # type: ignore[operator]
    row = thresholds(Answers.of(run.samples(), points(run.conditions), 200), {"a": 0.1}).row(0, named=True)
    assert row["reached"] is False
    assert row["hardness"] is row["value"] is row["high"] is None
    assert row["low"] == row["covered"] == 0.3
    assert row["share_reached"] == 0


def test_a_model_at_chance_has_no_threshold(planted: tuple[Simulated, Run]) -> None:
    _, run = planted
    table = thresholds(Answers.of(run.samples(), points(run.conditions), 50), {"a": 0.99, "b": 0.1})
    assert table.filter(pl.col("model") == "a")["reached"].is_null().all()
    assert table.filter(pl.col("model") == "b")["reached"].all()


def test_areas_are_means_over_the_range_covered(planted: tuple[Simulated, Run]) -> None:
    _, run = planted
    answers = Answers.of(run.samples(), points(run.conditions), 300)
    for row in areas(answers).iter_rows(named=True):
        curve = answers.curve(row["model"], row["axis"])
        assert curve is not None
        assert row["area"] == pytest.approx(np.trapezoid(answers.accuracy[curve.columns], curve.hardness))
        assert row["low"] < row["area"] < row["high"]
        assert row["covered"] == 1.0
