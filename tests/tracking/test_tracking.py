"""Trackers are told what the tables say: read back with the trackers' own readers."""

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import hardgen
from hardgen.data.digits import Digits
from hardgen.models.digits_cnn import DigitsCnn
from hardgen.tracking.mlflow import TrackMlflow
from hardgen.tracking.record import Record, record_of
from hardgen.tracking.tensorboard import TrackTensorboard
from hardgen.tracking.wandb import TrackWandb

QUICK = ["pipeline=gaussian_noise", "hardness=[0.5,1]", "data.limit=20"]
loud = pytest.mark.filterwarnings("ignore")  # other people's deprecations


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "hardgen.cli", "sweep", *QUICK, *words]
    return subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tracked") / "run"
    models = {"small [0]": DigitsCnn().build(), "other": DigitsCnn().build()}
    options: dict[str, Any] = {"pipeline": ["gaussian_noise", "contrast"], "hardness": [0.125, 0.5, 1.0]}
    hardgen.sweep(models, Digits(limit=20).build(), out=folder, seed=3, **options)
    return folder


@pytest.fixture(scope="module")
def record(folder: Path) -> Record:
    return record_of(folder)


def expected(folder: Path) -> tuple[dict[str, float], dict[str, list[tuple[int, float]]]]:
    """The metrics and the series, from the tables by another way."""
    curves = pl.read_parquet(folder / "curves.parquet").with_columns(pl.col("model").replace("small [0]", "small _0"))
    single, series = {}, {}
    for (model, axis), own in curves.group_by("model", "axis"):
        series[f"{model}/{axis}/accuracy"] = [(round(1000 * h), a) for h, a in own["hardness", "accuracy"].iter_rows()]
        single[f"{model}/clean"] = own.filter(hardness=0)["accuracy"].item()
        h, a = own["hardness"].to_list(), own["accuracy"].to_list()
        area = sum((h[i + 1] - h[i]) * (a[i + 1] + a[i]) / 2 for i in range(len(h) - 1))
        single[f"{model}/{axis}/area"] = area
    marks = pl.read_parquet(folder / "tables" / "thresholds.parquet").drop_nulls("hardness")
    for row in marks.with_columns(pl.col("model").replace("small [0]", "small _0")).iter_rows(named=True):
        single[f"{row['model']}/{row['axis']}/threshold"] = row["hardness"]
    return single, series


def test_the_record_says_what_the_run_stands_on_and_what_it_found(record: Record, folder: Path) -> None:
    single, series = expected(folder)
    assert record.metrics == pytest.approx(single)
    assert any(name.endswith("/threshold") for name in single), "the noise brings accuracy down"
    found: dict[str, list[tuple[int, float]]] = {}
    for point in record.points:
        found.setdefault(point.series, []).append((point.step, point.accuracy))
    assert found == series
    assert record.parameters["models"] == "small [0], other"
    assert record.parameters["pipeline"] == "gaussian_noise=gaussian_noise, contrast=contrast"
    assert (record.parameters["data"], record.parameters["images"]) == ("digits-test", "20")
    assert record.parameters["seed"] == "3"
    assert [path.name for path in record.files] == ["report.html", "curves.parquet", "manifest.json"]


@loud
def test_tensorboard_reads_the_scalars_back(record: Record, folder: Path, tmp_path: Path) -> None:
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    tracker = TrackTensorboard(str(tmp_path))
    tracker.track(record)
    tracker.track(record)
    (own,) = tmp_path.iterdir()
    assert len(list(own.iterdir())) == 1, "the second event file stands for the first"
    events = accumulators.EventAccumulator(str(own))
    events.Reload()
    single, series = expected(folder)
    assert set(events.Tags()["scalars"]) == {*single, *series}
    for name, value in single.items():
        assert events.Scalars(name)[0].value == pytest.approx(value, abs=1e-6)
    for name, points in series.items():
        assert [(e.step, e.value) for e in events.Scalars(name)] == [(s, pytest.approx(a, abs=1e-6)) for s, a in points]
    text = events.Tensors("run/text_summary")[0].tensor_proto.string_val[0].decode()
    assert "| seed | 3 |" in text
    assert events.Tags()["images"] == ["overview"]


@loud
def test_mlflow_reads_the_run_back_from_a_database(
    record: Record, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracking = pytest.importorskip("mlflow.tracking")
    pytest.importorskip("sqlalchemy")
    monkeypatch.chdir(tmp_path)
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    assert "experiment faint" in TrackMlflow(uri, "faint").track(record)
    client = tracking.MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("faint")
    (run,) = client.search_runs([experiment.experiment_id])
    single, series = expected(folder)
    assert run.info.status == "FINISHED"
    assert run.info.run_name == record.name
    assert run.data.params == record.parameters
    assert {name: run.data.metrics[name] for name in single} == pytest.approx(single)
    assert set(run.data.metrics) == {*single, *series}
    for name, points in series.items():
        assert [(m.step, m.value) for m in client.get_metric_history(run.info.run_id, name)] == points
    assert {f.path for f in client.list_artifacts(run.info.run_id)} == {
        "report.html",
        "curves.parquet",
        "manifest.json",
    }
    where = Path(client.download_artifacts(run.info.run_id, "manifest.json"))
    assert where.read_bytes() == (folder / "manifest.json").read_bytes()


def wandb_records(path: Path) -> list[Any]:
    """The records of an offline run: a log in LevelDB's format, blocks of 32 KiB after a header of 7 bytes."""
    from wandb.proto.wandb_internal_pb2 import Record as WandbRecord

    data, at, piece, found = path.read_bytes(), 7, b"", []
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:  # the rest of a block that no header fits in
            at += 32768 - at % 32768
            continue
        _, length, kind = struct.unpack("<IHB", data[at : at + 7])
        piece += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):  # whole, or the last of several pieces
            found.append(WandbRecord.FromString(piece))
            piece = b""
    return found


def said(items: Any) -> dict[str, Any]:
    return {(item.key or ".".join(item.nested_key)): json.loads(item.value_json) for item in items}


@loud
def test_wandb_keeps_the_run_offline(record: Record, folder: Path) -> None:
    pytest.importorskip("wandb")
    TrackWandb("faint", mode="offline").track(record)
    (file,) = folder.glob("wandb/offline-run-*/run-*.wandb")
    rows = wandb_records(file)
    kinds = [row.WhichOneof("record_type") for row in rows]
    run = rows[kinds.index("run")].run
    assert (run.project, run.display_name) == ("faint", record.name)
    assert said(run.config.update).items() >= record.parameters.items()
    logged = [said(row.history.item) for row, kind in zip(rows, kinds, strict=True) if kind == "history"]
    single, series = expected(folder)
    for name, points in series.items():
        assert [(round(1000 * row["hardness"]), row[name]) for row in logged if name in row] == points
    summary: dict[str, Any] = {}
    for row, kind in zip(rows, kinds, strict=True):
        if kind == "summary":
            summary |= said(row.summary.update)
    assert {name: summary.get(name) for name in single} == pytest.approx(single)
    artifact = rows[kinds.index("artifact")].artifact
    assert {entry.path for entry in artifact.manifest.contents} == {"report.html", "curves.parquet", "manifest.json"}


def test_a_multirun_is_tracked_once_it_is_merged(tmp_path: Path) -> None:
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    done = command(tmp_path, "-m", "shard=1/2,2/2", "tracking=tensorboard", "out=many", "report=false")
    assert done.returncode == 0, done.stderr
    assert "Tracked in" in done.stderr
    (file,) = tmp_path.rglob("events.out.tfevents.*")
    assert file.parent == tmp_path / "many" / "tensorboard"
    events = accumulators.EventAccumulator(str(file.parent))
    events.Reload()
    curves = pl.read_parquet(tmp_path / "many" / "curves.parquet")
    found = [e.value for e in events.Scalars("digits_cnn/gaussian_noise.sigma/accuracy")]
    assert found == pytest.approx(curves["accuracy"].to_list(), abs=1e-6)
    assert curves["n"].unique().to_list() == [20]


def test_a_tracker_that_fails_costs_no_run(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    (tmp_path / "taken").write_text("a file")
    done = command(tmp_path, "tracking=tensorboard", "tracking.folder=taken", "out=run", "report=false")
    assert done.returncode == 0, done.stderr
    assert "hardgen: warning: the run is whole, but tracking=tensorboard failed: " in done.stderr
    assert "Tracked" not in done.stderr
    assert hardgen.Run.open(tmp_path / "run").complete
    assert "tracking" not in json.loads((tmp_path / "run" / "manifest.json").read_text())["config"]
    dry = command(tmp_path, "tracking=tensorboard", "out=run", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert not list(tmp_path.rglob("events.out.tfevents.*"))


WITHOUT = """
import sys
sys.modules[{module!r}] = None
from hardgen.running import run
sys.exit(run("sweep", {words!r}))
"""


@pytest.mark.parametrize("mode", [[], ["-m", "seed=0,1"]])
@pytest.mark.parametrize("extra", ["mlflow", "tensorboard", "wandb"])
def test_a_missing_library_is_named_before_anything_runs(tmp_path: Path, extra: str, mode: list[str]) -> None:
    script = WITHOUT.format(module=extra, words=[*QUICK, f"tracking={extra}", "out=run", *mode])
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    line = f"hardgen: error: tracking={extra} needs the extra: pip install 'hardgen[{extra}]'"
    assert done.stderr.strip() == line
    assert not list(tmp_path.rglob("*.parquet"))


def test_an_unknown_tracker_is_one_line(tmp_path: Path) -> None:
    done = command(tmp_path, "tracking=mlfow")
    assert done.returncode == 2
    assert done.stderr.strip() == "hardgen: error: unknown tracking 'mlfow'; did you mean 'mlflow'?"
