"""Axes: which knobs a sweep turns, and where it stops on the way."""

import itertools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hardgen.errors import HardgenError, near
from hardgen.knobs import Knob, number_in
from hardgen.pipeline import Pipeline

DEFAULT_HARDNESS: dict[str, float] = {"start": 0.0, "stop": 1.0, "step": 0.1}


@dataclass(frozen=True)
class Point:
    """One stop on an axis."""

    axis: str
    hardness: float
    value: float
    unit: str

    def shown(self, digits: int) -> str:
        """The value to so many digits, but whole from 1,000 on."""
        return f"{self.value:.0f}" if abs(self.value) >= 1000 else f"{self.value:.{digits}g}"


@dataclass(frozen=True)
class Axis:
    """`slot.knob` with its stops, from neutral on.

    Attributes:
        name: `slot.knob`.
        knob: The knob that is turned.
        points: Stops beyond neutral, by rising hardness, each once.
    """

    name: str
    knob: Knob
    points: tuple[Point, ...]

    @property
    def slot(self) -> str:
        """The slot's name."""
        return self.name.partition(".")[0]

    @property
    def neutral(self) -> Point:
        """The stop at hardness 0."""
        return Point(self.name, 0.0, self.knob.neutral, self.knob.unit)


def stops(spec: Any, where: str) -> list[float]:
    """The numbers that a configuration asks for.

    Args:
        spec: One number; a list of numbers; or a mapping with `start` and `stop` (both included) and either `step` or
            `num` (how many). Decimal arithmetic: 0.1 to 0.8 by 0.1 is eight numbers.
        where: The config key, for the error.

    Raises:
        HardgenError: if it is none of these, or empty.
    """
    if isinstance(spec, Mapping):
        allowed = ({"start", "stop", "step"}, {"start", "stop", "num"})
        if set(spec) not in allowed:
            raise HardgenError(f"{where} takes start, stop and either step or num; got {', '.join(map(str, spec))}")
        start, stop = _number(spec["start"], where), _number(spec["stop"], where)
        if "num" in spec:
            num = spec["num"]
            if not isinstance(num, int) or isinstance(num, bool) or num < 1:
                raise HardgenError(f"{where}.num must be a whole number of at least 1; got {num!r}")
            return [float(start + (stop - start) * i / (num - 1)) if num > 1 else float(start) for i in range(num)]
        step = _number(spec["step"], where)
        if step == 0 or (stop - start) * step < 0:
            raise HardgenError(f"{where}: a step of {step} does not lead from {start} to {stop}")
        return [float(start + step * i) for i in range(int((stop - start) / step) + 1)]
    rows = spec if isinstance(spec, Sequence) and not isinstance(spec, str) else [spec]
    if not rows:
        raise HardgenError(f"{where} must name at least one number; got an empty list")
    return [float(_number(row, where)) for row in rows]


def read_axes(pipeline: Pipeline, spec: Any, hardness: Any = None) -> list[Axis]:
    """The axes of a sweep.

    Args:
        pipeline: Where the slots are.
        spec: None for the main knob of every slot; a name or a list of names (`slot.knob`, or `slot` for its main
            knob); or a mapping from name to `{hardness: stops}` or `{values: stops}`, or None for the default stops.
            `{spacing: [...]}`, alone or beside `hardness`, re-spaces the knob: its own hardnesses, from 0 up, at equal
            steps of the axis' hardness.
        hardness: The default stops, in hardness.

    Raises:
        HardgenError: for an unknown slot, knob or key, or a stop out of range.
    """
    if not pipeline.slots:
        raise HardgenError("the pipeline has no slots: pick one with pipeline=NAME (hardgen list shows them)")
    if spec is None:
        spec = list(pipeline.slots)
    if isinstance(spec, str):
        spec = [spec]
    if not isinstance(spec, (Mapping, list, tuple)) or not all(isinstance(name, str) for name in spec):
        raise HardgenError(f"axes must be a name, a list of names or a mapping from name to stops; got {spec!r}")
    wanted = _flat(spec) if isinstance(spec, Mapping) else dict.fromkeys(spec)
    default = DEFAULT_HARDNESS if hardness is None else hardness
    axes = [_axis(pipeline, str(name), own, default) for name, own in wanted.items()]
    if not axes:
        raise HardgenError("axes must name at least one slot.knob; got none")
    twice = {a.name for a in axes if [b.name for b in axes].count(a.name) > 1}
    if twice:
        raise HardgenError(f"axes names {', '.join(sorted(twice))} twice")
    return axes


def _axis(pipeline: Pipeline, name: str, own: Any, default: Any) -> Axis:
    slot, knob_name = pipeline.knob(name)
    knob, full = pipeline.slots[slot].knobs()[knob_name], f"{slot}.{knob_name}"
    if own is None:
        own = {"hardness": default}
    where = f"axes.{full}"
    if not isinstance(own, Mapping):
        raise HardgenError(f"{where} takes either hardness or values; got {own!r}")
    spacing = _spacing(own["spacing"], f"{where}.spacing") if "spacing" in own else None
    own = {k: v for k, v in own.items() if k != "spacing"} or {"hardness": default}
    if len(own) != 1 or (spacing and "values" in own):
        raise HardgenError(f"{where} takes either hardness (with or without spacing) or values; got {own!r}")
    key, spec = next(iter(own.items()))
    if key not in ("hardness", "values"):
        raise HardgenError(f"{where}: unknown key {key!r}{near(key, ['hardness', 'values', 'spacing'])}")
    where = f"{where}.{key}" if own != {"hardness": default} else "hardness"
    numbers = stops(spec, where)
    if key == "values":
        for value in numbers:
            knob.check(pipeline.slots[slot].name, knob_name, value)
        values = numbers
    else:
        for h in numbers:
            if not 0.0 <= h <= 1.0:
                raise HardgenError(f"{where} must be in [0, 1]; got {h:g}")
        values = [knob.at(h if spacing is None else _spaced(h, spacing)) for h in numbers]
    found: dict[float, Point] = {}
    for number, value in zip(numbers, values, strict=True):
        own = round(knob.hardness(value), 9)
        hardness = number if key == "hardness" else own
        # Of several stops that a knob of whole numbers rounds to one value, the nearest to it stands for it.
        if value != knob.neutral and (value not in found or abs(hardness - own) < abs(found[value].hardness - own)):
            found[value] = Point(full, hardness, value, knob.unit)
    if not found:
        raise HardgenError(f"{where} names only the neutral value {knob.neutral:g}: nothing would get harder")
    return Axis(full, knob, tuple(sorted(found.values(), key=lambda p: p.hardness)))


def _spacing(spec: Any, where: str) -> list[float]:
    """Hardnesses of the knob at equal steps: at least two, from 0, rising, at most 1."""
    found = stops(spec, where)
    rising = all(a < b for a, b in itertools.pairwise(found))
    if len(found) < 2 or found[0] != 0 or found[-1] > 1 or not rising:
        raise HardgenError(f"{where} takes at least two rising numbers from 0 to at most 1; got {found}")
    return found


def _spaced(hardness: float, spacing: Sequence[float]) -> float:
    """The knob's own hardness, by linear interpolation between the equal steps."""
    place = hardness * (len(spacing) - 1)
    below = min(int(place), len(spacing) - 2)
    return spacing[below] + (place - below) * (spacing[below + 1] - spacing[below])


def _flat(spec: Mapping[Any, Any], prefix: str = "") -> dict[str, Any]:
    """`{blur: {sigma: X}}` and `{blur.sigma: X}` are the same."""
    out: dict[str, Any] = {}
    for key, value in spec.items():
        nested = (
            isinstance(value, Mapping)
            and "." not in f"{prefix}{key}"
            and not set(value) & {"hardness", "values", "spacing"}
        )
        out |= _flat(value, f"{key}.") if nested else {f"{prefix}{key}": value}
    return out


def _number(value: Any, where: str) -> Decimal:
    number = number_in(value, -sys.float_info.max, sys.float_info.max, where, "a finite number")
    return Decimal(repr(value if isinstance(value, int) else number))
