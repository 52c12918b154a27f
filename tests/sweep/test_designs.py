"""Designs that ask less: which questions they ask, and that the answers are those of the full sweep."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from torch import Tensor, nn

import hardgen
from hardgen.data.digits import Digits
from hardgen.errors import HardgenError
from hardgen.models.digits_cnn import DigitsCnn
from hardgen.sweeps.critical import Search
from hardgen.sweeps.design import Design, visited
from hardgen.sweeps.margins import margins
from hardgen.sweeps.merging import load_runs, merge

STOPS = {"start": 0, "stop": 1, "num": 17}
SLOTS = ["gaussian_blur", "gaussian_noise"]


class Mean(nn.Module):
    """Knows dark from bright."""

    def forward(self, images: Tensor) -> Tensor:
        bright = images.mean((1, 2, 3))[:, None]
        return torch.cat([bright * k for k in range(10)], 1)


def run(out: Path, design: str, **settings: Any) -> hardgen.Run:
    models: dict[str, Any] = {"digits_cnn": DigitsCnn().build(), "mean": Mean()}
    data = Digits(limit=40).build()
    given: dict[str, Any] = {"hardness": STOPS, "report": False, "design": design} | settings
    return hardgen.sweep(models, data, SLOTS, out=out, **given)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> hardgen.Run:
    return run(tmp_path_factory.mktemp("full") / "run", "full")


@given(st.integers(1, 200), st.floats(2, 300), st.integers(0, 65535))
def test_an_image_is_asked_once_in_every_stratum(levels: int, questions: float, begin: int) -> None:
    places = visited(levels, questions, begin / 65536)
    step = max(levels / questions, 1.0)
    assert abs(len(places) - levels / step) <= 1
    assert ((places >= 0) & (places < levels)).all()
    assert (np.diff(places) >= np.floor(step)).all()
    assert (np.diff(places) <= np.ceil(step)).all()


def test_every_level_is_asked_about_as_often_as_every_other_and_each_axis_by_itself() -> None:
    ids, design = [f"image {i}" for i in range(4000)], Design.parse("levels")
    asked = design.asked(ids, "blur.sigma", 32, 0)
    assert asked.sum() / len(ids) == pytest.approx(5.25, abs=0.02)
    np.testing.assert_allclose(asked.mean(0), 5.25 / 32, atol=0.025)
    for other in (design.asked(ids, "contrast.factor", 32, 0), design.asked(ids, "blur.sigma", 32, 1)):
        assert (asked & other).sum() / asked.sum() == pytest.approx(5.25 / 32, abs=0.02)
    assert (design.asked(ids[7:9], "blur.sigma", 32, 0) == asked[7:9]).all(), "an image's levels are its own"


@pytest.mark.parametrize("design", ["levels", "critical"])
def test_the_answers_are_those_of_the_full_sweep(tmp_path: Path, full: hardgen.Run, design: str) -> None:
    few = run(tmp_path, design)
    keys = ["condition_id", "model", "sample_id"]
    expected = full.samples().join(few.samples().select(keys), on=keys, how="semi", maintain_order="left")
    assert_frame_equal(few.samples(), expected, check_exact=True)
    assert few.samples().height == few.manifest["done"] < 0.6 * full.samples().height
    assert few.manifest["done"] <= few.manifest["planned"]
    clean = full.conditions["condition_id"][0]
    assert few.samples().filter(condition_id=clean).height == full.samples().filter(condition_id=clean).height
    if design == "levels":
        doses = full.doses().join(few.samples().select(keys[0], keys[2]).unique(), on=[keys[0], keys[2]], how="semi")
        assert_frame_equal(few.doses(), doses, check_exact=True, check_row_order=False)


@pytest.mark.parametrize("design", ["levels", "critical"])
def test_the_files_do_not_depend_on_batches_shards_or_company(tmp_path: Path, design: str) -> None:
    whole = run(tmp_path / "whole", design)
    for i in (1, 2, 3):
        run(tmp_path / f"shard{i}", design, shard=f"{i}/3", batch_size=5)
    merged = merge([tmp_path / f"shard{i}" for i in (1, 2, 3)], tmp_path / "merged")
    assert_frame_equal(load_runs([merged]).samples(), whole.samples(), check_exact=True)
    alone = hardgen.sweep(
        {"mean": Mean()},
        Digits(limit=40).build(),
        SLOTS,
        hardness=STOPS,
        report=False,
        design=design,
        out=tmp_path / "a",
    )
    assert_frame_equal(alone.samples(), whole.samples().filter(model="mean"), check_exact=True)


@pytest.mark.parametrize("design", ["levels", "critical"])
def test_a_run_goes_on_where_a_file_is_missing_and_asks_nothing_when_whole(tmp_path: Path, design: str) -> None:
    first = run(tmp_path, design)
    names = [tmp_path / "samples" / name for name in first.manifest["parts"]]
    content = {name: name.read_bytes() for name in names}
    for name in names[1:4]:
        name.unlink()
    assert_frame_equal(run(tmp_path, design).samples(), first.samples(), check_exact=True)
    assert {name: name.read_bytes() for name in names} == content


class Failing(Mean):
    """Fails on what is not clean."""

    def forward(self, images: Tensor) -> Tensor:
        if not hasattr(self, "seen"):
            self.seen = 0
        self.seen += 1
        if self.seen > 2:
            raise ValueError("a fault of its own")
        return super().forward(images)


def test_a_model_that_fails_in_a_search_leaves_the_others_searching(tmp_path: Path, full: hardgen.Run) -> None:
    models: dict[str, Any] = {"mean": Mean(), "failing": Failing()}
    with pytest.raises(HardgenError, match="a fault of its own"):
        hardgen.sweep(
            models, Digits(limit=40).build(), SLOTS, hardness=STOPS, report=False, design="critical", out=tmp_path
        )
    found = hardgen.Run.open(tmp_path, allow_incomplete=True).samples()
    alone = run(tmp_path / "alone", "critical").samples()
    assert_frame_equal(found.filter(model="mean"), alone.filter(model="mean"), check_exact=True)


def test_designs_are_kept_apart_on_disk_and_in_merges(tmp_path: Path, full: hardgen.Run) -> None:
    files = {design: set(run(tmp_path / "one", design).manifest["parts"]) for design in ("full", "levels", "critical")}
    shared = files["full"] & files["levels"] & files["critical"]
    assert len(shared) == 2, "the clean answers, of two models, are asked once"
    for a, b in (("full", "levels"), ("levels", "critical"), ("full", "critical")):
        assert files[a] & files[b] == shared
    run(tmp_path / "other", "full")
    with pytest.raises(HardgenError, match=r"one was run with design=critical, .*other was not"):
        load_runs([tmp_path / "one", tmp_path / "other"])


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HardgenError, match="questions must be at least 2; got 1"):
        run(tmp_path, "levels", questions=1)
    with pytest.raises(HardgenError, match="did you mean 'levels'"):
        run(tmp_path, "levls")
    with pytest.raises(HardgenError, match="mode=grid needs design=full"):
        run(tmp_path, "levels", mode="grid")


def test_axes_that_move_together_are_asked_together(tmp_path: Path) -> None:
    few = run(tmp_path, "levels", mode="together")
    asked = Counter(few.samples().filter(model="mean")["sample_id"])
    assert {4 <= count <= 8 for count in asked.values()} == {True}, "once clean, and about 5.25 of 16 levels"


LINE = [i / 32 for i in range(33)]


def searched(right: list[bool], size: float = 3.0, questions: int = 10) -> tuple[list[int], list[bool]]:
    """What a search asks where the margin is of one size."""
    search, asked = Search(LINE, size if right[0] else -size, questions), [0]
    while (level := search.next()) is not None:
        assert level not in asked, "nothing is asked twice"
        search.tell(level, size if right[level] else -size)
        asked.append(level)
    return sorted(asked), [right[i] for i in sorted(asked)]


@given(st.integers(0, 33), st.floats(0.01, 16), st.integers(8, 40))
def test_a_search_finds_the_first_failure_of_a_monotone_image(fails: int, size: float, questions: int) -> None:
    asked, right = searched([i < fails for i in range(33)], size, questions)
    assert len(asked) <= min(questions, 33)
    assert next((level for level, ok in zip(asked, right, strict=True) if not ok), 33) == fails


@given(st.lists(st.booleans(), min_size=33, max_size=33))
def test_a_search_that_may_ask_everything_knows_everything_before_the_first_failure(right: list[bool]) -> None:
    asked, found = searched(right, size=0.01, questions=33)
    first = right.index(False) if False in right else 33
    assert (asked[found.index(False)] if False in found else 33) == first


def test_a_search_looks_where_the_margin_is_small() -> None:
    margin = [0.4 * abs(level - 22) - 0.2 for level in range(33)]
    search = Search(LINE, margin[0], 10)
    asked = []
    while (level := search.next()) is not None:
        search.tell(level, margin[level])
        asked.append(level)
    assert 22 in asked


def test_margins_are_log_odds_where_right_and_the_way_to_go_where_wrong() -> None:
    p = np.array([0.9, 0.2, 1.0, 0.0])
    rows = pl.DataFrame(
        {
            "correct": [True, False, True, False],
            "loss": -np.log(np.maximum(p, 1e-40)),
            "confidence": [0.9, 0.7, 1.0, 1.0],
        }
    )
    expected = [np.log(9), np.log(0.2 / 0.7), 16, -16]
    np.testing.assert_allclose(margins(rows), expected, rtol=1e-5)
