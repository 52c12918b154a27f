"""The manifests of several runs as one: what is shared is said once, and what differs beside its model."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hardgen.provenance import chain
from hardgen.sweeps.results import Run
from hardgen.sweeps.shards import put_together


def joint_manifest(
    runs: Sequence[Run], names: Sequence[str], labels: Sequence[Mapping[str, str]], paths: Sequence[str]
) -> dict[str, Any]:
    """The manifest of the merged run.

    Args:
        runs: The runs, at least one.
        names: What each is called.
        labels: For each, what each of its models is called in the merged run.
        paths: Where each lies.
    """
    manifests = [run.manifest for run in runs]
    first, designs = manifests[0], [m.get("design", "full") for m in manifests]
    same_data = len({m["data"]["fingerprint"] for m in manifests}) == 1
    data = put_together([m["data"] for m in manifests if m["data"]["fingerprint"] == first["data"]["fingerprint"]])
    models = _models(manifests, labels, data if same_data else {})
    axes: dict[str, dict[str, Any]] = {}
    for axis in (axis for m in manifests for axis in m["axes"]):
        known = axes.setdefault(axis["axis"], dict(axis))
        stops = dict(zip(known.get("hardness", []), known.get("values", []), strict=False))
        stops |= dict(zip(axis.get("hardness", []), axis.get("values", []), strict=False))
        known |= {"hardness": sorted(stops), "values": [stops[h] for h in sorted(stops)]}
    return {
        **first,
        "created": max(str(m.get("created", "")) for m in manifests),
        "status": "complete" if all(run.complete for run in runs) else "incomplete",
        "seed": _common([m["seed"] for m in manifests]),
        "design": _common(designs) or "levels",
        "mode": _common([m["mode"] for m in manifests]) or "mixed",
        "data": data,
        "models": models,
        "pipeline": _unique(slot for m in manifests for slot in m.get("pipeline", [])),
        "axes": list(axes.values()),
        "failures": sorted(_unique(row for m in manifests for row in m.get("failures", [])), key=_sample),
        "planned": sum(int(m.get("planned") or 0) for m in manifests),
        "done": sum(int(m.get("done") or 0) for m in manifests),
        "git": _common([m.get("git") for m in manifests]),
        "config": {name: m.get("config") for name, m in zip(names, manifests, strict=True)},
        "provenance": chain(data, models, list(axes.values()))
        if same_data and any("shards" in m["data"] for m in manifests)
        else _unique(link for m in manifests for link in m.get("provenance", [])),
        "merged_from": [
            {"name": name, "path": path}
            | {"created": m.get("created"), "seed": m["seed"], "data": m["data"]["fingerprint"]}
            for name, path, m in zip(names, paths, manifests, strict=True)
        ],
    }


def _models(
    manifests: Sequence[dict[str, Any]], labels: Sequence[Mapping[str, str]], shared: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Every model once, with data of its own where it was not asked about just the shared ones."""
    found: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for m, own in zip(manifests, labels, strict=True):
        for entry in m["models"]:
            there = {"data": entry.get("data", m["data"]), "chance": entry.get("chance", m["chance"])}
            found.setdefault(own[entry["name"]], []).append((entry, there))
    models = []
    for name, entries in found.items():
        data = put_together([there["data"] for _, there in entries])
        same = all(data.get(key) == shared.get(key) for key in ("fingerprint", "n", "shards"))
        kept = {key: value for key, value in entries[0][0].items() if key not in ("data", "chance")}
        own_data = {} if same else {"data": data, "chance": entries[0][1]["chance"]}
        models.append({**own_data, **kept, "name": name})
    return models


def _sample(row: Mapping[str, Any]) -> str:
    return str(row["sample_id"])


def _common(values: list[Any]) -> Any:
    return values[0] if all(value == values[0] for value in values) else None


def _unique(rows: Any) -> list[Any]:
    return list({json.dumps(row, sort_keys=True): row for row in rows}.values())
