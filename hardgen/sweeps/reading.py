"""The files of a run, read and checked: what is damaged or missing is named."""

import json
from pathlib import Path
from typing import Any, cast

import polars as pl

from hardgen.errors import HardgenError
from hardgen.sweeps.sums import SUMS, file_sum
from hardgen.tables import read_table

MANIFEST = "manifest.json"
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


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a run stands on."""
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


def read_columns(path: Path, columns: tuple[str, ...]) -> pl.DataFrame:
    """A table that has at least these columns."""
    if not path.is_file():
        raise HardgenError(f"{path.parent} is incomplete: {path.name} is missing")
    table = read_table(path)
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise HardgenError(f"{path} is damaged: it lacks the columns {', '.join(missing)}")
    return table


def incomplete(folder: Path, manifest: dict[str, Any]) -> str:
    """What is missing of a run, and why if that is known."""
    files = [folder / "samples" / part for part in manifest["parts"]]
    there = sum(file.is_file() for file in files)
    reasons = [gap["reason"] for gap in manifest.get("missing", [])[:1]]
    return (
        f"{folder} is incomplete ({there} of {len(files)} files of answers are there"
        f"{''.join(f'; {reason}' for reason in reasons)}): run the same command again to finish it, or allow "
        "incomplete runs"
    )


def read_answers(folder: Path, parts: list[str], sums: dict[str, str], allow_incomplete: bool) -> pl.DataFrame:
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
            tables.append(read_columns(path, ANSWER_COLUMNS))
    if not tables:
        raise HardgenError(f"{folder} holds no answers: no file of samples/ that its manifest lists is there")
    return pl.concat(tables, how="diagonal")


def read_pictures(folder: Path) -> dict[str, list[dict[str, Any]]] | None:
    """The index of a run's pictures, each with its path; None where there are none."""
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
