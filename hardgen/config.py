"""The bridge to Hydra: registered things become config groups, and composed configs become objects.

Each data source, model kind and perturbation is a dataclass that is its own configuration. Its fields with their
defaults, and one key that says which it is (`source`, `kind`, `perturbation`), are stored as an option of a group, so
that there is no YAML to keep in step. YAML files under `conf/` only choose and combine.
"""

import dataclasses
import enum
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from hardgen import perturbations as _catalogue  # noqa: F401  (registers the catalogue)
from hardgen import registry
from hardgen.data import SOURCES
from hardgen.data.dataset import Dataset
from hardgen.errors import HardgenError, near
from hardgen.files import CONF as CONF
from hardgen.models import KINDS
from hardgen.models.model import Model
from hardgen.pipeline import Pipeline, build, fields_of

T = TypeVar("T")


def store() -> None:
    """Offers every source, model kind and registered perturbation as config options.

    Groups: `data`, `model` (one model), `perturbation` (for a slot: `+perturbation@pipeline.SLOT=NAME`), and `pipeline`
    with one single-slot option per perturbation, the slot named like it, and `collections`.
    """
    configs = ConfigStore.instance()
    for name, source in SOURCES.items():
        configs.store(name=name, node=_fields("source", name, source), group="data")
    for name, kind in KINDS.items():
        configs.store(name=name, node=_fields("kind", name, kind), group="model")
    slots = {name: {"perturbation": name, **fields_of(cls())} for name, cls in registry.perturbations().items()}
    for name, node in slots.items():
        configs.store(name=name, node=node, group="perturbation")
        configs.store(name=name, node={name: node}, group="pipeline")
    for name, members in collections().items():
        configs.store(name=name, node={member: slots[member] for member in members}, group="pipeline")


def collections() -> dict[str, list[str]]:
    """The pipelines of many slots that the registry gives: `all`, and `all_FAMILY` for every family."""
    found: dict[str, list[str]] = {"all": []}
    for name, cls in registry.perturbations().items():
        for collection in ("all", f"all_{cls.family}"):
            found.setdefault(collection, []).append(name)
    return found


def options(group: str) -> list[str]:
    """The names that a config group offers, of YAML files and of registered things."""
    stored = [name.removesuffix(".yaml") for name in ConfigStore.instance().list(group)]
    return sorted({*stored, *presets(group)})


def presets(group: str = "pipeline") -> dict[str, str]:
    """The YAML files of a config group by name (`human/contrast`), each with the sentence that it begins with."""
    found = {}
    for path in sorted((CONF / group).rglob("*.yaml")):
        comments = [line.lstrip("# ") for line in path.read_text().splitlines() if line.startswith("#")]
        text = " ".join(line for line in comments if not line.startswith("@package"))
        found[path.relative_to(CONF / group).with_suffix("").as_posix()] = (
            f"{re.split(r'(?<!al)[.] ', text)[0].rstrip('.')}."
        )
    return found


def _fields(key: str, name: str, cls: type) -> dict[str, Any]:
    node: dict[str, Any] = {key: name}
    for field in dataclasses.fields(cls):
        default = field.default
        if default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        node[field.name] = default.name if isinstance(default, enum.Enum) else default
    return node


def plain(node: Any) -> Any:
    """A composed config as plain Python values, interpolations resolved; a missing value stays `???`."""
    return OmegaConf.to_container(node, resolve=True) if OmegaConf.is_config(node) else node


def pipeline_of(config: DictConfig) -> Pipeline:
    """The pipeline that `pipeline` describes: `slot: {perturbation: NAME, knob: value, ...}`, in order."""
    slots = {}
    for slot, fields in _group("pipeline", config).items():
        if not isinstance(fields, Mapping) or "perturbation" not in fields:
            raise HardgenError(f"pipeline.{slot} must be a mapping with the key perturbation; got {fields!r}")
        if "." in str(slot):
            raise HardgenError(f"pipeline: a slot's name has no dot; got {slot!r}")
        rest = {key: value for key, value in fields.items() if key != "perturbation"}
        slots[str(slot)] = build(fields["perturbation"], rest)
    return Pipeline(slots)


def dataset_of(config: DictConfig) -> Dataset:
    """The dataset that `data` describes."""
    content = _group("data", config)
    if "source" not in content:
        raise HardgenError(f"data must be a mapping with the key source{near('', SOURCES)}")
    return cast(Dataset, _object("data", "source", SOURCES, content).build())


def models_of(config: DictConfig) -> list[Model]:
    """The models that `model` describes: one model (it has the key `kind`), or a mapping of named models."""
    content = _group("model", config)
    if "kind" in content:
        return [_model("model", _own_name(content), content)]
    if not content:
        raise HardgenError("model must be one model or a mapping of named models; got an empty mapping")
    return [_model(f"model.{name}", str(name), fields) for name, fields in content.items()]


def _group(name: str, config: DictConfig) -> Mapping[Any, Any]:
    """What a config group composed to."""
    content = plain(config[name]) if name in config else None
    if not isinstance(content, Mapping):
        raise HardgenError(f"{name} must be a mapping: pick one with {name}=NAME (hardgen list shows them)")
    return content


def check_keys(command: str, config: DictConfig) -> None:
    """Refuses a key that the command's YAML does not have: `+hardnes=[0.5]` would else be taken and never read.

    Raises:
        HardgenError: with the nearest key.
    """
    files = [OmegaConf.load(CONF / f"{name}.yaml") for name in (command, "common")]
    known = {str(key) for file in files for key in file} - {"defaults", "hydra"} | {"data", "model", "pipeline"}
    known |= {"tracking"} if command == "sweep" else set()
    for key in config:
        if key not in known:
            raise HardgenError(f"unknown config key {str(key)!r}{near(str(key), known)}")


def _model(where: str, name: str, content: Any) -> Model:
    if not isinstance(content, Mapping) or "kind" not in content:
        raise HardgenError(f"{where} must be a mapping with the key kind ({', '.join(KINDS)}); got {content!r}")
    return cast(Model, _object(where, "kind", KINDS, content).build(name))


def _own_name(content: Mapping[str, Any]) -> str:
    """What a single model is called in the tables: its architecture, its factory or its file."""
    for key in ("arch", "factory", "path"):
        if content.get(key) not in (None, "???"):
            text = str(content[key])
            return text.rpartition(":")[2] if key == "factory" else Path(text).stem if key == "path" else text
    return str(content["kind"])


def _object(where: str, key: str, known: Mapping[str, type[Any]], content: Mapping[str, Any]) -> Any:
    """A config dataclass from plain values: names, types and missing values are checked, each error in one line."""
    name = str(content[key])
    if name not in known:
        raise HardgenError(f"{where}.{key}: unknown {name!r}{near(name, known)}")
    fields = {k: v for k, v in content.items() if k != key}
    names = [f.name for f in dataclasses.fields(known[name])]
    for field in fields:
        if field not in names:
            raise HardgenError(f"{where}: {name} has no key {field!r}{near(field, names)}")
    return typed(known[name], fields, where)


def typed(cls: type[T], fields: Mapping[str, Any], where: str) -> T:
    """An instance of a config dataclass, its values brought to the types of its fields.

    Raises:
        HardgenError: if one is missing or of another type, naming `where.field`.
    """
    schema = OmegaConf.structured(cls)
    OmegaConf.set_readonly(schema, False)
    prefix = f"{where}." if where else ""
    for name, value in fields.items():
        try:
            schema[name] = value
        except OmegaConfBaseException as error:
            reason = str(error).splitlines()[0]
            raise HardgenError(f"{prefix}{name}: {reason}") from error
    try:
        return cast(T, OmegaConf.to_object(schema))
    except MissingMandatoryValue as error:
        missing = next(name for name in schema if OmegaConf.is_missing(schema, name))
        raise HardgenError(f"{prefix}{missing} must be given: {prefix}{missing}=...") from error


def options_of(cls: type[T], config: DictConfig) -> T:
    """The options of a dataclass from the top level of a composed config, brought to their types."""
    return typed(cls, {f.name: plain(config[f.name]) for f in dataclasses.fields(cast(Any, cls))}, "")
