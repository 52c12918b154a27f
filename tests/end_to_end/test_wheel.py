"""The wheel holds all that a sweep needs, conf/ and the bundled weights among it, and runs from any folder."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unpacked wheel, as an installer would lay it."""
    pytest.importorskip("hatchling")
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    made = subprocess.run(build, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr + made.stdout
    with zipfile.ZipFile(next(out.glob("*.whl"))) as wheel:
        wheel.extractall(out / "site")
    return out / "site"


def test_the_wheel_holds_conf_weights_and_templates(site: Path) -> None:
    held = {str(p.relative_to(site)) for p in site.rglob("*") if p.is_file()}
    assert {
        "hardgen/conf/sweep.yaml",
        "hardgen/conf/pipeline/four_families.yaml",
        "hardgen/models/digits_cnn.safetensors",
        "hardgen/report/templates/report.html.j2",
    } <= held
    assert not any(name.startswith("tests/") for name in held)


def test_the_unpacked_wheel_runs_from_another_folder(site: Path, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r}); import hardgen.cli as c; print(c.__file__); sys.exit(c.main())"
    )
    words = ["sweep", "data.limit=10", "pipeline=contrast", "hardness=[1]", "out=run"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert str(site) in done.stdout
    assert (tmp_path / "run" / "report.html").exists()
