"""Whatever happens to a sweep, the same command run again ends with the tables of a run that nothing happened to."""

import errno
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import torch
from polars.testing import assert_frame_equal
from torch import Tensor

import hardgen
from hardgen.data.digits import Digits
from hardgen.models.digits_cnn import DigitsCnn
from hardgen.pipeline import Pipeline
from hardgen.sweeps.merging import load_runs, merge

SLOTS = {"blur": "gaussian_blur", "noise": "gaussian_noise"}
IMAGES = 300
"""More than one part."""


def sweep(out: Path, models: Any = None, limit: int = IMAGES, **options: Any) -> hardgen.Run:
    model = DigitsCnn().build() if models is None else models
    settings = {"pipeline": SLOTS, "hardness": [0.5, 1.0], "report": False} | options
    return hardgen.sweep(model, Digits(limit=limit).build(), out=out, **settings)


def tables(folder: Path) -> dict[str, bytes]:
    """Every table of a run and their sums, byte for byte."""
    found = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.parquet")}
    return found | {"SHA256SUMS": (folder / "SHA256SUMS").read_bytes()}


def leftovers(folder: Path) -> list[str]:
    return [p.name for p in folder.rglob(".*") if p.name != ".lock"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    sweep(folder)
    return folder


@pytest.fixture(scope="module")
def processes() -> Any:
    """Processes that begin with everything imported."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["hardgen", "tests.sweep.test_faults"])
    return context


def test_killed_at_twenty_moments_the_run_ends_as_if_never_stopped(whole: Path, tmp_path: Path, processes: Any) -> None:
    moments, kills = random.Random(0), 0
    for _ in range(20):
        process = processes.Process(target=sweep, args=(tmp_path,))
        process.start()
        process.join(moments.uniform(0.05, 0.6))
        kills += process.is_alive()
        process.kill()
        process.join()
    assert kills > 10, "most were to be killed at work"
    sweep(tmp_path)
    assert tables(tmp_path) == tables(whole)
    assert leftovers(tmp_path) == []


class FullDisk:
    """A disk that takes so many files and no more."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, path: Path, data: Any) -> int:
        if self.left == 0:
            path.touch()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.left -= 1
        with path.open("wb") as stream:
            return stream.write(data)


@pytest.mark.parametrize("files", [0, 1, 4, 9])
def test_a_full_disk_is_named_with_the_file_and_loses_nothing_that_was_written(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int
) -> None:
    disk = FullDisk(files)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", lambda path, data: disk(path, data))
        with pytest.raises(OSError, match=r"No space left on device: '.*\.parquet'"):
            sweep(tmp_path)
    assert leftovers(tmp_path) == []
    with pytest.raises(hardgen.HardgenError, match=r"is incomplete|not a run"):
        hardgen.Run.open(tmp_path)
    sweep(tmp_path)
    assert tables(tmp_path) == tables(whole)


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="/proc/nowhere"):
        sweep(Path("/proc/nowhere"), limit=2)
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        sweep(tmp_path / "file", limit=2)


@pytest.mark.parametrize("name", ["samples", "doses"])
@pytest.mark.parametrize("harm", ["truncated", "one bit", "absent", "another's"])
def test_a_harmed_file_is_made_again(whole: Path, tmp_path: Path, name: str, harm: str) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    file, other = sorted((folder / name).glob("*.parquet"))[:2]
    data = file.read_bytes()
    if harm == "truncated":
        file.write_bytes(data[:100])
    elif harm == "one bit":
        file.write_bytes(data[:50] + bytes([data[50] ^ 1]) + data[51:])
    elif harm == "another's":
        shutil.copyfile(other, file)
    else:
        file.unlink()
    if name == "samples":
        with pytest.raises(hardgen.HardgenError, match=file.name):
            hardgen.Run.open(folder)
    sweep(folder)
    assert tables(folder) == tables(whole)


def test_two_processes_do_not_write_to_one_folder(whole: Path, tmp_path: Path, processes: Any) -> None:
    first = processes.Process(target=sweep, args=(tmp_path,))
    first.start()
    while not (tmp_path / "manifest.json").exists():
        time.sleep(0.01)
    with pytest.raises(hardgen.HardgenError, match=f"another process is writing to {tmp_path}.*give another out="):
        sweep(tmp_path)
    first.join()
    assert first.exitcode == 0
    assert tables(tmp_path) == tables(whole)


class Fragile:
    """The digits' model, but for what goes wrong."""

    def __init__(self, name: str, goes_wrong: Callable[[int, Tensor], Tensor | None]) -> None:
        self._model, self._goes_wrong, self.calls = DigitsCnn().build(name), goes_wrong, 0
        self.name, self.classes, self.outputs = name, self._model.classes, self._model.outputs

    def fingerprint(self) -> str:
        return self._model.fingerprint()

    def to(self, device: str) -> "Fragile":
        return self

    def log_probabilities(self, images: Tensor) -> Tensor:
        self.calls += 1
        wrong = self._goes_wrong(self.calls, images)
        return self._model.log_probabilities(images) if wrong is None else wrong


def raises_at(calls: range) -> Callable[[int, Tensor], None]:
    def goes_wrong(call: int, images: Tensor) -> None:
        if call in calls:
            raise ZeroDivisionError(f"call {call}")

    return goes_wrong


def nan_at(calls: range) -> Callable[[int, Tensor], Tensor | None]:
    return lambda call, images: torch.full((len(images), 10), torch.nan) if call in calls else None


@pytest.mark.parametrize(
    ("goes_wrong", "reason"),
    [
        (raises_at(range(7, 8)), "ZeroDivisionError: call 7"),
        (nan_at(range(7, 8)), "'digits_cnn' answered NaN to sample"),
    ],
)
def test_a_model_that_fails_once_costs_one_file_and_is_asked_again(
    whole: Path, tmp_path: Path, goes_wrong: Any, reason: str
) -> None:
    with pytest.raises(hardgen.HardgenError, match=rf"1 of 6 files are missing in .*{reason}"):
        sweep(tmp_path, Fragile("digits_cnn", goes_wrong))
    with pytest.raises(hardgen.HardgenError, match=rf"is incomplete \(5 of 6 files of answers are there; .*{reason}"):
        hardgen.Run.open(tmp_path)
    careful = Fragile("digits_cnn", lambda call, images: None)
    sweep(tmp_path, careful)
    assert careful.calls <= 16, "one block of one part was asked, no more"
    assert tables(tmp_path) == tables(whole)


def test_a_model_that_always_fails_is_given_up_and_the_others_are_asked(tmp_path: Path) -> None:
    broken, sound = Fragile("broken", raises_at(range(1, 10**6))), Fragile("sound", lambda call, images: None)
    slots = {name: name for name in ("gaussian_blur", "gaussian_noise", "contrast", "brightness", "rectangle")}
    with pytest.raises(hardgen.HardgenError, match=r"6 of 12 files .*'broken'.*ZeroDivisionError"):
        sweep(tmp_path, {"broken": broken, "sound": sound}, limit=20, pipeline=slots)
    assert broken.calls == 3
    run = hardgen.Run.open(tmp_path, allow_incomplete=True)
    assert run.answers.filter(pl.col("model") == "sound").height == 20 * 11
    assert run.answers.height == 20 * 11
    calls = sound.calls
    with pytest.raises(hardgen.HardgenError, match="'broken'"):
        sweep(tmp_path, {"broken": broken, "sound": sound}, limit=20, pipeline=slots)
    assert sound.calls == calls
    assert sweep(tmp_path, sound, limit=20, pipeline=slots).complete


def test_fail_fast_ends_at_the_first_failure(tmp_path: Path) -> None:
    broken, sound = Fragile("broken", raises_at(range(1, 10**6))), Fragile("sound", lambda call, images: None)
    with pytest.raises(hardgen.HardgenError, match="ZeroDivisionError: call 1"):
        sweep(tmp_path, {"broken": broken, "sound": sound}, limit=20, fail_fast=True)
    assert (broken.calls, sound.calls) == (1, 0)


def test_what_does_not_fit_into_memory_is_halved(whole: Path, tmp_path: Path) -> None:
    def small(call: int, images: Tensor) -> None:
        if len(images) > 9:
            raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.warns(UserWarning, match="out of memory") as said:
        run = sweep(tmp_path, Fragile("digits_cnn", small))
    sizes = [f"out of memory with batch_size={size}; going on with {size // 2}" for size in (32, 16)]
    assert [str(warning.message) for warning in said] == sizes
    assert_frame_equal(run.answers, hardgen.Run.open(whole).answers, check_exact=True)
    with pytest.raises(hardgen.HardgenError, match="OutOfMemory"), pytest.warns(UserWarning, match="out of"):
        sweep(tmp_path / "never", Fragile("digits_cnn", lambda call, images: small(call, images.repeat(10, 1, 1, 1))))


def test_a_network_that_does_not_fit_is_asked_in_smaller_chunks(tmp_path: Path) -> None:
    def small(images: Tensor) -> Tensor:
        if len(images) > 4:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: not enough memory: you tried to")
        return torch.stack([images.mean((1, 2, 3))] * 10, 1)

    with pytest.warns(UserWarning, match="out of memory") as said:
        run = sweep(tmp_path, {"small": small}, limit=20)
    assert [str(w.message).partition(", which")[0] for w in said] == [
        f"out of memory as model 'small' was asked about {size} images at a time; going on with {size // 2}"
        for size in (16, 8)
    ]
    assert run.answers.height == 20 * 5


def test_a_perturbation_that_fails_costs_its_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = Pipeline.__call__

    def call(self: Pipeline, batch: Any, rngs: Any) -> Any:
        if not self.slots["noise"].neutral:
            raise ValueError("no noise today")
        return true(self, batch, rngs)

    with monkeypatch.context() as patch:
        patch.setattr(Pipeline, "__call__", call)
        with pytest.raises(hardgen.HardgenError, match=r"1 of 3 files .*ValueError: no noise today"):
            sweep(tmp_path, limit=20)
    assert sweep(tmp_path, limit=20).complete


def test_a_sweep_that_cannot_begin_leaves_a_finished_run_as_it_was(whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    with pytest.raises(hardgen.HardgenError, match="outputs of model 'few'"):
        sweep(folder, {"few": lambda images: torch.zeros(len(images), 3)})
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


def test_a_finished_sweep_asks_nothing_and_writes_nothing(whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}
    model = Fragile("digits_cnn", lambda call, images: None)
    run = sweep(folder, model)
    assert model.calls == 0
    assert run.complete
    assert {p: p.stat().st_mtime_ns for p in before} == before


def test_another_axis_and_another_model_ask_only_what_is_new(tmp_path: Path) -> None:
    model = Fragile("digits_cnn", lambda call, images: None)
    sweep(tmp_path, model, limit=20)
    asked = model.calls
    sweep(tmp_path, model, limit=20, pipeline=SLOTS | {"contrast": "contrast"})
    assert model.calls == asked + 2
    other = Fragile("other", lambda call, images: None)
    sweep(tmp_path, {"digits_cnn": model, "other": other}, limit=20, pipeline=SLOTS)
    assert model.calls == asked + 2
    assert other.calls == 5


def test_the_sums_are_those_of_sha256sum(whole: Path) -> None:
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=whole, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    listed = [line.split("  ", 1)[1] for line in (whole / "SHA256SUMS").read_text().splitlines()]
    kept = [*(whole / "samples").glob("*"), *(whole / "doses").glob("*"), whole / "conditions.parquet"]
    assert listed == sorted(str(p.relative_to(whole)) for p in kept)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_told_to_end_a_command_says_how_to_go_on(tmp_path: Path, number: int, code: int) -> None:
    call = [sys.executable, "-m", "hardgen.cli", "sweep", "pipeline=[gaussian_blur,contrast,zoom_blur]", "out=run"]
    process = subprocess.Popen(call, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not list((tmp_path / "run").glob("samples/[!.]*.parquet")):
        time.sleep(0.02)
        assert process.poll() is None
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == code, err
    assert "the same command with the same out= makes the rest" in " ".join(err.split())
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["status"] == "incomplete"
    assert leftovers(tmp_path) == []


def test_names_that_become_one_file_name_are_kept_apart(tmp_path: Path) -> None:
    run = sweep(tmp_path, {"a b": DigitsCnn().build("a b"), "a/b": DigitsCnn().build("a/b")}, limit=20)
    assert run.answers.group_by("model").len().sort("model")["len"].to_list() == [100, 100]
    assert sweep(tmp_path, DigitsCnn().build("a?b"), limit=20).answers["model"].unique().to_list() == ["a?b"]


def test_lost_doses_are_missed_until_they_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sweep(tmp_path, limit=20).doses()
    for file in (tmp_path / "doses").glob("*.parquet"):
        file.unlink()

    def call(self: Pipeline, batch: Any, rngs: Any) -> Any:
        raise ValueError("not today")

    with monkeypatch.context() as patch:
        patch.setattr(Pipeline, "__call__", call)
        with pytest.raises(hardgen.HardgenError, match="ValueError: not today"):
            sweep(tmp_path, limit=20)
    assert_frame_equal(sweep(tmp_path, limit=20).doses(), before)


def test_a_model_that_never_fits_takes_no_other_with_it(tmp_path: Path) -> None:
    def big(call: int, images: Tensor) -> None:
        raise MemoryError("big")

    models = {"big": Fragile("big", big), "ok": Fragile("ok", lambda call, images: None)}
    with (
        pytest.raises(hardgen.HardgenError, match=r"3 of 6 files .*'big': MemoryError"),
        pytest.warns(UserWarning, match="out of memory"),
    ):
        sweep(tmp_path, models, limit=20, batch_size=4)
    run = hardgen.Run.open(tmp_path, allow_incomplete=True)
    assert run.answers.group_by("model").len().rows() == [("ok", 100)]


def test_what_failed_before_a_batch_was_halved_is_asked_anew(tmp_path: Path) -> None:
    def tight(call: int, images: Tensor) -> None:
        if len(images) > 8:
            raise MemoryError("tight")

    models = {"a": Fragile("a", raises_at(range(1, 2))), "b": Fragile("b", tight)}
    with pytest.warns(UserWarning, match="out of memory"):
        assert sweep(tmp_path, models, limit=20, batch_size=16).complete


def test_perturbations_that_fail_are_not_held_against_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots = {name: name for name in ("gaussian_noise", "contrast", "brightness", "rectangle", "gaussian_blur")}
    true = Pipeline.__call__

    def call(self: Pipeline, batch: Any, rngs: Any) -> Any:
        if not self.neutral and self.slots["gaussian_blur"].neutral:
            raise ValueError("broken")
        return true(self, batch, rngs)

    monkeypatch.setattr(Pipeline, "__call__", call)
    with pytest.raises(hardgen.HardgenError, match="4 of 6 files"):
        sweep(tmp_path, limit=20, pipeline=slots)
    run = hardgen.Run.open(tmp_path, allow_incomplete=True)
    assert run.answers.height == 20 * 3, "the clean ones and the blurred ones"


@pytest.mark.parametrize("sums", ["", "\0\0\0", "no line\n"])
def test_without_its_sums_a_run_is_not_taken_for_whole(whole: Path, tmp_path: Path, sums: str) -> None:
    folder = shutil.copytree(whole, tmp_path / "run")
    (folder / "SHA256SUMS").write_text(sums)
    next((folder / "doses").glob("*.parquet")).unlink()
    sweep(folder)
    assert tables(folder) == tables(whole)


def test_coming_back_to_a_seed_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = sweep(tmp_path, limit=20)
    sweep(tmp_path, limit=20, seed=1)
    monkeypatch.setattr(Pipeline, "__call__", None)
    assert_frame_equal(sweep(tmp_path, limit=20).samples(), first.samples(), check_exact=True)


def test_a_name_that_no_file_can_have_is_cut_or_refused_at_once(tmp_path: Path) -> None:
    long = "a model's name " * 20
    assert sweep(tmp_path, DigitsCnn().build(long), limit=20).models == [long]
    with pytest.raises(hardgen.HardgenError, match="text that can be written"):
        sweep(tmp_path, DigitsCnn().build("half \ud800"), limit=20)


def test_a_lock_that_is_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with pytest.raises(hardgen.HardgenError, match=r"its \.lock is a folder"):
        sweep(tmp_path, limit=20)


def test_doses_of_two_seeds_are_told_apart(tmp_path: Path) -> None:
    runs = [sweep(tmp_path / str(seed), limit=20, seed=seed) for seed in (0, 1)]
    merged = load_runs([tmp_path / "0", tmp_path / "1"])
    again = load_runs([merge([tmp_path / "0", tmp_path / "1"], tmp_path / "merged")])
    for seed, run in enumerate(runs):
        own = run.doses()
        for both in (merged.doses(), again.doses()):
            assert_frame_equal(both.filter(run=str(seed)).drop("run"), own, check_exact=True, check_row_order=False)
