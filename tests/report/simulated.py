"""Runs made from known psychometric curves, in the layout that a sweep leaves on disk."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.analysis.mistakes import mistakes
from hardgen.provenance import chain
from tests.report.scenes import harder, scene
from tests.report.simulated_axes import BLUR, CONTRAST, GRATING, OCCLUSION, Axis

__all__ = ["BLUR", "CONTRAST", "GRATING", "OCCLUSION", "Axis", "Simulated"]


@dataclass(frozen=True)
class Simulated:
    """What to simulate.

    Answers come from a latent: image i is right where its own tolerance exceeds the hardness, so that a curve's
    expected accuracy at its `half` is halfway between clean and chance.
    """

    models: Sequence[str] = ("resnet20", "resnet56", "mobilenet_v2")
    axes: Sequence[Axis] = (OCCLUSION, BLUR, CONTRAST)
    classes: Sequence[str] = ("aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "dog")
    n: int = 500
    stops: Sequence[float] = tuple(np.round(np.linspace(0.1, 1, 10), 10).tolist())
    mode: str = "one_at_a_time"
    clean: float = 0.94
    seed: int = 0
    data_seed: int = 0
    jitter: float = 0.12
    pictures: int = 96
    status: str = "complete"
    failures: Sequence[Mapping[str, str]] = field(
        default_factory=lambda: [
            {"sample_id": "bird/0007.jpg", "reason": "not an image: the file ends after 1,024 bytes"}
        ]
    )

    @property
    def chance(self) -> float:
        return 1 / len(self.classes)

    def accuracy(self, model: int, axis: Axis, h: float) -> float:
        """Expected accuracy: a logistic between clean and chance, scaled to go through clean at 0 exactly."""
        middle = axis.half - 0.08 * model
        s = 1 / (1 + np.exp((h - middle) / 0.09))
        top = 1 / (1 + np.exp((0 - middle) / 0.09))
        return self.chance + (self.clean - 0.02 * model - self.chance) * s / top

    def write(self, folder: Path) -> Path:
        """Writes the run and gives its folder back."""
        (folder / "samples").mkdir(parents=True)
        rng = np.random.default_rng(self.data_seed)
        labels = np.arange(self.n) % len(self.classes)
        ids = [f"{self.classes[y]}/{i:04d}.jpg" for i, y in enumerate(labels)]
        places = self._places()
        rows = [row for cid, points in places for row in self._rows(cid, points)]
        schema = {"hardness": pl.Float64, "value": pl.Float64}
        conditions = pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)
        conditions.write_parquet(folder / "conditions.parquet")
        skill = rng.random(self.n)
        tables = [
            self._answers(m, cid, points, ids, labels, skill, np.random.default_rng([self.seed, m, k]))
            for m in range(len(self.models))
            for k, (cid, points) in enumerate(places)
        ]
        samples = pl.concat(tables, how="diagonal")
        parts = []
        for m, name in enumerate(self.models):
            for part in range(0, self.n, 256):
                parts.append(f"{part // 256:05d}-{m}-simulated.parquet")
                own = samples.filter((pl.col("model") == name) & pl.col("sample_id").is_in(ids[part : part + 256]))
                own.write_parquet(folder / "samples" / parts[-1])
        manifest = self._manifest(parts, len(places))
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False), encoding="utf-8")
        if self.pictures:
            self._draw(folder / "images", samples, conditions, ids, labels)
        return folder

    def _places(self) -> list[tuple[str, tuple[tuple[Axis, float], ...]]]:
        if self.mode == "one_at_a_time":
            turned = [((axis, h),) for axis in self.axes for h in self.stops]
        elif self.mode == "grid":
            turned = list(itertools.product(*([(axis, h) for h in (0.0, *self.stops)] for axis in self.axes)))[1:]
        else:
            turned = [tuple((axis, h) for axis in self.axes) for h in self.stops]

        def cid(points: tuple[tuple[Axis, float], ...]) -> str:
            return "+".join(f"{a.name}@{h:g}" for a, h in points if h > 0) or "neutral"

        return [(cid(points), points) for points in ((), *turned)]

    def _rows(self, cid: str, points: tuple[tuple[Axis, float], ...]) -> list[dict[str, Any]]:
        base = {"condition_id": cid, "spec": "[]", "mode": self.mode}
        if not points:
            return [base | {"axis": "clean", "hardness": 0.0, "value": None, "unit": ""}]
        return [base | {"axis": a.name, "hardness": h, "value": a.value(h), "unit": a.unit} for a, h in points]

    def _answers(
        self, m: int, cid: str, points: Any, ids: list[str], labels: NDArray[Any], skill: NDArray[Any], rng: Any
    ) -> pl.DataFrame:
        kept = 1.0
        for axis, h in points:
            kept *= (self.accuracy(m, axis, h) - self.chance) / (self.accuracy(m, axis, 0) - self.chance)
        p = self.chance + (self.clean - 0.02 * m - self.chance) * kept
        noisy = np.where(rng.random(self.n) < self.jitter, rng.random(self.n), skill)
        right = noisy < p
        favourite = (labels + 1 + (rng.random(self.n) < 0.3)) % len(self.classes)
        favourite = np.where(rng.random(self.n) < 0.5 * (1 - kept), 2 % len(self.classes), favourite)
        favourite = np.where(favourite == labels, (labels + 1) % len(self.classes), favourite)
        sure = np.clip(self.chance + (1 - self.chance) * rng.beta(4, 1.2, self.n) * (0.4 + 0.6 * kept), 0, 1)
        table = {
            "condition_id": cid,
            "model": self.models[m],
            "sample_id": ids,
            "label": labels.astype(np.int64),
            "prediction": np.where(right, labels, favourite).astype(np.int64),
            "correct": right,
            "confidence": sure.astype(np.float32),
            "p_label": np.where(right, sure, (1 - sure) / 2).astype(np.float32),
            "loss": -np.log(np.clip(np.where(right, sure, (1 - sure) / 2), 1e-6, 1)).astype(np.float32),
        }
        return pl.DataFrame(table)

    def _manifest(self, parts: list[str], count: int) -> dict[str, Any]:
        axes = [
            {
                "axis": a.name,
                "slot": a.slot,
                "perturbation": a.perturbation,
                "family": "simulated",
                "knob": a.knob,
                "unit": a.unit,
                "scale": a.scale,
                "neutral": _json(a.neutral),
                "hardest": a.hardest,
                "doc": a.doc,
                "limits": a.limits,
                "hardness": [0.0, *self.stops],
                "values": [_json(a.value(h)) for h in (0.0, *self.stops)],
            }
            | ({"published": a.published} if a.published else {})
            for a in self.axes
        ]
        data = {
            "name": "simulated",
            "fingerprint": f"data-{self.data_seed}-{self.n}",
            "n": self.n,
            "classes": list(self.classes),
            "config": {"root": "~/images", "resize": 96},
        }
        models = [{"name": m, "fingerprint": f"weights-{m}", "config": {"arch": m}} for m in self.models]
        return {
            "hardgen": "0.1.0",
            "created": "2026-01-01T00:00:00+00:00",
            "status": self.status,
            "seed": self.seed,
            "mode": self.mode,
            "data": data,
            "models": models,
            "axes": axes,
            "pipeline": [{"slot": a.slot, "perturbation": a.perturbation, "version": 1} for a in self.axes],
            "failures": list(self.failures),
            "planned": self.n * count * len(self.models),
            "done": self.n * count * len(self.models),
            "versions": {"python": "3.11.9", "torch": "2.14.0"},
            "git": None,
            "config": {"data": data["config"], "seed": self.seed},
            "parts": parts,
            "provenance": chain(data, models, axes),
            "chance": self.chance,
        }

    def _draw(self, folder: Path, samples: pl.DataFrame, conditions: pl.DataFrame, ids: list[str], labels: Any) -> None:
        folder.mkdir()
        by_name = {a.name: a for a in self.axes}

        def save(sample_id: str, axis: Axis | None, h: float) -> str:
            index = ids.index(sample_id)
            name = f"{index:04d}-{axis.name if axis else 'clean'}-{h:g}.png"
            picture = scene(index, self.pictures)
            (picture if axis is None else harder(picture, axis, h)).save(folder / name)
            return name

        strips = [
            {
                "axis": a.name,
                "sample_id": ids[3],
                "label": int(labels[3]),
                "cells": [
                    {"hardness": h, "value": _json(a.value(h)), "file": save(ids[3], a if h else None, h)}
                    for h in (0.0, *self.stops)
                ],
            }
            for a in self.axes
        ]
        rows = [
            row
            | {
                "value": _json(row["value"]),
                "clean_file": save(row["sample_id"], None, 0.0),
                "file": save(row["sample_id"], by_name[row["axis"]], row["hardness"]),
            }
            for row in mistakes(samples, conditions, k=4).iter_rows(named=True)
        ]
        text = json.dumps({"strips": strips, "mistakes": rows}, ensure_ascii=False)
        (folder / "index.json").write_text(text, encoding="utf-8")


def _json(value: float | None) -> float | str | None:
    return str(value) if value is not None and not np.isfinite(value) else value
