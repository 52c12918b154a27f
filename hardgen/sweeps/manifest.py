"""The manifest: what a result stands on."""

import dataclasses
import importlib.metadata
import json
import math
import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hardgen.data.dataset import Dataset
from hardgen.data.loading import Failure
from hardgen.files import atomic_path
from hardgen.models.model import Model
from hardgen.pipeline import fields_of
from hardgen.provenance import chain
from hardgen.sweeps.parts import Part
from hardgen.sweeps.plan import Plan
from hardgen.sweeps.shards import WHOLE, Shard, shared_out

LIBRARIES = ("torch", "torchvision", "numpy", "opencv-python-headless", "pillow", "polars", "hydra-core")


def manifest(
    plan: Plan,
    dataset: Dataset,
    models: Sequence[Model],
    seed: int,
    config: Mapping[str, Any],
    laid: Sequence[Part],
    shard: Shard = WHOLE,
) -> dict[str, Any]:
    """Everything that is known of a run before it begins, as JSON values.

    Args:
        plan: The conditions.
        dataset: The images.
        models: The models, by their names.
        seed: The run's seed.
        config: Every configuration value.
        laid: The files that will hold the answers.
        shard: Which of the images are asked about.
    """
    data: dict[str, Any] = {"name": dataset.name, "fingerprint": dataset.fingerprint(), "n": len(dataset)}
    data |= {"classes": list(dataset.classes), "config": config.get("data", {})}
    data = shared_out(data, shard)
    asked = [{"name": m.name, "fingerprint": m.fingerprint(), "config": _of(config, m.name)} for m in models]
    axes = [_axis(plan, i) for i in range(len(plan.axes))]
    cells = sum(block.count(range(len(part.indices))) for part in laid for block in part.blocks) * len(models)
    return {
        "hardgen": importlib.metadata.version("hardgen"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "status": "incomplete",
        "seed": seed,
        "mode": plan.mode.name,
        "design": plan.design.kind.name,
        "data": data,
        "models": asked,
        "chance": 1 / max(len(dataset.classes), 1),
        "pipeline": [
            {"slot": slot, "perturbation": p.name, "version": p.version, **fields_of(p)}
            for slot, p in plan.pipeline.slots.items()
        ],
        "axes": axes,
        "planned": cells,
        "done": 0,
        "failures": [],
        "parts": [file.removeprefix("samples/") for part in laid for b in part.blocks for file in b.answers.values()],
        "doses": [block.doses.removeprefix("doses/") for part in laid for block in part.blocks],
        "versions": {"python": platform.python_version()} | {n: importlib.metadata.version(n) for n in LIBRARIES},
        "git": _git(),
        "config": dict(config),
        "provenance": chain(data, asked, axes),
    }


def finished(before: Mapping[str, Any], failures: Sequence[Failure], done: int) -> dict[str, Any]:
    """The manifest after the run: how many answers there are, and what could not be read."""
    listed = sorted((dataclasses.asdict(f) for f in failures), key=lambda row: str(row["sample_id"]))
    return {**before, "status": "complete", "done": done, "failures": listed}


def write_manifest(path: Path, content: Mapping[str, Any]) -> None:
    """Writes JSON that any reader understands: infinite numbers become the text "inf"."""
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(finite(content), indent=2, allow_nan=False) + "\n")


def finite(value: Any) -> Any:
    """JSON values with infinite numbers as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(k): finite(v) for k, v in value.items()}
    return [finite(v) for v in value] if isinstance(value, (list, tuple)) else value


def _axis(plan: Plan, index: int) -> dict[str, Any]:
    axis = plan.axes[index]
    perturbation, knob = plan.pipeline.slots[axis.slot], axis.knob
    return {
        "axis": axis.name,
        "slot": axis.slot,
        "perturbation": perturbation.name,
        "family": perturbation.family,
        "published": perturbation.published,
        "knob": axis.name.partition(".")[2],
        "unit": knob.unit,
        "scale": knob.scale.value,
        "neutral": knob.neutral,
        "hardest": knob.hardest,
        "doc": knob.doc,
        "limits": perturbation.limits,
        "hardness": [0.0, *(p.hardness for p in axis.points)],
        "values": [knob.neutral, *(p.value for p in axis.points)],
    }


def _of(config: Mapping[str, Any], name: str) -> Any:
    model = config.get("model", {})
    return model.get(name, model) if isinstance(model, Mapping) else model


def _git() -> str | None:
    """The commit of hardgen's own checkout; None where it is installed."""
    root = Path(__file__).parents[2]
    if not (root / "pyproject.toml").is_file():
        return None
    call = ["git", "-C", str(root), "rev-parse", "HEAD"]
    try:
        found = subprocess.run(call, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
