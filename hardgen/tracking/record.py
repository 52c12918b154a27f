"""What a tracker is told of a run, read off its tables."""

import re
from dataclasses import dataclass
from pathlib import Path

from hardgen.provenance import counted
from hardgen.sweeps.reading import MANIFEST, read_manifest
from hardgen.tables import read_table

STEPS = 1000
"""Trackers count steps in whole numbers: a step is a thousandth of hardness."""
FILES = ("report.html", "curves.parquet", MANIFEST)
"""The files that a tracker keeps."""


@dataclass(frozen=True)
class Point:
    """One number of a series.

    Attributes:
        series: Its name, `MODEL/AXIS/accuracy`.
        hardness: Where on the axis, 0 (clean) to 1.
        accuracy: The share of right answers there.
    """

    series: str
    hardness: float
    accuracy: float

    @property
    def step(self) -> int:
        """Hardness in thousandths."""
        return round(self.hardness * STEPS)


@dataclass(frozen=True)
class Record:
    """What a tracker is told of one run, or of one merged multirun.

    Attributes:
        name: The run's folder, its last two parts.
        folder: Where it lies.
        parameters: What it stands on: data, models, pipeline, seed and the like.
        metrics: For each model `MODEL/clean`, and for each axis `MODEL/AXIS/area` and, where accuracy falls half way to
            chance, `MODEL/AXIS/threshold`, the hardness at which it does.
        points: Accuracy along each axis, series by series, hardness rising.
        files: The report, the curves and the manifest, those that are there.
    """

    name: str
    folder: Path
    parameters: dict[str, str]
    metrics: dict[str, float]
    points: list[Point]
    files: list[Path]


def record_of(folder: Path) -> Record:
    """Reads a finished run.

    Raises:
        HardgenError: if it is no run, or a table is damaged.
    """
    manifest = read_manifest(folder)
    models = [entry["name"] for entry in manifest["models"]]
    plain = dict(zip(models, _plain(models), strict=True))
    data = manifest["data"]
    parameters = {
        "data": str(data.get("name")),
        "data_fingerprint": str(data.get("fingerprint")),
        "images": counted(data),
        "models": ", ".join(models),
        "pipeline": ", ".join(f"{slot['slot']}={slot['perturbation']}" for slot in manifest.get("pipeline", [])),
        "axes": ", ".join(axis["axis"] for axis in manifest["axes"]),
        "mode": str(manifest["mode"]),
        "seed": str(manifest["seed"]),
        "hardgen": str(manifest.get("hardgen")),
    }
    metrics: dict[str, float] = {}
    for row in read_table(folder / "tables" / "thresholds.parquet").iter_rows(named=True):
        metrics[f"{plain[row['model']]}/clean"] = row["clean"]
        if row["hardness"] is not None:
            metrics[f"{plain[row['model']]}/{row['axis']}/threshold"] = row["hardness"]
    for row in read_table(folder / "tables" / "areas.parquet").iter_rows(named=True):
        metrics[f"{plain[row['model']]}/{row['axis']}/area"] = row["area"]
    points = [
        Point(f"{plain[row['model']]}/{row['axis']}/accuracy", row["hardness"], row["accuracy"])
        for row in read_table(folder / "curves.parquet").iter_rows(named=True)
    ]
    where = folder.resolve()
    files = [folder / name for name in FILES if (folder / name).is_file()]
    return Record("/".join(where.parts[-2:]).lstrip("/"), where, parameters, metrics, points, files)


def _plain(names: list[str]) -> list[str]:
    """Names of the characters that every tracker takes; two that so become one are numbered."""
    made = [re.sub(r"[^\w. -]+", "_", name).strip("_ ") or "model" for name in names]
    return [name if made.index(name) == i else f"{name} {made[: i + 1].count(name)}" for i, name in enumerate(made)]
