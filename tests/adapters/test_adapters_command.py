"""Adapters from a YAML file on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hardgen.cli import main
from tests.adapters.adapter_texts import EMBOSS

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(own_registry: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        code = main(words)
        out, err = capfd.readouterr()
        return code, out, err

    return call


def test_preview_list_and_generate_take_a_yaml_plug_in(run: Run) -> None:
    Path("mine.yaml").write_text(EMBOSS)
    code, _, err = run("preview", "plugins=[mine.yaml]", "pipeline=relief", "images=1", "data.limit=2", "out=a.png")
    assert code == 0, err
    assert Path("a.png").stat().st_size > 1000
    code, out, err = run("list", "--json", "plugins=[mine.yaml]")
    assert code == 0, err
    row = next(row for row in json.loads(out) if row["name"] == "relief")
    assert (row["family"], row["doc"], row["settings"]) == ("adapters", "Makes a relief.", {})
    assert row["knobs"][0]["unit"] == "of the relief"
    words = ["plugins=[mine.yaml]", "pipeline=relief", "pipeline.relief.alpha=0.25", "hardness=[1]", "data.limit=2"]
    code, _, err = run("generate", *words, "out=variants")
    assert code == 0, err
    assert len(list(Path("variants").rglob("*.png"))) == 4


def test_a_mistake_is_one_line_and_code_2(run: Run) -> None:
    Path("mine.yaml").write_text(EMBOSS.replace("transform: Emboss", "transform: Embos"))
    code, _, err = run("preview", "plugins=[mine.yaml]", "pipeline=relief")
    assert code == 2
    assert err.strip() == (
        "hardgen: error: plugins: mine.yaml: relief: transform: albumentations has no 'Embos'; did you mean 'Emboss'?"
    )
