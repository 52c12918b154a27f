"""A sweep gives the same tables however it is run, and never takes an old or half-written answer for a new one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from polars.testing import assert_frame_equal

import hardgen
from hardgen.data.digits import Digits
from hardgen.engine import run_sweep
from hardgen.models.digits_cnn import DigitsCnn
from hardgen.pipeline import Pipeline, build
from hardgen.sweeps.axes import read_axes
from hardgen.sweeps.plan import plan
from hardgen.sweeps.settings import Settings

FEW = {"hardness": [0.5, 1.0]}
SLOTS = {"occlusion": "rectangle", "blur": "gaussian_blur", "noise": "gaussian_noise", "distractors": "clutter"}


def sweep(out: Path, limit: int | None = 40, **options: Any) -> hardgen.Run:
    settings = {"pipeline": SLOTS, "report": False, **FEW, **options}
    return hardgen.sweep(DigitsCnn().build(), Digits(limit=limit).build(), out=out, **settings)


def files(folder: Path) -> dict[str, bytes]:
    """Every table and every picture of a run, byte for byte."""
    kinds = (".parquet", ".png")
    found = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.suffix in kinds}
    return {name: data for name, data in found.items() if not name.startswith("figures")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> hardgen.Run:
    return sweep(tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize(("batch_size", "workers"), [(1, 0), (7, 2), (64, 2)])
def test_batch_size_and_workers_change_nothing(
    whole: hardgen.Run, tmp_path: Path, batch_size: int, workers: int
) -> None:
    other = sweep(tmp_path, batch_size=batch_size, workers=workers)
    assert_frame_equal(whole.answers, other.answers, check_exact=True)
    assert (tmp_path / "curves.parquet").exists()


class Only:
    """A few samples of another dataset, in another order."""

    def __init__(self, dataset: Any, places: list[int]) -> None:
        self.dataset, self.places = dataset, places
        self.name, self.classes = dataset.name, dataset.classes

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[self.places[index]]

    def ids(self) -> list[str]:
        return [self.dataset.ids()[i] for i in self.places]

    def labels(self) -> list[int]:
        return [self.dataset.labels()[i] for i in self.places]

    def fingerprint(self) -> str:
        return str(self.places)


def test_any_order_and_company_gives_the_same_pixels(whole: hardgen.Run, tmp_path: Path) -> None:
    few = Only(Digits(limit=40).build(), [31, 2, 17, 5])
    fewer = hardgen.sweep(DigitsCnn().build(), few, out=tmp_path, pipeline=SLOTS, report=False, **FEW)
    own = ~pl.col("dose").str.starts_with("distractors")  # another pool of donors
    shared = whole.doses().filter(own).join(fewer.answers, on=["condition_id", "sample_id"], how="semi")
    assert shared.select("condition_id", "sample_id").n_unique() == 6 * 4
    assert_frame_equal(shared, fewer.doses().filter(own), check_row_order=False, check_exact=True)


def test_the_seed_changes_the_draws_and_the_same_seed_repeats_them(whole: hardgen.Run, tmp_path: Path) -> None:
    again, other = sweep(tmp_path / "a"), sweep(tmp_path / "b", seed=1)
    assert_frame_equal(whole.answers, again.answers, check_exact=True)
    assert_frame_equal(whole.doses(), again.doses(), check_exact=True)
    noise = pl.col("dose") == "noise.rmse"
    assert not whole.doses().filter(noise).equals(other.doses().filter(noise))


STATES = """
import random
import numpy, torch
import hardgen
from hardgen.data.digits import Digits
from hardgen.models.digits_cnn import DigitsCnn
model, data = DigitsCnn().build(), Digits(limit=5).build()
before = random.getstate(), numpy.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
hardgen.sweep(model, data, pipeline="contrast", out={out!r}, report=False)
assert before == (random.getstate(), numpy.random.get_state()[1].tolist(), torch.get_rng_state().tolist())
"""


def test_a_sweep_leaves_the_global_generators_as_they_were(tmp_path: Path) -> None:
    script = STATES.format(out=str(tmp_path / "run"))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import hardgen
from hardgen.data.digits import Digits
from hardgen.models.digits_cnn import DigitsCnn
hardgen.sweep(DigitsCnn().build(), Digits(limit=None).build(), out={out!r}, pipeline={slots!r}, hardness=[0.5, 1.0])
"""


def test_killed_in_the_middle_and_run_again_ends_as_if_never_stopped(tmp_path: Path) -> None:
    out, samples = tmp_path / "killed", tmp_path / "killed" / "samples"
    script = KILLED.format(tests=str(Path(__file__).parent), out=str(out), slots=SLOTS)
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL, env=os.environ)
    for _ in range(1200):
        if list(samples.glob("[!.]*.parquet")):
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = list(samples.glob("[!.]*.parquet"))
    assert len(kept) == 1, "the process was to be killed between its two parts"
    assert json.loads((out / "manifest.json").read_text())["status"] == "incomplete"
    with pytest.raises(hardgen.HardgenError, match="incomplete"):
        hardgen.Run.open(out)
    before = kept[0].stat().st_mtime_ns
    sweep(out, limit=None, report=True)
    assert kept[0].stat().st_mtime_ns == before, "what exists is done"
    sweep(tmp_path / "whole", limit=None, report=True)
    ours, theirs = files(out), files(tmp_path / "whole")
    assert {n: d for n, d in ours.items() if not Path(n).name.startswith(".")} == theirs


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"hardness": [0.25, 1.0]}, {"pipeline": {**SLOTS, "blur": "motion_blur"}}, {"limit": 30}]
)
def test_a_changed_config_in_the_same_folder_never_reuses_answers(tmp_path: Path, change: dict[str, Any]) -> None:
    sweep(tmp_path / "same", limit=20)
    changed = sweep(tmp_path / "same", **{"limit": 20, **change})
    fresh = sweep(tmp_path / "fresh", **{"limit": 20, **change})
    assert_frame_equal(changed.answers, fresh.answers, check_exact=True)
    assert_frame_equal(changed.conditions, fresh.conditions)


def test_another_model_in_the_same_folder_reuses_what_fits(tmp_path: Path) -> None:
    first = sweep(tmp_path, limit=20)
    part = next((tmp_path / "samples").glob("*.parquet"))
    before = part.stat().st_mtime_ns

    def guess(images: torch.Tensor) -> torch.Tensor:
        return torch.zeros(len(images), 10)

    both: Mapping[str, Any] = {"digits_cnn": DigitsCnn().build(), "guess": guess}
    run = hardgen.sweep(both, Digits(limit=20).build(), out=tmp_path, pipeline=SLOTS, report=False, **FEW)
    assert part.stat().st_mtime_ns == before
    assert run.models == ["digits_cnn", "guess"]
    own = run.answers.filter(pl.col("model") == "digits_cnn")
    assert_frame_equal(own, first.answers, check_exact=True)


@pytest.mark.parametrize("harm", ["truncated", "fewer rows", "zeros"])
def test_a_damaged_part_is_named_and_made_again(tmp_path: Path, harm: str) -> None:
    first = sweep(tmp_path, limit=20)
    part = next((tmp_path / "samples").glob("*.parquet"))
    data = part.read_bytes()
    if harm == "truncated":
        part.write_bytes(data[:100])
    elif harm == "fewer rows":
        pl.read_parquet(part).head(7).write_parquet(part)
    else:
        part.write_bytes(bytes(len(data)))
    with pytest.raises(hardgen.HardgenError, match=f"{part.name}|{tmp_path.name}"):
        hardgen.Run.open(tmp_path)
    assert_frame_equal(sweep(tmp_path, limit=20).answers, first.answers, check_exact=True)


def test_no_model_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(hardgen.HardgenError, match="at least one model"):
        hardgen.sweep({}, Digits(limit=5).build(), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_models_of_one_name_are_refused(tmp_path: Path) -> None:
    pipeline = Pipeline({"blur": build("gaussian_blur", {})})
    laid = plan(pipeline, read_axes(pipeline, None))
    models = [DigitsCnn().build("same"), DigitsCnn().build("same")]
    with pytest.raises(hardgen.HardgenError, match="different names"):
        run_sweep(laid, Digits(limit=5).build(), models, Settings(), tmp_path, {})


def test_a_model_that_answers_nan_is_named_with_sample_and_condition(tmp_path: Path) -> None:
    def broken(images: torch.Tensor) -> torch.Tensor:
        return torch.full((len(images), 10), np.nan)

    with pytest.raises(
        hardgen.HardgenError, match=r"'broken' answered NaN to sample 'digits-\d+' under no perturbation"
    ):
        hardgen.sweep({"broken": broken}, Digits(limit=5).build(), out=tmp_path, pipeline=SLOTS, **FEW)


def test_a_model_that_fails_on_the_images_is_named_with_the_reason(tmp_path: Path) -> None:
    def broken(images: torch.Tensor) -> torch.Tensor:
        return images.flatten(1) @ torch.zeros(3, 10)

    with pytest.raises(hardgen.HardgenError, match=r"model 'broken' failed on .*: RuntimeError: mat1"):
        hardgen.sweep({"broken": broken}, Digits(limit=5).build(), out=tmp_path, pipeline=SLOTS, **FEW)


@pytest.mark.parametrize("mode", ["grid", "together"])
def test_grid_and_together(tmp_path: Path, mode: str) -> None:
    run = sweep(tmp_path, limit=10, mode=mode, axes=["blur", "noise"], report=True)
    assert run.answers.height == 10 * (9 if mode == "grid" else 3)
    assert (tmp_path / "report.html").stat().st_size > 10_000
