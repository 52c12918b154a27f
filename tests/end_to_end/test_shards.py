"""A sweep shared out among jobs, by any launcher, is the sweep of one process, row for row."""

import importlib
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import polars as pl
import pytest
from hydra.errors import MissingConfigException
from polars.testing import assert_frame_equal

import hardgen
from hardgen.config_errors import explain
from hardgen.data.digits import Digits
from hardgen.errors import HardgenError
from hardgen.models.digits_cnn import DigitsCnn
from hardgen.report.page import make_report
from hardgen.sweeps.merging import load_runs, merge
from hardgen.sweeps.shards import Shard

FOUR, TWO = "shard=1/4,2/4,3/4,4/4", "shard=1/2,2/2"
LAUNCHERS = {
    "basic": "hydra",
    "joblib": "hydra_plugins.hydra_joblib_launcher",
    "submitit_local": "hydra_plugins.hydra_submitit_launcher",
    "ray": "hydra_plugins.hydra_ray_launcher",
}
DATA = ["data=image_folder", "data.root=photos", "model=module", "model.factory=net.py:net"]
QUICK = ["pipeline=[gaussian_noise,clutter]", "hardness=[0.5,1]"]


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "hardgen.cli", *words]
    return subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def same(merged: Path, single: Path) -> None:
    """Two run folders hold the same: answers, doses, conditions, failures, every table, and what was counted."""
    ours, theirs = hardgen.Run.open(merged), hardgen.Run.open(single)
    assert_frame_equal(ours.samples(), theirs.samples(), check_exact=True)
    assert_frame_equal(ours.doses(), theirs.doses(), check_exact=True)
    assert_frame_equal(ours.conditions, theirs.conditions, check_exact=True)
    for key in ("failures", "data", "models", "axes", "planned", "done", "seed", "provenance", "status"):
        assert ours.manifest[key] == theirs.manifest[key], key
    tables = sorted(p.name for p in (single / "tables").iterdir())
    assert sorted(p.name for p in (merged / "tables").iterdir()) == tables
    for name in tables:
        assert (merged / "tables" / name).read_bytes() == (single / "tables" / name).read_bytes(), name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty images in two classes, of which three cannot be read, and one sweep over all of them."""
    folder = tmp_path_factory.mktemp("shards")
    rng = np.random.default_rng(0)
    for i in range(20):
        path = folder / "photos" / ("night" if i % 3 else "day") / f"{i:02d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(path), rng.integers(0, 255, (28, 28, 3), np.uint8))
        if i in (4, 9, 15):
            path.write_bytes(b"no image")
    (folder / "net.py").write_text(
        "import torch\n"
        "def net():\n"
        "    torch.manual_seed(0)\n"
        "    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 28 * 28, 2))\n"
    )
    done = command(folder, "sweep", *QUICK, *DATA, "out=single")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_shards_merge_to_the_run_of_one_process(folder: Path, launcher: str) -> None:
    try:
        importlib.import_module(LAUNCHERS[launcher])
    except ImportError:
        pytest.skip(f"the launcher {launcher} is not installed")
    shards = FOUR if launcher == "basic" else TWO
    done = command(folder, "sweep", "-m", f"hydra/launcher={launcher}", shards, *QUICK, *DATA, f"out={launcher}")
    assert done.returncode == 0, done.stderr + done.stdout
    assert f"{len(shards.split(','))} runs merged" in done.stderr
    same(folder / launcher, folder / "single")
    assert len(json.loads((folder / launcher / "manifest.json").read_text())["failures"]) == 3
    assert (folder / launcher / "report.html").exists()


SBATCH = """#!{python}
import os, re, subprocess, sys
script = sys.argv[-1]
text = open(script).read()
assert "#SBATCH --partition=night" in text, text
if os.fork() == 0:
    os.setsid()
    for stream in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    for task in range(int(re.search(r"#SBATCH --array=0-([0-9]+)", text)[1]) + 1):
        slurm = dict(JOB_ID=40 + task, ARRAY_JOB_ID=40, ARRAY_TASK_ID=task, JOB_NUM_NODES=1, NTASKS=1, NNODES=1)
        slurm |= dict(NODEID=0, PROCID=0, LOCALID=0, JOB_NODELIST="here", TASKS_PER_NODE=1)
        subprocess.run(["bash", script], env=os.environ | {{"SLURM_" + k: str(v) for k, v in slurm.items()}})
else:
    print("Submitted batch job 40")
"""
SRUN = """#!/bin/bash
while [[ "$1" == --* ]]; do if [[ "$1" == --output || "$1" == --error ]]; then shift; fi; shift; done
exec "$@"
"""
OTHERS = {
    "scontrol": "#!/bin/bash\necho here\n",
    "sacct": "#!/bin/bash\necho 'JobID|State|NodeList'\nfor i in 0 1 2 3; do echo \"40_$i|RUNNING|here\"; done\n",
}


def test_shards_merge_as_jobs_of_a_slurm_array(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of Slurm are stood in for by scripts that run what is submitted."""
    pytest.importorskip("hydra_plugins.hydra_submitit_launcher", reason="the launcher submitit_slurm is not installed")
    for name, text in {"sbatch": SBATCH.format(python=sys.executable), "srun": SRUN, **OTHERS}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    words = ["hydra/launcher=submitit_slurm", "hydra.launcher.partition=night", TWO, *QUICK, *DATA, "out=slurm"]
    done = command(folder, "sweep", "-m", *words)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "2 runs merged" in done.stderr
    same(folder / "slurm", folder / "single")


def test_shards_merge_as_tasks_of_a_running_ray_cluster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("hydra_plugins.hydra_ray_launcher", reason="the launcher ray_cluster is not installed")
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    words = ["--head", "--block", "--port=0", "--node-ip-address=127.0.0.1", "--num-cpus=2"]
    words += ["--include-dashboard=false", "--disable-usage-stats", f"--temp-dir={tempfile.mkdtemp(prefix='ray')}"]
    call = [sys.executable, "-m", "ray.scripts.scripts", "start", *words]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as cluster:
        try:
            assert cluster.stdout
            address = next(m[1] for line in cluster.stdout if (m := re.search(r"address='?([0-9.]+:[0-9]+)", line)))
            where = ["hydra/launcher=ray_cluster", f"hydra.launcher.ray.init.address={address}"]
            done = command(folder, "sweep", "-m", *where, TWO, *QUICK, *DATA, "out=ray_cluster")
        finally:
            cluster.terminate()
    assert done.returncode == 0, done.stderr + done.stdout
    same(folder / "ray_cluster", folder / "single")


@pytest.mark.parametrize(
    ("launcher", "extra"),
    [("joblib", "joblib"), ("submitit_slurm", "slurm"), ("submitit_local", "slurm"), ("ray", "ray")],
)
def test_a_launcher_that_is_not_installed_names_its_extra(launcher: str, extra: str) -> None:
    missing = MissingConfigException("", f"hydra/launcher/{launcher}", ["basic"])
    line = f"hydra/launcher={launcher} needs the extra: pip install 'hardgen[{extra}]'"
    assert explain(missing, "sweep", []) == line
    typed = MissingConfigException("", f"hydra/launcher/{launcher[:-1]}", ["basic"])
    assert f"did you mean '{launcher}'" in explain(typed, "sweep", [])


def sweep(out: Path, shard: str | None = None, limit: int = 500, **options: Any) -> Path:
    settings = {"pipeline": "clutter", "hardness": [1.0], "batch_size": 64} | options
    hardgen.sweep(DigitsCnn().build(), Digits(limit=limit).build(), out=out, shard=shard, **settings)
    return out


def test_whole_files_of_answers_are_shared_out_and_are_those_of_the_single_run(tmp_path: Path) -> None:
    single = sweep(tmp_path / "single")
    runs = [sweep(tmp_path / f"{i}", f"{i}/2") for i in (2, 1)]
    assert [hardgen.Run.open(run).manifest["data"]["n"] for run in runs] == [244, 256]
    for run in runs:
        for file in (run / "samples").glob("*.parquet"):
            assert file.read_bytes() == (single / "samples" / file.name).read_bytes()
    merged = merge(runs, tmp_path / "merged")
    make_report([merged])
    same(merged, single)


def test_a_run_of_all_images_goes_on_from_a_shard_in_its_folder(tmp_path: Path) -> None:
    sweep(tmp_path, "2/2", report=False)
    before = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "samples").glob("*.parquet")}
    sweep(tmp_path, report=False)
    after = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "samples").glob("*.parquet")}
    assert len(before) == 2
    assert before.items() < after.items()


def test_a_missing_shard_is_named_and_not_counted(tmp_path: Path) -> None:
    runs = [sweep(tmp_path / f"{i}", f"{i}/4", limit=40, report=False) for i in (1, 3)]
    run = load_runs(runs)
    assert run.models == ["digits_cnn"]
    assert run.manifest["data"]["n"] == run.answers["sample_id"].n_unique() == 20
    assert (run.manifest["data"]["shards"], run.manifest["data"]["of"]) == (["1/4", "3/4"], 40)
    images_link = next(link for link in run.manifest["provenance"] if link["link"] == "images")
    assert "20 of 40 (shards 1/4, 3/4) images" in images_link["choice"]
    done = command(tmp_path, "report", "1", "3", "out=page")
    assert done.returncode == 0, done.stderr
    assert "20 of 40 (shards 1/4, 3/4) images" in (tmp_path / "page" / "report.html").read_text()


def test_two_seeds_in_shards_are_two_series(tmp_path: Path) -> None:
    words = ["pipeline=gaussian_noise", "hardness=[1]", "data.limit=20", "report=false", "out=many"]
    done = command(tmp_path, "sweep", "-m", "seed=0,1", "shard=1/2,2/2", *words)
    assert done.returncode == 0, done.stderr
    curves = pl.read_parquet(tmp_path / "many" / "curves.parquet")
    assert curves["n"].unique().to_list() == [20]
    assert curves["model"].unique().sort().to_list() == ["digits_cnn [0]", "digits_cnn [2]"]


def test_models_asked_about_different_shards_keep_their_own_count(tmp_path: Path) -> None:
    words = ["pipeline=gaussian_noise", "hardness=[1]", "data.limit=20", "report=false"]
    (tmp_path / "net.py").write_text(
        "from hardgen.models.digits_cnn import DigitsCnn\n\n\ndef net():\n    return DigitsCnn().build()._module\n"
    )
    other = ["model=module", "model.factory=net.py:net"]
    for out, more in {"a": ["shard=1/2"], "b": ["shard=2/2"], "c": ["shard=2/2", *other]}.items():
        done = command(tmp_path, "sweep", *words, *more, f"out={out}")
        assert done.returncode == 0, done.stderr
    run = load_runs([tmp_path / name for name in "abc"])
    assert (run.data("digits_cnn")["n"], run.data("net")["n"], run.manifest["data"]["n"]) == (20, 10, 20)
    assert "shards" not in run.data("digits_cnn")
    assert run.data("net")["shards"] == ["2/2"]


@pytest.mark.parametrize("count", [1, 7, 20, 256, 257, 600, 5000])
@pytest.mark.parametrize("of", [1, 2, 3, 7])
def test_every_image_is_in_one_shard_and_no_file_holds_more_than_256(count: int, of: int) -> None:
    if of > count:
        with pytest.raises(HardgenError, match=f"the data has only {count} image"):
            Shard(of, of).spans(count)
        return
    spans = [span for index in range(1, of + 1) for span in Shard(index, of).spans(count)]
    assert sorted(place for span in spans for place in span) == list(range(count))
    assert max(map(len, spans)) <= 256
    sizes = [Shard(index, of).size(count) for index in range(1, of + 1)]
    assert max(sizes) - min(sizes) <= 256


@pytest.mark.parametrize("wrong", ["5/4", "0/4", "a", "1", "1/0", "1/4/2", "-1/4"])
def test_a_wrong_shard_is_one_line(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(HardgenError, match="shard must be I/N with I from 1 to N, as 1/4 to 4/4; got '"):
        sweep(tmp_path, wrong)


def test_a_wrong_shard_on_the_command_line_is_one_line(tmp_path: Path) -> None:
    done = command(tmp_path, "sweep", "shard=5/4")
    assert done.returncode == 2
    assert done.stderr.strip() == ("hardgen: error: shard must be I/N with I from 1 to N, as 1/4 to 4/4; got '5/4'")
    dry = command(tmp_path, "sweep", "shard=2/4", "data.limit=20", "--dry-run")
    assert "5 images of digits-test (shard 2/4)" in " ".join((dry.stderr + dry.stdout).split())
