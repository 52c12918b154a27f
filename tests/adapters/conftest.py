"""A registry of the test's own, and YAML files to load into it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hardgen.perturbations  # noqa: F401  (fills the registry)
from hardgen import registry
from hardgen.adapters.adapted import Adapted
from tests.adapters.adapter_texts import Load


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("hardgen_plugin_"):
            del sys.modules[name]


@pytest.fixture
def load(own_registry: None, tmp_path: Path) -> Load:
    """Loads a text as `mine.yaml` and gives the class that joined last."""

    def call(text: str) -> type[Adapted]:
        file = tmp_path / "mine.yaml"
        file.write_text(text)
        module = sys.modules[registry.load_file(file)]
        classes = [c for c in vars(module).values() if isinstance(c, type)]
        assert issubclass(classes[-1], Adapted)
        return classes[-1]

    return call
