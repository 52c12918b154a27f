"""A multirun is many runs, merged at the end into what one run would have given."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from omegaconf import OmegaConf
from polars.testing import assert_frame_equal

from hardgen import merge

PANEL = "small: {kind: digits_cnn}\nlarge: {kind: module, factory: 'net.py:net'}\n"
NET = "from hardgen.models.digits_cnn import DigitsCnn\n\n\ndef net():\n    return DigitsCnn().build()._module\n"
QUICK = ["data.limit=20", "pipeline=[gaussian_blur,contrast]", "hardness=[0.5,1]"]


def hardgen(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "hardgen.cli", *words]
    return subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "conf" / "model").mkdir(parents=True)
    (tmp_path / "conf" / "model" / "panel.yaml").write_text(PANEL)
    (tmp_path / "conf" / "model" / "one.yaml").write_text(PANEL.splitlines()[0])
    (tmp_path / "conf" / "model" / "two.yaml").write_text(PANEL.splitlines()[1])
    (tmp_path / "net.py").write_text(NET)
    return tmp_path


@pytest.mark.parametrize("launcher", ["basic", "joblib"])
def test_models_in_jobs_merge_to_the_curves_of_the_single_process(folder: Path, launcher: str) -> None:
    common = ["--config-dir", "conf", *QUICK]
    single = hardgen(folder, "sweep", *common, "model=panel", "out=single")
    assert single.returncode == 0, single.stderr
    many = hardgen(folder, "sweep", "-m", f"hydra/launcher={launcher}", *common, "model=one,two", "out=many")
    assert many.returncode == 0, many.stderr
    assert "2 runs merged" in many.stderr
    ours, theirs = (
        pl.read_parquet(folder / "many" / "curves.parquet"),
        pl.read_parquet(folder / "single" / "curves.parquet"),
    )
    assert_frame_equal(ours, theirs, check_row_order=False)
    assert (folder / "many" / "report.html").exists()


def test_a_plugin_file_reaches_the_jobs(folder: Path) -> None:
    (folder / "veil.py").write_text(
        "from dataclasses import dataclass\n"
        "from hardgen import PhotometricPerturbation, knob, register\n"
        "@register('veil', family='test')\n"
        "@dataclass(frozen=True)\n"
        "class Veil(PhotometricPerturbation):\n"
        "    '''A veil.'''\n"
        "    depth: float = knob(0.0, 1.0, 'of full scale', 'Depth.')\n"
        "    def perturb(self, images, rng):\n"
        "        return images * (1 - self.depth)\n"
    )
    words = ["plugins=[veil.py]", "pipeline=veil", "hardness=[1]", "data.limit=10", "seed=0,1", "out=many"]
    done = hardgen(folder, "sweep", "-m", "hydra/launcher=joblib", *words)
    assert done.returncode == 0, done.stderr
    models = pl.read_parquet(folder / "many" / "curves.parquet")["model"].unique().to_list()
    assert len(models) == 2, "two seeds are two series, never mixed"


def test_an_installed_plug_in_reaches_jobs_in_other_processes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mist.py").write_text(
        "from dataclasses import dataclass\n"
        "from hardgen import PhotometricPerturbation, knob, register\n"
        "@register('mist', family='test')\n"
        "@dataclass(frozen=True)\n"
        "class Mist(PhotometricPerturbation):\n"
        "    '''A mist.'''\n"
        "    depth: float = knob(0.0, 1.0, 'of full scale', 'Depth.')\n"
        "    def perturb(self, images, rng):\n"
        "        return images * (1 - self.depth)\n"
    )
    info = folder / "mist-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mist\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hardgen.perturbations]\nmist = mist\n")
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{os.environ.get('PYTHONPATH', '')}")
    words = ["pipeline=mist", "hardness=[1]", "data.limit=10", "seed=0,1", "out=many", "report=false"]
    done = hardgen(folder, "sweep", "-m", "hydra/launcher=joblib", *words)
    assert done.returncode == 0, done.stderr
    assert "2 runs merged" in done.stderr


def test_a_job_that_fails_is_named_and_the_others_are_merged(folder: Path) -> None:
    done = hardgen(folder, "sweep", "-m", *QUICK, "pipeline.contrast.factor=1.0,7", "out=many")
    assert done.returncode == 1
    assert "contrast.factor must be in [0, 1]" in done.stderr
    assert "job 1" in done.stderr
    assert "Traceback" not in done.stderr
    assert (folder / "many" / "report.html").exists()


def test_an_earlier_multirun_in_the_same_folder_is_passed_over(folder: Path) -> None:
    quick = ["data.limit=10", "pipeline=contrast", "hardness=[1]", "report=false", "out=many"]
    assert hardgen(folder, "sweep", "-m", *quick, "seed=0,1,2").returncode == 0
    again = hardgen(folder, "sweep", "-m", *quick, "seed=7,8")
    assert again.returncode == 0
    assert "2 runs merged" in again.stderr
    assert pl.read_parquet(folder / "many" / "curves.parquet")["model"].n_unique() == 2


MORTAL = """
from pathlib import Path

from hardgen.models.digits_cnn import DigitsCnn


class Net:
    def __init__(self, number):
        self.number, self.module = number, DigitsCnn().build()._module

    def __call__(self):
        net = self.module
        if self.number in (2, 5) and not Path("mended").exists():
            net.forward = self.dies
        return net

    def dies(self, images):
        raise ZeroDivisionError(f"net {self.number} is broken")


net0, net1, net2, net3, net4, net5 = map(Net, range(6))
"""


def test_two_of_six_jobs_fail_and_only_they_run_again(folder: Path) -> None:
    (folder / "mortal.py").write_text(MORTAL)
    nets = "model.factory=" + ",".join(f"mortal.py:net{i}" for i in range(6))
    call = ["sweep", "-m", *QUICK, "model=module", nets, "report=false", "out=many"]
    done = hardgen(folder, *call)
    assert done.returncode == 1
    assert "4 runs merged" in done.stderr
    assert "2 of 6 jobs failed" in " ".join(done.stderr.split())
    jobs = pl.read_csv(folder / "many" / "jobs.csv")
    assert jobs["status"].to_list() == ["done", "done", "failed", "done", "done", "failed"]
    for number in (2, 5):
        own = folder / "many" / str(number)
        assert f"error: job {number}: " in done.stderr
        assert f"net{number}" in jobs["overrides"][number]
        assert f"ZeroDivisionError: net {number} is broken" in jobs["error"][number]
        assert "Traceback" in (own / "error.log").read_text()
        assert f"ZeroDivisionError: net {number} is broken" in (own / "error.log").read_text()
    written = {i: (folder / "many" / str(i) / "manifest.json").stat().st_mtime_ns for i in (0, 1, 3, 4)}

    (folder / "mended").touch()
    again = hardgen(folder, *call)
    assert again.returncode == 0, again.stderr
    assert "6 runs merged" in again.stderr
    assert pl.read_csv(folder / "many" / "jobs.csv")["status"].to_list() == ["done"] * 6
    assert not list((folder / "many").glob("*/error.log"))
    assert written == {i: (folder / "many" / str(i) / "manifest.json").stat().st_mtime_ns for i in written}

    (folder / "mended").unlink()
    fast = hardgen(folder, *call[:-1], "out=fast", "fail_fast=true")
    assert fast.returncode == 1
    assert "ZeroDivisionError: net 2 is broken" in fast.stderr
    assert not (folder / "fast" / "3").exists()


def test_jobs_that_wrote_elsewhere_are_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = OmegaConf.create({"hydra": {"sweep": {"dir": str(tmp_path / "many")}}})
    callback = merge.MergeRuns()
    callback.on_multirun_start(config)
    callback.on_multirun_end(config)
    assert f"no job left a trace in {tmp_path}/many" in capsys.readouterr().err
    assert merge.failed, "the exit code is 1"
    merge.failed.clear()
