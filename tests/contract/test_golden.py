"""Pixels change only with a version: every perturbation's picture, half way, against the one on record.

`python -m tests.contract.test_golden` writes the record anew. It refuses where pixels changed and the version did not.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.functional import adaptive_avg_pool2d

import hardgen.perturbations  # noqa: F401  (fills the registry)
from hardgen.perturbation import Perturbation
from hardgen.registry import perturbations
from hardgen.testing import sample_batch
from hardgen.testing.contract import pixels, turned

RECORD = Path(__file__).with_name("golden.json")
COMMAND = "python -m tests.contract.test_golden"
TOLERANCE = 2e-3
BUILT_IN = {name: cls for name, cls in perturbations().items() if cls.__module__.startswith("hardgen.")}


def picture(cls: type[Perturbation]) -> list[float]:
    """Means of 4 x 4 cells per channel of two sample images, with the main knob half way."""
    batch = sample_batch(pick=(0, 3))
    images = pixels(turned(cls, next(iter(cls.knobs())), 0.5), batch)
    return [round(v, 4) for v in adaptive_avg_pool2d(images, 4).flatten().tolist()]


def complaint(cls: type[Perturbation], recorded: dict[str, Any] | None) -> str:
    """What is wrong between a class and its record; empty where nothing is."""
    if recorded is None:
        return f"{cls.name} has no record: run `{COMMAND}`"
    if recorded["version"] != cls.version:
        return f"{cls.name} is at version {cls.version}, the record at {recorded['version']}: run `{COMMAND}`"
    off = float((torch.tensor(picture(cls)) - torch.tensor(recorded["picture"])).abs().max())
    if off > TOLERANCE:
        return f"pixels of {cls.name} changed (by {off:.4f} in a cell): raise its version and run `{COMMAND}`"
    return ""


def read() -> dict[str, Any]:
    return json.loads(RECORD.read_text()) if RECORD.is_file() else {}


@pytest.mark.parametrize("name", BUILT_IN)
def test_pixels_are_as_recorded(name: str) -> None:
    assert complaint(BUILT_IN[name], read().get(name)) == ""


def test_record_holds_nothing_else() -> None:
    assert sorted(set(read()) - set(BUILT_IN)) == []


def test_changed_pixels_are_noticed() -> None:
    cls = BUILT_IN["watermark"]
    recorded = {"version": cls.version, "picture": [v + 0.003 for v in picture(cls)]}
    assert complaint(cls, recorded).startswith("pixels of watermark changed")
    assert complaint(cls, None) == f"watermark has no record: run `{COMMAND}`"
    assert "is at version" in complaint(cls, {**recorded, "version": cls.version + 1})


def write() -> int:
    """Writes the record anew; gives 1 if some pixels changed without a new version, 0 if all is well."""
    old, rows, refused = read(), [], 0
    for name, cls in sorted(BUILT_IN.items()):
        wrong = complaint(cls, old.get(name))
        row = {"version": cls.version, "picture": picture(cls)} if wrong else old[name]
        if wrong.startswith("pixels"):
            print(f"refused: {wrong}")
            row, refused = old[name], 1
        rows.append(f"{json.dumps(name)}: {json.dumps(row)}")
    RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    return refused


if __name__ == "__main__":
    sys.exit(write())
