"""Several runs as one: tables joined, nothing counted twice, and nothing mixed that does not belong together."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from hardgen.errors import HardgenError
from hardgen.files import atomic_path, locked
from hardgen.sweeps.design import Kind
from hardgen.sweeps.joint_manifest import joint_manifest
from hardgen.sweeps.ledger import Ledger
from hardgen.sweeps.pictures import copy_pictures, joined_pictures
from hardgen.sweeps.reading import MANIFEST
from hardgen.sweeps.results import CLEAN, CONDITIONS, Run, ordered, places

MERGED = "merged.parquet"
"""The file of a merged run's answers, and that of its doses."""


def load_runs(paths: Sequence[str | Path], allow_incomplete: bool = False) -> Run:
    """Opens one run, or several as if they were one.

    Conditions, axes, failures and models are united; the baseline that several runs share is taken once. Where runs
    that share a model's name disagree on its fingerprint, the data, the seed, or on what a place of an axis is, the
    model is called `name [run]` in each, so that nothing is mixed in silence. Shards of one run stay one, called after
    the first of them.

    Args:
        paths: Folders of runs, at least one.
        allow_incomplete: Whether unfinished runs are taken as they are.

    Raises:
        HardgenError: if there is no path, one is given twice, or a folder cannot be read as a run.
    """
    folders = [Path(path) for path in paths]
    if not folders:
        raise HardgenError("name at least one run folder; got none")
    resolved = [folder.resolve() for folder in folders]
    twice = next((f for f, r in zip(folders, resolved, strict=True) if resolved.count(r) > 1), None)
    if twice is not None:
        raise HardgenError(f"run folder {twice} is given twice")
    runs = [Run.open(folder, allow_incomplete) for folder in folders]
    if len(runs) == 1:
        return runs[0]
    searched = [run.manifest.get("design") == Kind.critical.name for run in runs]
    if any(searched) and not all(searched):
        other, search = folders[searched.index(False)], folders[searched.index(True)]
        raise HardgenError(f"{search} was run with design=critical, {other} was not: they cannot be put together")
    names = _names(resolved)
    labels = _labels(runs, names)
    conditions = _conditions(runs)
    answers = pl.concat(
        [r.answers.with_columns(pl.col("model").replace(own)) for r, own in zip(runs, labels, strict=True)],
        how="diagonal",
    ).unique(["condition_id", "model", "sample_id"], keep="first", maintain_order=True)
    manifest = joint_manifest(runs, names, labels, [str(folder) for folder in folders])
    models = [entry["name"] for entry in manifest["models"]]
    answers = ordered(answers, conditions, models)
    manifest["done"] = answers.height
    alike = len({(run.manifest["seed"], run.manifest["data"]["fingerprint"]) for run in runs}) == 1
    alike = alike and runs[0].manifest["seed"] is not None
    doses = {
        "" if alike else name: [
            file for r in (runs if alike else [run]) for files in r.dose_files.values() for file in files
        ]
        for name, run in zip(names, runs, strict=True)
    }
    return Run(" + ".join(names), manifest, conditions, answers, joined_pictures(runs, labels), doses)


def merge(paths: Sequence[str | Path], out: str | Path, allow_incomplete: bool = False) -> Path:
    """Writes several runs as one run folder, which reads like any other.

    Args:
        paths: Folders of runs.
        out: The folder to write; the manifest goes last, so that a killed merge is no run.
        allow_incomplete: Whether unfinished runs are taken as they are.

    Returns:
        `out`.

    Raises:
        HardgenError: if a folder cannot be read as a run, or `out` is one of them.
    """
    target = Path(out)
    if target.resolve() in [Path(path).resolve() for path in paths]:
        raise HardgenError(f"cannot merge into {target}: it is one of the runs to merge")
    run = load_runs(paths, allow_incomplete)
    tables = {CONDITIONS: run.conditions, f"samples/{MERGED}": run.answers, f"doses/{MERGED}": run.doses()}
    with locked(target):
        return _write(run, tables, target)


def _write(run: Run, tables: Mapping[str, pl.DataFrame], target: Path) -> Path:
    ledger = Ledger(target)
    for name, table in tables.items():
        ledger.write(name, table)
    ledger.keep(tables)
    if run.pictures is not None:
        copy_pictures(run.pictures, target / "images")
    manifest = run.manifest | {"parts": [MERGED], "doses": [MERGED]}
    with atomic_path(target / MANIFEST) as temporary:
        temporary.write_text(
            json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", errors="backslashreplace"
        )
    return target


def _names(folders: list[Path]) -> list[str]:
    """Folder names, with as much of the path as tells them apart."""
    for depth in range(1, max(len(folder.parts) for folder in folders)):
        names = ["/".join(folder.parts[-depth:]) for folder in folders]
        if len(set(names)) == len(names):
            return names
    return [str(folder) for folder in folders]


def _labels(runs: list[Run], names: list[str]) -> list[dict[str, str]]:
    """For each run, what each of its models is called in the merged one."""
    labels: list[dict[str, str]] = []
    for i, run in enumerate(runs):
        own = {}
        for entry in run.manifest["models"]:
            rivals = [other for j, other in enumerate(runs) if j != i and entry["name"] in other.models]
            clash = any(_differ(run, other, entry["name"]) for other in rivals)
            first = next((j for j in range(i) if _shards_of_one(run, runs[j], entry["name"])), i)
            own[entry["name"]] = f"{entry['name']} [{names[first]}]" if clash else entry["name"]
        labels.append(own)
    return labels


def _differ(a: Run, b: Run, model: str) -> bool:
    """Whether two runs' answers of one model must be kept apart."""
    prints = [next(m["fingerprint"] for m in run.manifest["models"] if m["name"] == model) for run in (a, b)]
    found = [{key: cid for cid, key in _places(run)} for run in (a, b)]
    shared = found[0].keys() & found[1].keys()
    return (
        prints[0] != prints[1]
        or a.manifest["seed"] != b.manifest["seed"]
        or a.data(model)["fingerprint"] != b.data(model)["fingerprint"]
        or any(found[0][key] != found[1][key] for key in shared)
        or _joint(a) & _alone(b) != set()
        or _alone(a) & _joint(b) != set()
    )


def _shards_of_one(a: Run, b: Run, model: str) -> bool:
    """Whether two runs asked a model the same about different images of one data set."""
    return (
        all("shards" in run.manifest["data"] and model in run.models for run in (a, b))
        and not _differ(a, b, model)
        and a.conditions.equals(b.conditions)
    )


def _joint(run: Run) -> set[str]:
    return set(run.conditions.filter(pl.col("mode") == "together")["axis"]) - {CLEAN}


def _alone(run: Run) -> set[str]:
    return set(run.conditions.filter(pl.col("mode") != "together")["axis"]) - {CLEAN}


def _places(run: Run) -> list[tuple[str, tuple[tuple[str, float], ...]]]:
    """Every place of a run: its condition, and where it stands on the axes that it turns.

    Neutral axes are left out of the key, so that grids and single axes can be compared.
    """
    return [
        (rows[0]["condition_id"], _key(row for row in rows if row["hardness"] > 0 or row["axis"] == CLEAN))
        for rows in _rows(run)
    ]


def _rows(run: Run) -> list[list[dict[str, Any]]]:
    """The rows of the conditions table, place by place."""
    found: dict[int, list[dict[str, Any]]] = {}
    for place, row in zip(places(run.conditions), run.conditions.iter_rows(named=True), strict=True):
        found.setdefault(place, []).append(row)
    return list(found.values())


def _key(rows: Iterable[dict[str, Any]]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted((row["axis"], row["hardness"]) for row in rows))


def _conditions(runs: list[Run]) -> pl.DataFrame:
    """Every place once, its rows together, in the order of first appearance."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for rows in (rows for run in runs for rows in _rows(run)):
        found.setdefault((rows[0]["condition_id"], _key(rows)), rows)
    return pl.DataFrame([row for rows in found.values() for row in rows], schema=runs[0].conditions.schema)
