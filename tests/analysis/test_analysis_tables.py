from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

from hardgen.analysis.answers import Answers
from hardgen.analysis.confusion import collapse, confusion_shift
from hardgen.analysis.curves import curves
from hardgen.analysis.differences import between_models, from_clean, mcnemar
from hardgen.analysis.grid import grid
from hardgen.analysis.mce import ALEXNET, mce
from hardgen.analysis.mistakes import mistakes
from hardgen.analysis.monotone import monotone
from hardgen.analysis.points import points
from hardgen.analysis.summary import analyse, write_tables
from hardgen.sweeps.results import Run
from tests.report.simulated import BLUR, CONTRAST, OCCLUSION, Axis, Simulated

CURVES = ["model", "axis", "hardness", "value", "unit", "n", "accuracy", "low", "high"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run.open(Simulated(n=300, pictures=0).write(tmp_path_factory.mktemp("tables") / "run"))


@pytest.fixture(scope="module")
def grid_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    plan = Simulated(axes=(OCCLUSION, BLUR, CONTRAST), mode="grid", stops=(0.4, 0.8), n=100, models=("a",), pictures=0)
    return Run.open(plan.write(tmp_path_factory.mktemp("grid") / "run"))


def answers(rows: list[list[bool]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Samples and points of one model on one axis: a row an image, a column a hardness."""
    stops = [i / (len(rows[0]) - 1) for i in range(len(rows[0]))]
    samples = pl.DataFrame(
        [
            {"condition_id": f"c{j}", "model": "m", "sample_id": f"s{i}", "correct": right}
            for i, row in enumerate(rows)
            for j, right in enumerate(row)
        ]
    )
    table = {"condition_id": [f"c{j}" for j in range(len(stops))], "axis": "x.y", "hardness": stops, "value": stops}
    return samples, pl.DataFrame(table).with_columns(unit=pl.lit("px"))


def test_curves_have_exactly_the_agreed_columns_and_the_right_numbers(run: Run) -> None:
    table = curves(run.samples(), points(run.conditions, run.axes))
    assert table.columns == CURVES
    assert table.height == 3 * 3 * 11
    row = table.filter(
        (pl.col("model") == "resnet56") & (pl.col("axis") == "blur.sigma") & (pl.col("hardness") == 0.4)
    ).row(0, named=True)
    own = run.samples().filter((pl.col("model") == "resnet56") & (pl.col("condition_id") == "blur.sigma@0.4"))
    assert row["accuracy"] == own["correct"].mean()
    assert row["n"] == 300
    assert row["value"] == pytest.approx(0.04)
    expected = binomtest(own["correct"].sum(), 300).proportion_ci(method="wilson")
    assert (row["low"], row["high"]) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_clean_is_hardness_0_of_every_axis_at_the_neutral_value(run: Run) -> None:
    table = curves(run.samples(), points(run.conditions, run.axes)).filter(pl.col("hardness") == 0)
    assert table.height == 9
    for (_,), own in table.group_by(["model"]):
        assert own["accuracy"].n_unique() == 1
    assert dict(table.select("axis", "value").unique().iter_rows()) == {
        "occlusion.fraction": 0.0,
        "blur.sigma": 0.0,
        "contrast.factor": 1.0,
    }


def test_a_grids_curves_take_only_places_where_nothing_else_is_turned(grid_run: Run) -> None:
    table = points(grid_run.conditions, grid_run.axes)
    assert table.filter(pl.col("hardness") > 0)["condition_id"].to_list() == [
        f"{axis}@{h}" for axis in ("occlusion.fraction", "blur.sigma", "contrast.factor") for h in ("0.4", "0.8")
    ]


def test_a_grids_cells_pair_two_axes_with_the_third_at_neutral(grid_run: Run) -> None:
    table = grid(grid_run.samples(), grid_run.conditions)
    assert table.height == 3 * 9
    cell = table.filter(
        (pl.col("axis_a") == "occlusion.fraction") & (pl.col("axis_b") == "contrast.factor")
        & (pl.col("hardness_a") == 0.8) & (pl.col("hardness_b") == 0.4)
    ).row(0, named=True)  # fmt: skip
    own = grid_run.samples().filter(pl.col("condition_id") == "occlusion.fraction@0.8+contrast.factor@0.4")
    assert cell["accuracy"] == own["correct"].mean()
    assert cell["value_a"] == pytest.approx(0.72)


def test_grid_places_with_equal_pixels_are_told_apart() -> None:
    """Two knobs of one slot: with one at neutral every place of the other is the clean image."""
    turned = (("clean", 0.0, 0.5), ("clean", 0.0, 1.0), ("clean", 0.5, 0.0), ("x", 0.5, 0.5))
    rows = [("clean", "clean", 0.0)]
    rows += [(cid, axis, h) for cid, a, b in turned for axis, h in (("s.a", a), ("s.b", b))]
    conditions = pl.DataFrame(rows, schema=["condition_id", "axis", "hardness"], orient="row").with_columns(
        value=pl.col("hardness"), unit=pl.lit("u"), spec=pl.lit("[]"), mode=pl.lit("grid")
    )
    samples = pl.DataFrame({"condition_id": ["clean", "x"], "model": "m", "sample_id": "s", "correct": [True, False]})
    table = grid(samples, conditions)
    found = {(row["hardness_a"], row["hardness_b"]): row["accuracy"] for row in table.iter_rows(named=True)}
    assert found == {(0, 0): 1, (0, 0.5): 1, (0, 1): 1, (0.5, 0): 1, (0.5, 0.5): 0}


@pytest.mark.parametrize(("lost", "gained"), [(0, 0), (5, 1), (30, 12), (200, 260)])
def test_mcnemar_by_hand(lost: int, gained: int) -> None:
    z, p = mcnemar(lost, gained)
    total = lost + gained
    assert float(z) == pytest.approx((gained - lost) / np.sqrt(total) if total else 0)
    assert float(p) == pytest.approx(binomtest(lost, total).pvalue if total else 1)


def test_differences_are_paired() -> None:
    samples, places = answers([[True, False]] * 30 + [[True, True]] * 60 + [[False, True]] * 10)
    row = from_clean(Answers.of(samples, places, 500)).row(0, named=True)
    assert (row["lost"], row["gained"], row["n"]) == (30, 10, 100)
    assert row["difference"] == pytest.approx(-0.2)
    assert row["low"] < -0.2 < row["high"] < 0
    assert row["band_low"] < -0.2 < row["band_high"]


def test_images_asked_in_one_condition_only_do_not_count_in_a_difference() -> None:
    samples, places = answers([[True, False]] * 10 + [[True, True]] * 10)
    kept = samples.filter((pl.col("condition_id") == "c0") | (pl.col("sample_id").str.len_chars() < 3))
    row = from_clean(Answers.of(kept, places, 100)).row(0, named=True)
    assert (row["n"], row["difference"]) == (10, -1.0)
    assert row["low"] == row["high"] == -1.0


def test_models_are_compared_in_the_pairs_asked_for(run: Run) -> None:
    made = Answers.of(run.samples(), points(run.conditions, run.axes), 100)
    table = between_models(made, [("resnet20", "mobilenet_v2")])
    assert set(table.select("model_a", "model_b").iter_rows()) == {("resnet20", "mobilenet_v2")}
    far = table.filter((pl.col("axis") == "occlusion.fraction") & (pl.col("hardness") == 0.5)).row(0, named=True)
    assert far["low"] > 0.1
    assert far["z"] > 3
    assert far["gained"] > far["lost"]


def test_monotone_counts_images_that_come_back() -> None:
    rows = [[True, True, False, False]] * 6 + [[True, False, True, False]] * 3 + [[False, True, True, True]]
    row = monotone(Answers.of(*answers(rows), 10)).row(0, named=True)
    assert row["n"] == 10
    assert row["returned"] == pytest.approx(0.3)
    assert row["monotone"] == pytest.approx(0.6)
    assert row["low"] < 0.3 < row["high"]


def test_mistakes_put_first_what_was_right_when_clean_and_show_an_image_once(run: Run) -> None:
    table = mistakes(run.samples(), run.conditions, k=5)
    assert table.height == 3 * 3 * 5
    assert table.select("model", "axis", "sample_id").is_unique().all()
    assert table["right_on_clean"].all()
    assert (table["label"] != table["prediction"]).all()
    own = table.filter((pl.col("model") == "resnet20") & (pl.col("axis") == "blur.sigma"))
    assert own["confidence"].is_sorted(descending=True)
    clean = run.samples().filter((pl.col("condition_id") == "neutral") & (pl.col("model") == "resnet20"))
    right = clean.filter(pl.col("correct"))["sample_id"]
    every = run.samples().filter(
        (pl.col("model") == "resnet20") & ~pl.col("correct") & pl.col("sample_id").is_in(right.to_list())
        & pl.col("condition_id").str.starts_with("blur")
    )  # fmt: skip
    assert own["confidence"][0] == every["confidence"].max()


def test_no_mistakes_is_an_empty_table(run: Run) -> None:
    assert mistakes(run.samples().filter(pl.col("correct")), run.conditions).is_empty()


def test_confusion_shift_counts_by_label(run: Run) -> None:
    places = points(run.conditions, run.axes)
    row = confusion_shift(run.samples(), places, k=1, resamples=200).row(0, named=True)
    own = run.samples().filter(
        (pl.col("model") == row["model"])
        & (pl.col("label") == row["label"])
        & (pl.col("prediction") == row["prediction"])
    )
    assert row["count"] == own.filter(pl.col("condition_id") == f"{row['axis']}@1").height
    assert row["clean_count"] == own.filter(pl.col("condition_id") == "neutral").height
    assert row["difference"] == pytest.approx((row["count"] - row["clean_count"]) / 30)
    assert row["low"] <= row["difference"] <= row["high"]


def test_collapse_is_measured_in_bits() -> None:
    samples = pl.DataFrame(
        {"condition_id": ["a"] * 4 + ["b"] * 4, "model": "m", "prediction": [0, 1, 2, 3, 7, 7, 7, 7]}
    )
    places = pl.DataFrame({"condition_id": ["a", "b"], "axis": "x", "hardness": [0.0, 1.0], "value": [0.0, 1.0]})
    table = collapse(samples, places.with_columns(unit=pl.lit("")))
    assert table["entropy"].to_list() == [2.0, 0.0]
    assert table["top_class"].to_list() == [0, 7]
    assert table["top_share"].to_list() == [0.25, 1.0]


def test_mce_divides_by_the_reference_and_says_where_there_is_none() -> None:
    shape = pl.DataFrame(
        {
            "model": "m", "axis": ["n.p"] * 6 + ["f.p"] * 6, "hardness": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] * 2,
            "accuracy": [0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.8, 0.8, 0.8, 0.7, 0.7, 0.5],
        }
    )  # fmt: skip
    axes = [
        {"axis": f"{a}.p", "perturbation": f"imagenet_c_{p}", "published": p}
        for a, p in (("n", "shot_noise"), ("f", "fog"))
    ]
    table = mce(shape, axes, {"shot_noise": 0.9, "fog": 0.8}, 0.4)
    assert table["normalised"].all()
    ce, relative = table["corruption_error"], table["relative_error"]
    assert ce.to_list() == pytest.approx([0.5 / 0.9, 0.3 / 0.8, (0.5 / 0.9 + 0.3 / 0.8) / 2])
    assert relative.to_list()[:2] == pytest.approx([(0.5 - 0.2) / (0.9 - 0.4), (0.3 - 0.2) / (0.8 - 0.4)])
    without = mce(shape, axes, None)
    assert without["note"].to_list() == ["reference missing"] * 3
    assert without["error"].to_list() == pytest.approx([0.5, 0.3, 0.4])
    assert without["corruption_error"].is_null().all()
    assert mce(shape, [{"axis": "n.p", "perturbation": "shot_noise"}], ALEXNET).is_empty()


def test_the_mean_is_over_the_fifteen_only() -> None:
    shape = pl.DataFrame(
        {
            "model": "m", "axis": ["n.p"] * 6 + ["s.p"] * 6, "hardness": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] * 2,
            "accuracy": [0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.8, 0.8, 0.8, 0.7, 0.7, 0.5],
        }
    )  # fmt: skip
    axes = [{"axis": f"{a}.p", "published": p} for a, p in (("n", "shot_noise"), ("s", "saturate"))]
    table = mce(shape, axes, ALEXNET, 0.4)
    assert table["note"].to_list() == ["", "reference missing", ""]
    assert table["corruption_error"].to_list()[2] == pytest.approx(0.5 / ALEXNET["shot_noise"])


def test_equal_runs_give_equal_bytes(tmp_path: Path, run: Run) -> None:
    files = [write_tables(analyse(run, resamples=50), tmp_path / name) for name in ("a", "b")]
    assert [path.name for path in files[0]] == [path.name for path in files[1]]
    assert (tmp_path / "a" / "curves.parquet").is_file()
    for first, second in zip(*files, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_axes_that_move_together_each_have_the_joint_curve(tmp_path: Path) -> None:
    axes: tuple[Axis, ...] = (OCCLUSION, BLUR)
    run = Run.open(Simulated(axes=axes, mode="together", n=60, models=("a",), pictures=0).write(tmp_path / "run"))
    table = curves(run.samples(), points(run.conditions, run.axes))
    left, right = (table.filter(pl.col("axis") == axis.name) for axis in axes)
    assert left["accuracy"].to_list() == right["accuracy"].to_list()
    assert left["value"].to_list() != right["value"].to_list()
