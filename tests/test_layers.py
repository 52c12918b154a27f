"""Imports point downward only."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "hardgen"

FLOORS = [
    [
        "errors",
        "files",
        "tables",
        "progress",
        "images",
        "known",
        "knobs",
        "fields",
        "rng",
        "batch",
        "functional",
        "heap",
    ],
    ["perturbation", "registry", "adapters"],
    ["perturbations", "pipeline"],
    ["data", "models", "testing"],
    ["provenance"],
    ["sweeps", "generate", "doses", "thumbnails", "variant_files", "preview"],
    ["analysis"],
    ["report"],
    ["engine"],
    ["calibrate"],
    ["api", "config"],
    ["config_errors", "help", "listing", "say", "jobs", "merge", "tracking"],
    ["commands"],
    ["running"],
    ["cli"],
]
"""From the ground up; within a floor, and within a folder, anything may import anything."""

TABLES_ONLY = [
    "analysis",
    "report",
    "provenance",
    "sweeps.design",
    "sweeps.margins",
    "sweeps.results",
    "sweeps.sums",
    "sweeps.ledger",
    "sweeps.pictures",
    "sweeps.merging",
    "sweeps.joint_manifest",
    "sweeps.shards",
    "tracking.record",
    "tracking.tracker",
]


def modules() -> dict[str, Path]:
    names = {p: p.relative_to(PACKAGE).with_suffix("").parts for p in PACKAGE.rglob("*.py")}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): p for p, parts in names.items()}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def floor(module: str) -> int:
    return next(i for i, rooms in enumerate(FLOORS) if module.split(".")[0] in rooms)


def test_every_module_has_a_floor_and_imports_only_from_its_own_or_below() -> None:
    known = modules()
    rooms = {module.split(".")[0] for module in known if module}
    inner = [
        (module, name.removeprefix("hardgen."))
        for module, path in known.items()
        for name in imports(path)
        if module and name.startswith("hardgen.") and name.split(".")[1] in rooms
    ]
    assert len(inner) > 50
    assert [f"{a} imports {b}" for a, b in inner if floor(b) > floor(a)] == []


def test_what_reads_tables_never_imports_torch() -> None:
    heavy = {"torch", "torchvision", "cv2", "kornia"}
    known = modules()
    wrong = [
        f"{module} imports {name}"
        for module, path in known.items()
        if any(module == room or module.startswith(f"{room}.") for room in TABLES_ONLY)
        for name in imports(path)
        if name.split(".")[0] in heavy
    ]
    assert wrong == []


def test_hydra_is_known_to_the_bridge_and_the_command_line_only() -> None:
    users = {
        m.split(".")[0]
        for m, p in modules().items()
        if any(n.split(".")[0] in ("hydra", "omegaconf") for n in imports(p))
    }
    assert users <= {"config", "config_errors", "running", "commands", "merge", "tracking"}


def test_no_file_is_long() -> None:
    long = {m: n for m, p in modules().items() if (n := len(p.read_text().splitlines())) > 250}
    assert long == {}
