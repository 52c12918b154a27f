"""Plug-ins: an installed package, a broken one, and a local file."""

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from hardgen import registry
from hardgen.errors import HardgenError

DIMMER = '''
"""A plug-in with one perturbation."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.knobs import knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("dimmer")
@dataclass(frozen=True)
class Dimmer(PhotometricPerturbation):
    """Turns the light down."""

    limits: ClassVar[str] = "No noise comes with the dark."

    loss: float = knob(0.0, hardest=0.9, unit="of the light", doc="Light that is lost.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images * (1 - self.loss)
'''

LOAD = """
import warnings
from hardgen import registry
from hardgen.testing import check_perturbation

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    registry.load_installed()
    registry.load_installed()
print(*sorted(str(w.message) for w in caught), sep="\\n")
cls = registry.get("dimmer")
check_perturbation(cls)
print(cls.name, cls.family)
"""


def install(folder: Path, module: str, code: str) -> None:
    """Lays a package down as an installer would: the module, and metadata with an entry point."""
    (folder / f"{module}.py").write_text(code)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[hardgen.perturbations]\n{module} = {module}\n")


def run_python(code: str, site: Path) -> subprocess.CompletedProcess[str]:
    script = f"import sys; sys.path.insert(0, {str(site)!r})\n{code}"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)


def test_installed_plugin_is_found_and_keeps_the_contract(tmp_path: Path) -> None:
    install(tmp_path, "dimmer_pack", DIMMER)
    done = run_python(LOAD, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["dimmer", "dimmer_pack"]


def test_broken_installed_plugin_is_a_warning_that_names_it(tmp_path: Path) -> None:
    install(tmp_path, "dimmer_pack", DIMMER)
    install(tmp_path, "torn_pack", "raise RuntimeError('torn\\nin two')\n")
    done = run_python(LOAD, tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "'torn_pack'" in lines[0]
    assert "'torn-pack'" in lines[0]
    assert "RuntimeError: torn in two" in lines[0]
    assert lines[-1] == "dimmer dimmer_pack"


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))


@pytest.mark.usefixtures("own_registry")
def test_local_file_plugs_in_and_twice_is_fine(tmp_path: Path) -> None:
    file = tmp_path / "lamp.py"
    file.write_text(DIMMER)
    module = registry.load_file(file)
    first = registry.get("dimmer")
    assert registry.load_file(str(file)) == module
    assert registry.get("dimmer") is first
    assert first.__module__ == module
    assert list(first.knobs()) == ["loss"]


@pytest.mark.usefixtures("own_registry")
def test_two_files_cannot_share_a_name(tmp_path: Path) -> None:
    for name in ("lamp_a.py", "lamp_b.py"):
        (tmp_path / name).write_text(DIMMER)
    registry.load_file(tmp_path / "lamp_a.py")
    with pytest.raises(HardgenError, match="already registered") as caught:
        registry.load_file(tmp_path / "lamp_b.py")
    assert "lamp_a.py" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (None, "no such file"),
        ("x = 1\n", "registers no perturbation"),
        ("import nothing_like_this\n", "failed to import: ModuleNotFoundError"),
        ("raise SystemExit('bye\\nbye')\n", "failed to import: SystemExit: bye bye"),
        ("def broken(:\n", "failed to import: SyntaxError"),
        (DIMMER + "raise ValueError('late')", "failed to import: ValueError: late"),
        (DIMMER.replace('"dimmer"', '"Dim mer"'), "a perturbation's name is made of"),
        (DIMMER.replace("knob(0.0, hardest=0.9, unit=", "float(0.5) or dict(a=").replace(", doc=", ", b="), "no knob"),
    ],
)
def test_bad_file_is_one_line_that_names_it(code: str | None, words: str, tmp_path: Path) -> None:
    file = tmp_path / "bad_lamp.py"
    if code is not None:
        file.write_text(code)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(HardgenError, match=words) as caught:
            registry.load_file(file)
    assert "bad_lamp.py" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(HardgenError, match=words):
        registry.load_file(file)
    assert "dimmer" not in registry.perturbations()


def test_not_python_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "lamp.txt"
    file.write_text("lamp")
    with pytest.raises(HardgenError, match=r"not a Python file: .*lamp\.txt"):
        registry.load_file(file)


def test_before_the_catalogue_is_imported_the_registry_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "hardgen.perturbations", raising=False)
    with pytest.raises(HardgenError, match=r"unknown perturbation 'nothing'; import hardgen\.perturbations first"):
        registry.get("nothing")


def test_the_adapter_of_the_guide_passes_the_check_of_the_guide(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
    recipe, check = re.findall(r"```(?:yaml|python)\n(.*?)```", guide, re.DOTALL)[1:]
    (tmp_path / "mine.yaml").write_text(recipe)
    environment = os.environ | {"PYTHONPATH": str(Path(registry.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", check], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
