"""Runs read back: a folder on disk as tables, whole and checked, without torch, models or images."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import polars as pl

from hardgen.errors import HardgenError
from hardgen.sweeps.sums import SUMS, file_sum, read_sums
from hardgen.tables import read_table

CLEAN = "clean"
"""The axis name of the baseline in the conditions table."""
MANIFEST = "manifest.json"
CONDITIONS = "conditions.parquet"
KEYS: dict[str, type | tuple[type, ...]] = {
    "seed": (int, type(None)),
    "mode": str,
    "data": dict,
    "models": list,
    "axes": list,
    "status": str,
    "parts": list,
    "chance": (int, float),
    "done": int,
}
"""What a manifest must say for a run to be read."""
ANSWER_COLUMNS = ("condition_id", "model", "sample_id", "label", "prediction", "correct", "confidence")
DOSES = {"condition_id": pl.String, "sample_id": pl.String, "dose": pl.String, "value": pl.Float32}
"""The doses table: a row for each variant and dose."""
CONDITION_COLUMNS = ("condition_id", "axis", "hardness", "value", "unit", "spec", "mode")


@dataclass(frozen=True)
class Run:
    """One run, or several merged ones: everything that analysis and report need.

    Attributes:
        name: The folder's name.
        manifest: What the result stands on (`manifest.json`).
        conditions: One row per condition and axis that it sets.
        answers: One row per condition, model and image; see `samples`.
        pictures: `strips` and `mistakes` of `images/index.json` with absolute `file` paths; None where there are none.
        dose_files: The files of the realised doses; see `doses`.
    """

    name: str
    manifest: dict[str, Any]
    conditions: pl.DataFrame
    answers: pl.DataFrame
    pictures: dict[str, list[dict[str, Any]]] | None
    dose_files: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        """What is in it, in one line."""
        counts = (
            (len(self.models), "model"),
            (self.conditions["condition_id"].n_unique(), "condition"),
            (self.answers["sample_id"].n_unique(), "image"),
        )
        parts = ", ".join(f"{n:,} {what}{'s' * (n != 1)}" for n, what in counts)
        return f"<Run {self.name}: {parts}, {self.manifest['status']}>"

    @classmethod
    def open(cls, path: str | Path, allow_incomplete: bool = False) -> "Run":
        """Reads a run's folder.

        Args:
            path: The folder that holds `manifest.json`.
            allow_incomplete: Whether to take what there is of a run that was not finished.

        Raises:
            HardgenError: if it is no run, is incomplete, or a file is damaged; the line names the file.
        """
        folder = Path(path)
        manifest = _read_manifest(folder)
        complete = manifest["status"] == "complete"
        if not complete and not allow_incomplete:
            raise HardgenError(_incomplete(folder, manifest))
        sums = read_sums(folder)
        conditions = _read_table(folder / CONDITIONS, CONDITION_COLUMNS)
        answers = _read_answers(folder, manifest["parts"], sums, allow_incomplete)
        if not complete:
            manifest["done"] = answers.height
        elif answers.height != manifest["done"]:
            raise HardgenError(
                f"{folder} is damaged: its files hold {answers.height} of {manifest['done']} answers; run the same "
                "command again to make them anew"
            )
        models = [entry["name"] for entry in manifest["models"]]
        answers = ordered(answers, conditions, models)
        doses = tuple(folder / "doses" / name for name in manifest.get("doses", []))
        return cls(folder.resolve().name, manifest, conditions, answers, _read_pictures(folder), doses)

    def samples(self) -> pl.DataFrame:
        """Every answer, in the order of the conditions, then of the models, then by sample id."""
        return self.answers

    def doses(self) -> pl.DataFrame:
        """The realised doses: `condition_id, sample_id, dose, value`, a dose being called `slot.name`."""
        tables = [_read_table(file, tuple(DOSES)) for file in self.dose_files if file.is_file()]
        keys = list(DOSES)[:3]
        return (
            pl.concat(tables).unique(keys, keep="first", maintain_order=True) if tables else pl.DataFrame(schema=DOSES)
        )

    def images(self) -> dict[str, list[dict[str, Any]]] | None:
        """The pictures that the sweep kept for the report, or None where there are none."""
        return self.pictures

    @property
    def complete(self) -> bool:
        """Whether every planned answer is there."""
        return bool(self.manifest["status"] == "complete")

    @property
    def models(self) -> list[str]:
        """Model names, in the order of the manifest."""
        return [entry["name"] for entry in self.manifest["models"]]

    @property
    def axes(self) -> list[dict[str, Any]]:
        """The manifest's axes: name, knob, unit, scale, neutral and hardest value, limits."""
        return cast(list[dict[str, Any]], self.manifest["axes"])

    @property
    def failures(self) -> list[dict[str, str]]:
        """Images that could not be read: `sample_id` and `reason`."""
        return cast(list[dict[str, str]], self.manifest.get("failures", []))

    def data(self, model: str) -> dict[str, Any]:
        """The data that a model was asked on: `name`, `fingerprint`, `n`, `classes`."""
        entry = next(entry for entry in self.manifest["models"] if entry["name"] == model)
        return cast(dict[str, Any], entry.get("data", self.manifest["data"]))

    def chance(self, model: str) -> float:
        """The accuracy of a guess on the model's data."""
        entry = next(entry for entry in self.manifest["models"] if entry["name"] == model)
        return float(entry.get("chance", self.manifest["chance"]))


def ordered(answers: pl.DataFrame, conditions: pl.DataFrame, models: list[str]) -> pl.DataFrame:
    """Answers in the order of the conditions, then of `models`, then by sample id, whatever order they came in."""
    place = conditions.select("condition_id").unique(maintain_order=True).with_row_index("_condition")
    rank = pl.DataFrame({"model": models}, schema={"model": pl.String}).with_row_index("_model")
    joined = answers.join(place, on="condition_id", how="inner").join(rank, on="model", how="inner")
    return joined.sort("_condition", "_model", "sample_id").drop("_condition", "_model")


def places(conditions: pl.DataFrame) -> list[int]:
    """For each row of the conditions table, the place that it belongs to: a set of rows that hold at once.

    Places with equal pixels share a condition, so that the condition alone does not tell them apart: in a grid or where
    axes move together a place's rows follow one another, and a new one begins where the condition changes or an axis
    comes again.
    """
    found: list[int] = []
    place, last, seen = -1, ("", ""), set[str]()
    for cid, axis, mode in conditions.select("condition_id", "axis", "mode").iter_rows():
        if (cid, mode) != last or axis in seen or mode == "one_at_a_time" or CLEAN in (axis, *seen):
            place, last, seen = place + 1, (cid, mode), set()
        seen.add(axis)
        found.append(place)
    return found


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.is_file():
        what = "is not a run: it holds no manifest.json" if folder.is_dir() else "is not a folder"
        raise HardgenError(f"{folder} {what}")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise HardgenError(f"{path} is damaged: {_one_line(error)}") from error
    content = manifest if isinstance(manifest, dict) else {}
    wrong = [key for key, kind in KEYS.items() if key not in content or not isinstance(content[key], kind)]
    for key, inner in (("models", "name"), ("axes", "axis")):
        if key not in wrong and not all(isinstance(entry, dict) and inner in entry for entry in content[key]):
            wrong.append(key)
    if wrong:
        raise HardgenError(f"{path} is not the manifest of a run: it lacks (or has malformed) {', '.join(wrong)}")
    return cast(dict[str, Any], manifest)


def _read_table(path: Path, columns: tuple[str, ...]) -> pl.DataFrame:
    if not path.is_file():
        raise HardgenError(f"{path.parent} is incomplete: {path.name} is missing")
    table = read_table(path)
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise HardgenError(f"{path} is damaged: it lacks the columns {', '.join(missing)}")
    return table


def _incomplete(folder: Path, manifest: dict[str, Any]) -> str:
    """What is missing of a run, and why if that is known."""
    files = [folder / "samples" / part for part in manifest["parts"]]
    there = sum(file.is_file() for file in files)
    reasons = [gap["reason"] for gap in manifest.get("missing", [])[:1]]
    return (
        f"{folder} is incomplete ({there} of {len(files)} files of answers are there"
        f"{''.join(f'; {reason}' for reason in reasons)}): run the same command again to finish it, or allow "
        "incomplete runs"
    )


def _read_answers(folder: Path, parts: list[str], sums: dict[str, str], allow_incomplete: bool) -> pl.DataFrame:
    """The listed parts; other files under `samples/` belong to an older configuration and are left alone."""
    paths = [folder / "samples" / part for part in parts]
    missing = [path.name for path in paths if not path.is_file()]
    if missing and not allow_incomplete:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise HardgenError(
            f"{folder} is incomplete: samples/{missing[0]}{more} of {len(parts)} files missing; run the same command "
            "again to make them"
        )
    tables = []
    for path in paths:
        if path.is_file():
            if sums.get(f"samples/{path.name}", found := file_sum(path)) != found:
                raise HardgenError(
                    f"{path} is damaged: it is not as it was written (its SHA-256 is not that of {SUMS}); run the same "
                    "command again to make it anew"
                )
            tables.append(_read_table(path, ANSWER_COLUMNS))
    if not tables:
        raise HardgenError(f"{folder} holds no answers: no file of samples/ that its manifest lists is there")
    return pl.concat(tables, how="diagonal")


def _read_pictures(folder: Path) -> dict[str, list[dict[str, Any]]] | None:
    path = folder / "images" / "index.json"
    if not path.is_file():
        return None
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        for strip in index["strips"]:
            for cell in strip["cells"]:
                cell["file"] = _beside(path, cell["file"])
        for row in index["mistakes"]:
            row["file"] = _beside(path, row["file"])
            row["clean_file"] = _beside(path, row["clean_file"])
    except (ValueError, KeyError, TypeError) as error:
        raise HardgenError(f"{path} is damaged: {_one_line(error)}") from error
    return cast(dict[str, list[dict[str, Any]]], index)


def _beside(index: Path, name: str | None) -> str | None:
    """The picture of that name in the index's own folder, and no other."""
    return None if name is None else str(index.parent / Path(name).name)


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
