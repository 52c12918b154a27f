"""The pictures of several runs as those of one."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hardgen.files import atomic_path
from hardgen.sweeps.results import Run


def joined_pictures(runs: Sequence[Run], labels: Sequence[dict[str, str]]) -> dict[str, list[dict[str, Any]]] | None:
    """Every strip once; the mistakes of every model under its merged name."""
    kept = [(run.pictures, own) for run, own in zip(runs, labels, strict=True) if run.pictures is not None]
    if not kept:
        return None
    strips: dict[tuple[str, str], dict[str, Any]] = {}
    mistakes: dict[tuple[Any, ...], dict[str, Any]] = {}
    for pictures, own in kept:
        for strip in pictures["strips"]:
            strips.setdefault((strip["axis"], strip["sample_id"]), strip)
        for row in pictures["mistakes"]:
            renamed = row | {"model": own.get(row["model"], row["model"])}
            mistakes.setdefault(tuple(renamed[k] for k in ("model", "axis", "condition_id", "sample_id")), renamed)
    return {"strips": list(strips.values()), "mistakes": list(mistakes.values())}


def copy_pictures(pictures: dict[str, list[dict[str, Any]]], folder: Path) -> None:
    """Copies every picture under a new name, since two runs may name theirs alike, and writes the index."""
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, str] = {}

    def copied(file: str | None) -> str | None:
        if file is None or not Path(file).is_file():
            return None
        if file not in names:
            names[file] = f"{len(names):04d}-{Path(file).name}"
            with atomic_path(folder / names[file]) as temporary:
                shutil.copyfile(file, temporary)
        return names[file]

    strips = [s | {"cells": [c | {"file": copied(c["file"])} for c in s["cells"]]} for s in pictures["strips"]]
    mistakes = [m | {"file": copied(m["file"]), "clean_file": copied(m["clean_file"])} for m in pictures["mistakes"]]
    with atomic_path(folder / "index.json") as temporary:
        text = json.dumps({"strips": strips, "mistakes": mistakes}, indent=1, ensure_ascii=False)
        temporary.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
