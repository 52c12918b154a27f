"""Every file under conf/ is composed and built; the README says what the code does."""

from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.utils import instantiate
from omegaconf import OmegaConf

from hardgen.api import FOUR_FAMILIES
from hardgen.config import CONF, collections, dataset_of, models_of, options_of, pipeline_of, plain, store
from hardgen.listing import markdown
from hardgen.pipeline import Pipeline
from hardgen.registry import perturbations
from hardgen.sweeps.axes import read_axes
from hardgen.sweeps.settings import Settings

ROOT = Path(__file__).parents[2]
TRACKERS = ["none", "tensorboard", "mlflow", "wandb"]
COMMANDS = ["sweep", "generate", "preview", "doses", "calibrate", "report"]
FILES = {p.relative_to(CONF / "pipeline").with_suffix("").as_posix() for p in (CONF / "pipeline").rglob("*.yaml")}
PIPELINES = sorted(FILES | set(perturbations()) | set(collections()))


def config(command: str, *overrides: str) -> Any:
    GlobalHydra.instance().clear()
    store()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return compose(command, list(overrides))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_composes(command: str) -> None:
    made = config(command)
    if command != "report":
        assert len(dataset_of(made)) == 500
        assert options_of(Settings, made).seed == 0
        assert pipeline_of(made).slots
    if command == "sweep":
        assert [m.name for m in models_of(made)] == ["digits_cnn"]


@pytest.mark.parametrize("name", TRACKERS)
def test_every_tracker_is_built_and_stands_before_the_merge(name: str) -> None:
    GlobalHydra.instance().clear()
    store()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        made = compose("sweep", [f"tracking={name}"], return_hydra_config=True)
    told = [] if name == "none" else ["track"]
    assert list(made.hydra.callbacks) == [*told, "merge"], "Hydra calls the first of them last at the end"
    callbacks = [instantiate(node) for node in made.hydra.callbacks.values()]
    assert [getattr(c, "extra", None) for c in callbacks] == [*([name] if told else []), None]


def test_every_yaml_is_a_command_a_pipeline_a_tracker_an_adapter_or_common() -> None:
    """A file that no test composes would be a file that can rot."""
    names = {str(p.relative_to(CONF)) for p in CONF.rglob("*.yaml")}
    names -= {"hydra/launcher/ray_cluster.yaml"}  # tests/end_to_end/test_shards.py
    names -= {f"tracking/{name}.yaml" for name in TRACKERS}
    names -= {f"adapters/{name}.yaml" for name in perturbations()}
    assert names == {f"{c}.yaml" for c in COMMANDS} | {"common.yaml"} | {f"pipeline/{name}.yaml" for name in FILES}


@pytest.mark.parametrize("name", PIPELINES)
def test_every_pipeline_is_built_and_survives_its_spec(name: str) -> None:
    made = config("sweep", f"pipeline={name}")
    pipeline = pipeline_of(made)
    if not pipeline.slots:
        assert name == "none"
        return
    preset = plain(made.pipeline_axes)
    assert pipeline.neutral or preset
    axes = read_axes(pipeline, preset)
    hardest = pipeline.with_values({a.name: a.knob.hardest for a in axes})
    again = Pipeline.from_spec(hardest.spec_json())
    assert {s: p for s, p in hardest.slots.items() if not p.neutral} == dict(again.slots)


def test_python_and_command_have_the_same_default_pipeline() -> None:
    made = pipeline_of(config("sweep"))
    assert {slot: p.name for slot, p in made.slots.items()} == FOUR_FAMILIES
    assert list(made.slots) == list(FOUR_FAMILIES)


def test_values_from_yaml_and_command_line_reach_the_knob_in_order() -> None:
    made = pipeline_of(
        config(
            "sweep",
            "pipeline=[contrast,gaussian_blur]",
            "pipeline.contrast.factor=0.5",
            "+perturbation@pipeline.again=gaussian_blur",
            "pipeline.again.sigma=0.02",
            "+pipeline.last={perturbation: rectangle, fraction: 0.25, fill: noise, colour: [1, 0, 0]}",
        )
    )
    assert list(made.slots) == ["contrast", "gaussian_blur", "again", "last"]
    assert made.slots["again"].sigma == 0.02
    assert made.slots["last"].colour == (1, 0, 0)


def test_several_models_are_a_mapping_that_the_command_line_adds_to(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "panel.yaml").write_text("small: {kind: digits_cnn}\nlarge: {kind: digits_cnn}\n")
    search = f"hydra.searchpath=[file://{tmp_path}]"
    made = config("sweep", search, "model=panel", "+model@model.other=digits_cnn")
    assert [m.name for m in models_of(made)] == ["small", "large", "other"]


def test_the_whole_config_is_plain_yaml() -> None:
    assert "gaussian_blur" in OmegaConf.to_yaml(config("sweep"))


def test_the_readme_holds_the_table_of_the_registry_with_a_picture_of_each() -> None:
    text = (ROOT / "README.md").read_text()
    command, table = text.partition("<!-- hardgen list ")[2].partition(" -->\n")[::2]
    folder = command.partition("--thumbnails=")[2]
    own = {n for n, c in perturbations().items() if c.__module__.startswith("hardgen.") or c.family == "adapters"}
    expected = [line for line in markdown(folder).splitlines() if line.startswith("| family") or _name(line) in own]
    rows = [line for line in table.partition("<!-- end -->")[0].splitlines() if not line.startswith("|---")]
    assert rows == expected, f"run hardgen list {command} and put its table into README.md"
    assert {p.stem for p in (ROOT / folder).glob("*.jpg")} == own


def _name(line: str) -> str:
    return line.split("|")[2].strip(" `") if line.startswith("|") else ""
