"""Runs read back: a folder on disk as tables, whole and checked, without torch, models or images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import polars as pl

from hardgen.errors import HardgenError
from hardgen.sweeps.reading import (
    CONDITION_COLUMNS,
    DOSES,
    incomplete,
    read_answers,
    read_columns,
    read_manifest,
    read_pictures,
)
from hardgen.sweeps.sums import read_sums

CLEAN = "clean"
"""The axis name of the baseline in the conditions table."""
CONDITIONS = "conditions.parquet"


@dataclass(frozen=True)
class Run:
    """One run, or several merged ones: everything that analysis and report need.

    Attributes:
        name: The folder's name.
        manifest: What the result stands on (`manifest.json`).
        conditions: One row per condition and axis that it sets.
        answers: One row per condition, model and image; see `samples`.
        pictures: `strips` and `mistakes` of `images/index.json` with absolute `file` paths; None where there are none.
        dose_files: The files of the realised doses, by run where seeds or data differ; see `doses`.
    """

    name: str
    manifest: dict[str, Any]
    conditions: pl.DataFrame
    answers: pl.DataFrame
    pictures: dict[str, list[dict[str, Any]]] | None
    dose_files: Mapping[str, Sequence[Path]] = field(default_factory=dict)

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
        manifest = read_manifest(folder)
        complete = manifest["status"] == "complete"
        if not complete and not allow_incomplete:
            raise HardgenError(incomplete(folder, manifest))
        sums = read_sums(folder)
        conditions = read_columns(folder / CONDITIONS, CONDITION_COLUMNS)
        answers = read_answers(folder, manifest["parts"], sums, allow_incomplete)
        if not complete:
            manifest["done"] = answers.height
        elif answers.height != manifest["done"]:
            raise HardgenError(
                f"{folder} is damaged: its files hold {answers.height} of {manifest['done']} answers; run the same "
                "command again to make them anew"
            )
        models = [entry["name"] for entry in manifest["models"]]
        answers = ordered(answers, conditions, models)
        doses = {"": [folder / "doses" / name for name in manifest.get("doses", [])]}
        return cls(folder.resolve().name, manifest, conditions, answers, read_pictures(folder), doses)

    def samples(self) -> pl.DataFrame:
        """Every answer, in the order of the conditions, then of the models, then by sample id."""
        return self.answers

    def doses(self) -> pl.DataFrame:
        """The realised doses: `condition_id, sample_id, dose, value`, a dose being called `slot.name`.

        In the order of the conditions, then by sample id, then by dose. Of merged runs whose seeds or data differ the
        last column, `run`, says whose they are.
        """
        tables = [
            table.with_columns([] if run == "" or "run" in table.columns else [pl.lit(run).alias("run")])
            for run, files in self.dose_files.items()
            for table in (read_columns(file, tuple(DOSES)) for file in files if file.is_file())
        ]
        if not tables:
            return pl.DataFrame(schema=DOSES)
        joined = pl.concat(tables, how="diagonal")
        keys = [*list(DOSES)[:3], *(["run"] if "run" in joined.columns else [])]
        found = joined.unique(keys, keep="first", maintain_order=True)
        place = self.conditions.select("condition_id").unique(maintain_order=True).with_row_index("_condition")
        placed = found.join(place, on="condition_id", how="left", maintain_order="left")
        return placed.sort("_condition", *keys[1:], nulls_last=True, maintain_order=True).drop("_condition")

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
