"""The images that a report shows, made again from the tables and kept as small files in the run."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import polars as pl

from hardgen.batch import Batch, Donors
from hardgen.data.dataset import Dataset
from hardgen.data.loading import to_batch
from hardgen.files import atomic_path, digest
from hardgen.sweeps.ask import variants
from hardgen.sweeps.manifest import finite
from hardgen.sweeps.plan import Condition, Plan

IMAGES, INDEX = "images", "index.json"


@dataclass(frozen=True)
class Gallery:
    """Makes variants of single samples again, pixel for pixel as the models saw them.

    Attributes:
        plan: The sweep's plan.
        dataset: Its images.
        pool: Its donors.
        seed: Its seed.
        folder: Where the files go.
    """

    plan: Plan
    dataset: Dataset
    pool: Donors
    seed: int
    folder: Path

    def save(self, strip_ids: Sequence[str], mistakes: pl.DataFrame) -> None:
        """Writes for every axis the given samples growing harder, the given mistakes, and an index of both.

        Args:
            strip_ids: Samples to show along every axis.
            mistakes: Rows of the mistakes table.
        """
        index = {
            "strips": [self._strip(axis.name, sample_id) for axis in self.plan.axes for sample_id in strip_ids],
            "mistakes": [self._mistake(row) for row in mistakes.iter_rows(named=True)],
        }
        with atomic_path(self.folder / INDEX) as temporary:
            temporary.write_text(json.dumps(finite(index), indent=1))

    def _strip(self, axis: str, sample_id: str) -> dict[str, object]:
        """One sample along one axis: the clean image, then every condition in which nothing else is turned."""
        clean, *rest = self.plan.conditions
        along = [c for c in rest if {p.axis for p in c.points if p.hardness > 0} == {axis}]
        if not along:  # axes that only move together
            along = [c for c in rest if any(p.axis == axis for p in c.points)]
        files = self._pictures(sample_id, [clean, *along])
        stops = [next(p for p in c.points if p.axis == axis) for c in along]
        neutral = next(a.neutral for a in self.plan.axes if a.name == axis)
        cells = [
            {"hardness": stop.hardness, "value": stop.value, "file": file}
            for stop, file in zip([neutral, *stops], files, strict=True)
        ]
        label = self.dataset.labels()[self._place(sample_id)]
        return {"axis": axis, "sample_id": sample_id, "label": label, "cells": cells}

    def _mistake(self, row: dict[str, object]) -> dict[str, object]:
        condition = next(c for c in self.plan.cells if c.id == row["condition_id"])
        clean, file = self._pictures(str(row["sample_id"]), [self.plan.conditions[0], condition])
        return {**row, "file": file, "clean_file": clean}

    def _pictures(self, sample_id: str, conditions: Sequence[Condition]) -> list[str]:
        batch = to_batch([self.dataset[self._place(sample_id)]], self.dataset.classes, self.pool)
        made = variants(self.plan.pipeline, conditions, batch, self.seed)
        return [
            self._write(f"{digest(sample_id)[:10]}-{c.id}.png", outcome.batch)
            for c, outcome in zip(conditions, made, strict=True)
        ]

    def _write(self, name: str, batch: Batch) -> str:
        write_png(self.folder / name, batch)
        return name

    def _place(self, sample_id: str) -> int:
        return self.dataset.ids().index(sample_id)


def write_png(path: Path, batch: Batch) -> None:
    """Writes the first image of a batch as a lossless 8-bit PNG."""
    pixels = (batch.images[0].permute(1, 2, 0) * 255).round().byte().cpu().numpy()
    _, data = cv2.imencode(".png", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    with atomic_path(path) as temporary:
        temporary.write_bytes(data.tobytes())
