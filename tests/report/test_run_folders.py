import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hardgen.analysis.curves import curves
from hardgen.analysis.points import points
from hardgen.errors import HardgenError
from hardgen.sweeps.merging import load_runs, merge
from hardgen.sweeps.results import Run
from tests.report.simulated import BLUR, CONTRAST, OCCLUSION, Simulated

SMALL = Simulated(axes=(OCCLUSION, BLUR), n=60, stops=(0.3, 0.6, 1.0), models=("a", "b"), pictures=16)


def edit(folder: Path, **changes: Any) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return SMALL.write(tmp_path / "small")


def test_a_run_reads_back_in_order(small: Path) -> None:
    run = Run.open(small)
    table = run.samples()
    assert run.models == ["a", "b"]
    assert table.height == 7 * 2 * 60
    order = run.conditions["condition_id"].to_list()
    keys = [(order.index(c), m, s) for c, m, s in table.select("condition_id", "model", "sample_id").iter_rows()]
    assert keys == sorted(keys)
    pictures = run.images()
    assert pictures is not None
    assert all(Path(row["file"]).is_file() for row in pictures["mistakes"])


def test_a_run_shows_itself_in_a_line(small: Path) -> None:
    assert repr(Run.open(small)) == "<Run small: 2 models, 7 conditions, 60 images, complete>"


def test_stale_files_are_left_alone(small: Path) -> None:
    before = Run.open(small).samples()
    part = next((small / "samples").iterdir())
    pl.read_parquet(part).with_columns(prediction=pl.lit(99)).write_parquet(small / "samples" / "00009-old.parquet")
    assert Run.open(small).samples().equals(before)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda f: (f / "manifest.json").unlink(), "is not a run: it holds no manifest.json"),
        (lambda f: (f / "manifest.json").write_text("{"), "manifest.json is damaged"),
        (lambda f: (f / "manifest.json").write_text('{"seed": 1}'), "it lacks (or has malformed) mode, data, models"),
        (lambda f: edit(f, status="incomplete", done=3, planned=9), "is incomplete (2 of 2 files of answers"),
        (lambda f: (f / "conditions.parquet").unlink(), "conditions.parquet is missing"),
        (lambda f: (f / "conditions.parquet").write_bytes(b"PAR1 no PAR1"), "conditions.parquet is damaged"),
        (lambda f: (f / "samples" / "00000-1-simulated.parquet").unlink(), "samples/00000-1-simulated.parquet of 2"),
        (lambda f: (f / "samples" / "00000-1-simulated.parquet").write_bytes(b"x"), "1-simulated.parquet is damaged"),
        (lambda f: (f / "images" / "index.json").write_text("[]"), "index.json is damaged"),
    ],
)  # fmt: skip
def test_a_harmed_run_is_named_in_one_line(small: Path, harm: Any, said: str) -> None:
    harm(small)
    with pytest.raises(HardgenError) as caught:
        Run.open(small)
    assert said in str(caught.value)
    assert str(small) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_folder_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(HardgenError, match="nowhere is not a folder"):
        Run.open(tmp_path / "nowhere")


def test_an_unfinished_run_can_be_taken_as_it_is(small: Path) -> None:
    edit(small, status="incomplete")
    (small / "samples" / "00000-1-simulated.parquet").unlink()
    run = Run.open(small, allow_incomplete=True)
    assert not run.complete
    assert run.samples()["model"].unique().to_list() == ["a"]


def test_pictures_come_from_the_runs_own_folder_only(small: Path) -> None:
    index = small / "images" / "index.json"
    index.write_text(json.dumps({"strips": [], "mistakes": [{"file": "../../secret.png", "clean_file": None}]}))
    pictures = Run.open(small).images()
    assert pictures is not None
    assert pictures["mistakes"] == [{"file": str(small / "images" / "secret.png"), "clean_file": None}]


def test_models_of_two_runs_come_together_and_the_baseline_counts_once(tmp_path: Path) -> None:
    first = SMALL.write(tmp_path / "first")
    second = replace(SMALL, axes=(CONTRAST,), models=("b", "c")).write(tmp_path / "second")
    run = load_runs([first, second])
    assert run.models == ["a", "b", "c"]
    assert [axis["axis"] for axis in run.axes] == ["occlusion.fraction", "blur.sigma", "contrast.factor"]
    clean = run.samples().filter(pl.col("condition_id") == "neutral")
    assert clean.group_by("model").len().sort("model")["len"].to_list() == [60, 60, 60]
    table = curves(run.samples(), points(run.conditions, run.axes))
    assert table.filter(pl.col("model") == "b")["axis"].n_unique() == 3
    assert table.filter(pl.col("model") == "c")["axis"].unique().to_list() == ["contrast.factor"]


@pytest.mark.parametrize("change", [{"seed": 1}, {"data_seed": 1}, {"axes": (replace(BLUR, slot="blur"),), "n": 61}])
def test_what_does_not_belong_together_is_not_mixed(tmp_path: Path, change: dict[str, Any]) -> None:
    runs = [SMALL.write(tmp_path / "one"), replace(SMALL, models=("b",), **change).write(tmp_path / "two")]
    assert load_runs(runs).models == ["a", "b [one]", "b [two]"]


def test_equal_names_with_other_weights_are_kept_apart(tmp_path: Path) -> None:
    runs = [SMALL.write(tmp_path / "x" / "0"), SMALL.write(tmp_path / "y" / "0")]
    manifest = json.loads((runs[1] / "manifest.json").read_text())
    manifest["models"][0]["fingerprint"] = "other"
    edit(runs[1], models=manifest["models"])
    run = load_runs(runs)
    assert run.models == ["a [x/0]", "b", "a [y/0]"]
    assert run.samples().filter(pl.col("model") == "b").height == 7 * 60


def test_axes_that_mean_another_thing_keep_their_models_apart(tmp_path: Path) -> None:
    runs = [SMALL.write(tmp_path / "alone"), replace(SMALL, mode="together").write(tmp_path / "joint")]
    assert load_runs(runs).models == ["a [alone]", "b [alone]", "a [joint]", "b [joint]"]


def test_a_grid_joins_the_curves_of_its_axes(tmp_path: Path) -> None:
    runs = [SMALL.write(tmp_path / "alone"), replace(SMALL, mode="grid", stops=(0.3, 0.5)).write(tmp_path / "grid")]
    run = load_runs(runs)
    table = curves(run.samples(), points(run.conditions, run.axes))
    own = table.filter((pl.col("model") == "a") & (pl.col("axis") == "blur.sigma"))
    assert own["hardness"].to_list() == [0, 0.3, 0.5, 0.6, 1.0]
    assert own["n"].to_list() == [60] * 5


def test_a_merged_folder_reads_like_the_runs_it_came_from(tmp_path: Path) -> None:
    runs = [SMALL.write(tmp_path / "0"), replace(SMALL, axes=(CONTRAST,), models=("c",)).write(tmp_path / "1")]
    together = load_runs(runs)
    read = Run.open(merge(runs, tmp_path / "out"))
    assert read.samples().equals(together.samples())
    assert read.conditions.equals(together.conditions)
    assert [part["name"] for part in read.manifest["merged_from"]] == ["0", "1"]
    pictures, before = read.images(), together.images()
    assert pictures is not None
    assert before is not None
    assert len(pictures["mistakes"]) == len(before["mistakes"])
    for row, old in zip(pictures["mistakes"], before["mistakes"], strict=True):
        assert Path(row["file"]).read_bytes() == Path(old["file"]).read_bytes()
    again = merge(runs, tmp_path / "again")
    for name in ("samples/merged.parquet", "conditions.parquet", "manifest.json"):
        assert (again / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_merging_says_what_it_cannot_do(tmp_path: Path) -> None:
    run = SMALL.write(tmp_path / "run")
    with pytest.raises(HardgenError, match="at least one run folder"):
        load_runs([])
    with pytest.raises(HardgenError, match="given twice"):
        load_runs([run, run / "." / ".." / "run"])
    with pytest.raises(HardgenError, match="is one of the runs"):
        merge([run], run)


@pytest.mark.parametrize("module", ["analysis.summary", "report.page", "provenance", "sweeps.merging"])
def test_tables_and_pages_need_no_torch(module: str) -> None:
    code = f"import sys, hardgen.{module}; sys.exit(int('torch' in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
