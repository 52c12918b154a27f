"""`hardgen list`: what there is to choose from, read off the registry."""

import dataclasses
import inspect
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.padding import Padding
from rich.text import Text

from hardgen.config import presets
from hardgen.data import SOURCES
from hardgen.errors import HardgenError
from hardgen.models import KINDS
from hardgen.perturbation import Perturbation
from hardgen.pipeline import fields_of
from hardgen.progress import console
from hardgen.registry import perturbations
from hardgen.sweeps.manifest import finite
from hardgen.thumbnails import write_thumbnails

THUMBNAILS = "--thumbnails="


def describe(cls: type[Perturbation]) -> dict[str, Any]:
    """A perturbation as plain data: name, family, doc, limits, version, knobs and settings."""
    knobs = [{"name": n} | dataclasses.asdict(k) | {"scale": k.scale.value} for n, k in cls.knobs().items()]
    settings = {name: value for name, value in fields_of(cls()).items() if name not in cls.knobs()}
    return {
        "name": cls.name,
        "family": cls.family,
        "doc": summary(cls),
        "limits": cls.limits,
        "version": cls.version,
        "knobs": knobs,
        "settings": settings,
    }


def summary(cls: type) -> str:
    """The first sentence of a class's docstring."""
    return (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")


def markdown(thumbnails: str = "") -> str:
    """The table of perturbations as Markdown.

    Args:
        thumbnails: The folder that holds a picture of each, as seen from the file that shows the table; none if empty.
    """
    lines = ["| family | perturbation | knob: neutral to hardest | what it does |", "|---|---|---|---|"]
    if thumbnails:
        lines = [f"{line} {end} |" for line, end in zip(lines, ("hardness 0.25, 0.5, 1", "---"), strict=True)]
    for row in map(describe, perturbations().values()):
        knobs = "<br>".join(
            f"`{k['name']}` {k['neutral']:g} to {k['hardest']:g} {k['unit']}".replace("inf", "∞") for k in row["knobs"]
        ).replace("|", r"\|")
        doc = row["doc"].replace("|", r"\|")
        picture = f" ![{row['name']}]({thumbnails}/{row['name']}.jpg) |" if thumbnails else ""
        lines.append(f"| {row['family']} | `{row['name']}` | {knobs} | {doc} |{picture}")
    return "\n".join(lines)


def list_command(words: Sequence[str]) -> None:
    """Prints everything; with `--json` the perturbations as a list of objects, with `--markdown` as a table.

    `--thumbnails=DIR` first writes a picture of each perturbation, which the Markdown table then shows.

    Raises:
        HardgenError: for any other word but `plugins=[...]`.
    """
    flags = ("--json", "--markdown")
    unknown = [w for w in words if w not in flags and not w.lstrip("+").startswith(("plugins=", THUMBNAILS))]
    if unknown:
        raise HardgenError(
            f"list takes --json, --markdown, --thumbnails=DIR, --doses and plugins=[FILE]; got {unknown[0]!r}"
        )
    folder = next((w.removeprefix(THUMBNAILS) for w in words if w.startswith(THUMBNAILS)), "")
    if folder:
        count = write_thumbnails(Path(folder))
        console.print(f"{count} pictures lie in {folder}", markup=False, soft_wrap=True)
    rows = [describe(cls) for cls in perturbations().values()]
    if "--json" in words:
        print(json.dumps(finite(rows), indent=2))
        return
    if "--markdown" in words:
        print(markdown(folder))
        return
    out, family = Console(highlight=False), ""
    for row in rows:
        if row["family"] != family:
            family = row["family"]
            out.print(f"\n[bold]{family}[/bold]   pipeline=NAME")
        lines = [f"{k['name']}: {k['neutral']:g} to {k['hardest']:g} {k['unit']}. {k['doc']}" for k in row["knobs"]]
        out.print(_entry(row["name"], [row["doc"], *lines]))
    out.print("\n[bold]presets[/bold]   pipeline=NAME")
    for name, sentence in presets().items():
        out.print(_entry(name, [sentence]))
    for title, known in (("data   data=NAME", SOURCES), ("models   model=NAME", KINDS)):
        word, _, usage = title.partition(" ")
        out.print(f"\n[bold]{word}[/bold] {usage}")
        for name, cls in known.items():
            keys = ", ".join(f.name for f in dataclasses.fields(cls))
            out.print(_entry(name, [summary(cls), *([f"keys: {keys}"] if keys else [])]))
    out.print("\nhardgen preview pipeline=NAME shows what one does.")


def _entry(name: str, lines: Sequence[str]) -> Group:
    """A name, and its lines below it, the first one bright."""
    texts = [Text(line, "" if i == 0 else "dim") for i, line in enumerate(lines)]
    return Group(Text(f"  {name}", "cyan"), *(Padding(text, (0, 0, 0, 6)) for text in texts))
