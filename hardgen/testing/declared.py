"""Checks of what a class declares: its knobs, its words, its fields as plain data."""

import dataclasses
import math
import pickle

from hardgen.errors import HardgenError
from hardgen.perturbation import Perturbation
from hardgen.pipeline import Pipeline
from hardgen.testing.contract import require, turned, turns
from hardgen.testing.images import same_pixels
from hardgen.testing.samples import sample_batch


def knob_declared(cls: type[Perturbation], device: str) -> None:
    """Knobs have a range, a unit and a meaning, turn both ways, and refuse what lies outside by name."""
    require(dataclasses.is_dataclass(cls), "the class is no dataclass")
    require(bool(cls.knobs()), "the class has no knob")
    params = getattr(cls, "__dataclass_params__", None)
    require(params is not None and params.frozen, "the dataclass is not frozen")
    cls()
    for name, knob in cls.knobs().items():
        require(bool(knob.unit.strip()) and bool(knob.doc.strip()), f"{name} has no unit or no doc")
        require(knob.neutral != knob.hardest, f"{name} is as hard at neutral as at its hardest")
        require(math.isfinite(knob.hardest), f"{name} has no finite hardest value")
        require(not math.isnan(knob.neutral), f"{name} has no neutral value")
        require(knob.at(0.0) == knob.neutral and knob.at(1.0) == knob.hardest, f"{name} does not reach its ends")
        for hardness in (0.1, 0.5, 0.9):
            back = knob.hardness(knob.at(hardness))
            require(knob.integer or abs(back - hardness) < 1e-9, f"{name}: hardness {hardness} comes back as {back}")
        wrong: list[object] = [float("nan"), "1", True, None, knob.low - 1]
        for value in [*wrong, *([knob.high + 1] if math.isfinite(knob.high) else []), *([1.5] if knob.integer else [])]:
            _refused(cls, name, value)


def _refused(cls: type[Perturbation], name: str, value: object) -> None:
    fields: dict[str, object] = {name: value}
    try:
        cls(**fields)
    except HardgenError as error:
        text = str(error)
        require(f"{cls.name}.{name}" in text, f"{name}={value!r}: the error does not name {cls.name}.{name}: {text}")
        require("\n" not in text, f"{name}={value!r}: the error takes more than one line")
    except Exception as error:
        require(False, f"{name}={value!r} raises {type(error).__name__}, not HardgenError")
    else:
        require(False, f"{name}={value!r} is accepted")


def documented(cls: type[Perturbation], device: str) -> None:
    """There is a docstring whose first line is a sentence, a sentence of limits, a name, a family and a version."""
    first = (cls.__doc__ or "").strip().partition("\n")[0]
    written = bool(first) and not first.startswith(f"{cls.__name__}(") and "__doc__" in vars(cls)
    require(written, "the class has no docstring")
    require(first.endswith("."), f"the docstring's first line is not one sentence: {first!r}")
    require(bool(cls.limits.strip()), "limits is empty: say in one sentence what is not simulated")
    require(bool(cls.name) and bool(cls.family), "the class is not registered")
    require(isinstance(cls.version, int) and cls.version >= 1, f"version must be 1 or more; got {cls.version}")


def spec_round_trip(cls: type[Perturbation], device: str) -> None:
    """A pipeline written to JSON and read back has the same classes, fields and pixels."""
    batch = sample_batch(device=device)
    for name, perturbation in turns(cls, 0.5, 1.0):
        if perturbation.neutral:
            continue
        back = Pipeline.from_spec(Pipeline({"slot": perturbation}).spec_json()).slots["slot"]
        require(back == perturbation and type(back) is cls, f"{name}: the spec gives back {back}")
        require(same_pixels(back, perturbation, batch), f"{name}: the spec gives other pixels")


def picklable(cls: type[Perturbation], device: str) -> None:
    """Worker processes get an equal perturbation that makes the same pixels."""
    batch = sample_batch(device=device)
    perturbation = turned(cls, next(iter(cls.knobs())), 0.5)
    back = pickle.loads(pickle.dumps(perturbation))
    require(back == perturbation, f"pickling gives back {back}")
    require(same_pixels(back, perturbation, batch), "pickling gives other pixels")
