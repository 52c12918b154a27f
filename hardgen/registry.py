"""The registry: a mapping from name to perturbation class, and the two ways a plug-in joins it."""

import dataclasses
import importlib.metadata
import importlib.util
import inspect
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hardgen.errors import HardgenError, near, shown
from hardgen.files import CONF, digest
from hardgen.perturbation import Perturbation

ENTRY_POINTS = "hardgen.perturbations"
"""The entry-point group under which installed packages offer perturbations."""

RESERVED = frozenset(
    {"boxes", "classes", "donors", "hardness", "ids", "images", "labels", "masks", "perturbation", "seed", "slot"}
    | {"version"}
)
"""What a call of `perturb`, a slot of a config and a spec hold beside a perturbation's fields."""

CHECKS = frozenset(
    [
        "any_size",
        "batch_independent",
        "boxes_move",
        "bytes_agree",
        "device_agrees",
        "documented",
        "does_something",
        "draws_ignore_knobs",
        "finite_in_range",
        "global_state_untouched",
        "grey_stays_grey",
        "input_untouched",
        "knob_declared",
        "monotone",
        "neutral_is_identity",
        "picklable",
        "repeatable",
        "seeds_differ",
        "slots_independent",
        "spec_round_trip",
    ]
)
"""The checks of the contract (`hardgen.testing`), which exemptions name."""

LONGEST = 80
"""Letters of a name: it becomes a part of files' and folders' names."""

_classes: dict[str, type[Perturbation]] = {}
_searched: list[str] = []  # entry-point groups that this process has gone through


T = TypeVar("T", bound=type[Perturbation])


def register(name: str, *, family: str | None = None) -> Callable[[T], T]:
    """Class decorator that gives a perturbation its name.

    Args:
        name: Lower-case letters, digits and underscores.
        family: The family it is listed under; unless given, the part of the catalogue that its module belongs to
            (`noise` in `hardgen.perturbations.noise.coloured`), else the module's name.

    Raises:
        HardgenError: if the name is not well formed, or is taken; if a field has the name of something else; or if an
            exemption names no check.
    """

    def decorate(cls: T) -> T:
        _check_word("name", name)
        if family is not None:
            _check_word("family", family)
        if name == "all" or name.startswith("all_") or (CONF / "pipeline" / f"{name}.yaml").is_file():
            raise HardgenError(
                f"pipeline={name} means something else already: perturbation {name!r} needs another name"
            )
        taken = _classes.get(name)
        if taken is not None and _origin(taken) != _origin(cls):
            raise HardgenError(
                f"perturbation {name!r} is already registered by {_origin(taken)}; {_origin(cls)} needs another name"
            )
        if not cls.knobs():
            raise HardgenError(f"perturbation {name!r} declares no knob: give it a field made with knob(...)")
        for field in dataclasses.fields(cls):
            if field.name in RESERVED:
                raise HardgenError(f"{name}.{field.name}: {field.name!r} means something else; choose another name")
        for check in cls.exemptions:
            if check.partition(".")[0] not in CHECKS:
                raise HardgenError(f"{name}: exemptions: there is no check {check!r}{near(check, CHECKS)}")
        cls.name = name
        cls.family = family or cls.family or _family(cls.__module__)
        _classes[name] = cls
        return cls

    return decorate


def perturbations() -> dict[str, type[Perturbation]]:
    """Every registered perturbation by name, ordered by family, then name."""
    return dict(sorted(_classes.items(), key=lambda item: (item[1].family, item[0])))


def get(name: str) -> type[Perturbation]:
    """The class of a name.

    Raises:
        HardgenError: if there is none, with the nearest name.
    """
    if name not in _classes:
        empty = "hardgen.perturbations" not in sys.modules
        hint = "; import hardgen.perturbations first, which registers the catalogue" if empty else near(name, _classes)
        raise HardgenError(f"unknown perturbation {shown(name)}{hint}")
    return _classes[name]


def load_installed() -> None:
    """Imports what installed packages offer; a broken one is a warning that names it, never a crash."""
    _searched.append(ENTRY_POINTS)
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        try:
            entry.load()
        except Exception as error:
            package = entry.dist.name if entry.dist else "?"
            warnings.warn(
                f"plug-in {entry.name!r} of package {package!r} was left out: {_one_line(error)}", stacklevel=2
            )


def find_installed() -> None:
    """Does what `load_installed` does, once in a process: a launcher runs a job in a process of its own."""
    if not _searched:
        load_installed()


def load_file(path: str | Path) -> str:
    """Imports a local Python file that registers perturbations, or reads a YAML file that adapts transforms.

    Args:
        path: A file that the user named; `.yaml` and `.yml` are adapters (`hardgen.adapters`).

    Returns:
        The name of the module that the file became; the same file always gets the same one.

    Raises:
        HardgenError: if the file is missing, is no such file, fails to import or registers nothing.
    """
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise HardgenError(f"plugins: no such file: {path}")
    module_name = f"hardgen_plugin_{file.stem}_{digest(str(file))[:8]}"
    if module_name in sys.modules:
        return module_name
    before = dict(_classes)
    try:
        if file.suffix in (".yaml", ".yml"):
            from hardgen.adapters.loading import load

            load(file, module_name)
        else:
            _run(file, module_name)
    except (Exception, SystemExit) as error:
        sys.modules.pop(module_name, None)
        _classes.clear()
        _classes.update(before)
        why = str(error) if isinstance(error, HardgenError) else f"failed to import: {_one_line(error)}"
        raise HardgenError(f"plugins: {path}: {why}") from error
    return module_name


def _run(file: Path, module_name: str) -> None:
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise HardgenError(f"not a Python file: {file.name}, nor a YAML file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    before = set(_classes)
    spec.loader.exec_module(module)
    if set(_classes) == before:
        raise HardgenError("it registers no perturbation: decorate a class with @register(name)")


def _family(module: str) -> str:
    inside = module.removeprefix("hardgen.perturbations.")
    return inside.partition(".")[0] if inside != module else module.rpartition(".")[2]


def _check_word(what: str, word: str) -> None:
    if not word.isidentifier() or not word.isascii() or word != word.lower() or len(word) > LONGEST:
        raise HardgenError(f"a perturbation's {what} is made of a-z, 0-9 and _, at most {LONGEST}; got {shown(word)}")


def _origin(cls: type) -> str:
    try:
        file = inspect.getsourcefile(cls) or cls.__module__
    except TypeError:
        file = cls.__module__
    return f"{file}:{cls.__qualname__}"


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
