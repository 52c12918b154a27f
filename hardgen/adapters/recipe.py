"""Recipes: what a YAML file says about a transform of another library, checked key by key."""

import dataclasses
import keyword
import math
import numbers
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardgen.adapters.plain_yaml import read_yaml
from hardgen.errors import HardgenError, choice, near, shown
from hardgen.knobs import Knob, Scale, number_in

LIBRARIES = ("albumentations", "kornia", "torchvision")

TERM = re.compile(
    r"(?P<sign>-?)(?P<of>value|\d*\.?\d+(e[-+]?\d+)?)(?P<side> of the short side)?(, (?P<whole>whole|odd))?"
)
"""A word of `parameters` that stands for a number: `value`, `-value`, `value of the short side`, `0.07 of the short
side, odd`. `value` is the knob's; `whole` rounds; `odd` gives the nearest odd whole number, at least 3."""


LARGEST = 1024
"""The most that `least_side` may be, in pixels: every smaller image is continued to it."""


@dataclass(frozen=True)
class Recipe:
    """How a transform of a library becomes a perturbation.

    Attributes:
        name: The registered name.
        family: The family it is listed under.
        library: albumentations, kornia or torchvision.
        transform: The transform's class in the library.
        knob: The knob's field name.
        spec: The knob.
        parameters: Arguments of the transform; see `TERM` for the words that stand for numbers.
        doc: One sentence on what it does to the image.
        limits: One sentence on what it does not simulate.
        blend: Whether the knob is the share of the transformed image that is laid over the clean one.
        moves: Whether the transform moves pixels, so that boxes and masks go with them.
        eight_bit: Whether the transform takes and gives 8-bit images.
        random: Whether the transform draws anything.
        least_side: Smaller images are continued at their border up to this side in pixels, and cut back.
        exemptions: Contract checks that do not apply, each with the reason.
        version: Rises when the pixels change.
        file: The YAML file.
        module: The name of the module that the file became.
    """

    name: str
    library: str
    transform: str
    knob: str
    spec: Knob
    doc: str
    limits: str
    parameters: dict[str, Any]
    file: str
    module: str
    family: str = "adapters"
    blend: bool = False
    moves: bool = False
    eight_bit: bool = False
    random: bool = True
    least_side: int = 1
    exemptions: dict[str, str] = dataclasses.field(default_factory=dict)
    version: int = 1

    @property
    def call(self) -> str:
        """The transform as it is called, for people to read."""
        arguments = ", ".join(f"{name}={value}" for name, value in self.parameters.items()).replace("'", "")
        return f"{self.library}.{self.transform}({arguments})"

    def arguments(self, value: float, short_side: int) -> dict[str, Any]:
        """The transform's arguments at a value of the knob, for images whose short side has so many pixels."""
        return {name: _filled(content, value, short_side) for name, content in self.parameters.items()}


_KINDS: dict[str, type] = dict.fromkeys(("name", "family", "library", "transform", "doc", "limits"), str)
_KINDS |= dict.fromkeys(("blend", "moves", "eight_bit", "random"), bool) | dict.fromkeys(("least_side", "version"), int)
_KINDS |= dict.fromkeys(("knob", "parameters", "exemptions"), dict)
_WORDS = {str: "text", bool: "true or false", int: "a whole number", dict: "a mapping", float: "a number"}
_NEEDED = ("name", "library", "transform", "knob", "doc", "limits")
_KNOB = {"name": str, "neutral": float, "hardest": float, "unit": str, "doc": str, "scale": str}


def read_recipes(file: Path, module: str) -> list[Recipe]:
    """The recipes of a YAML file: one mapping, or a list of them.

    Raises:
        HardgenError: in one line that names the recipe and the key.
    """
    content = read_yaml(file)
    rows = content if isinstance(content, list) else [content]
    if not rows:
        raise HardgenError("it holds no perturbation: write one mapping, or a list of them")
    recipes = [_recipe(row, f"entry {i + 1}", str(file), module) for i, row in enumerate(rows)]
    names = [recipe.name for recipe in recipes]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise HardgenError(f"{twice[0]}: name: two entries have it")
    return recipes


def _recipe(row: Any, where: str, file: str, module: str) -> Recipe:
    if not isinstance(row, dict):
        raise HardgenError(f"{where} must be a mapping with the keys {', '.join(_NEEDED)}; got {shown(row)}")
    where = _cut(row.get("name", where))
    _check(row, _KINDS, _NEEDED, where)
    _check(row["knob"], _KNOB, tuple(k for k in _KNOB if k != "scale"), where, "knob.")
    if row["library"] not in LIBRARIES:
        raise HardgenError(f"{where}: library: unknown {shown(row['library'])}{near(row['library'], LIBRARIES)}")
    if not row["doc"].partition("\n")[0].strip().endswith("."):
        raise HardgenError(f"{where}: doc must be one sentence that ends with a full stop; got {shown(row['doc'])}")
    for check, reason in row.get("exemptions", {}).items():
        if not isinstance(check, str) or not isinstance(reason, str):
            raise HardgenError(
                f"{where}: exemptions: each check needs its reason as text; got {shown(check)}: {shown(reason)}"
            )
    for key, most in (("least_side", LARGEST), ("version", math.inf)):
        number_in(row.get(key, 1), 1, most, f"{where}: {key}", f"in [1, {most}]")
    if row.get("moves", False) and (row.get("blend", False) or row.get("eight_bit", False)):
        raise HardgenError(f"{where}: moves goes with neither blend nor eight_bit: places cannot be mixed or rounded")
    parameters = {str(name): _frozen(value) for name, value in row.get("parameters", {}).items()}
    turned = [name for name, value in parameters.items() if _turned(value, f"{where}: parameters.{name}")]
    if row.get("blend", False) == bool(turned):
        raise HardgenError(
            f"{where}: parameters: the knob must be put in one of them, as the word value, or blend must be true"
            + ("; got both" if turned else "")
        )
    spec = _spec(row["knob"], where)
    if row.get("blend", False) and (spec.neutral != 0 or spec.integer or spec.hardest > 1):
        raise HardgenError(f"{where}: knob: with blend it is a share: neutral must be 0.0, hardest 1.0 or less")
    rest = {k: v for k, v in row.items() if k not in ("knob", "parameters")}
    rest["doc"], rest["limits"] = row["doc"].strip(), row["limits"].strip()
    return Recipe(**rest, knob=row["knob"]["name"], spec=spec, parameters=parameters, file=file, module=module)


def _check(
    row: Mapping[Any, Any], kinds: Mapping[str, type], needed: tuple[str, ...], where: str, at: str = ""
) -> None:
    for key, value in row.items():
        if key not in kinds:
            raise HardgenError(f"{where}: {at}{_cut(key)}: there is no such key{near(str(key), kinds)}")
        kind = kinds[key]
        number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        right = number if kind is float else isinstance(value, kind) and (kind is not int or number)
        if not right or (kind is str and not value.strip()):
            hint = _hint(value) if kind in (int, float) else ""
            raise HardgenError(f"{where}: {at}{key} must be {_WORDS[kind]}; got {shown(value)}{hint}")
    for key in needed:
        if key not in row:
            raise HardgenError(f"{where}: {at}{key} is missing")


def _cut(key: Any) -> str:
    return key if isinstance(key, str) and len(key) <= 80 else shown(key)


def _hint(value: Any) -> str:
    """How the number that a text spells is written."""
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return ""
    if math.isnan(number):
        return ""
    return f", which is text: write {number:.15g} without quotes" if math.isfinite(number) else ": infinity is .inf"


def _spec(row: Mapping[str, Any], where: str) -> Knob:
    name = row["name"]
    if not name.isidentifier() or keyword.iskeyword(name):
        raise HardgenError(f"{where}: knob.name is made of letters, digits and _; got {shown(name)}")
    neutral, hardest = row["neutral"], row["hardest"]
    if neutral == hardest:
        raise HardgenError(f"{where}: knob.hardest must differ from knob.neutral; got {shown(hardest)} for both")
    scale = choice(Scale, str(row.get("scale", "linear")).upper(), f"{where}: knob.scale")
    if not math.isfinite(hardest) or not (neutral == math.inf if scale is Scale.RECIPROCAL else math.isfinite(neutral)):
        start = ".inf" if scale is Scale.RECIPROCAL else "finite"
        raise HardgenError(
            f"{where}: knob: hardest must be finite, and neutral {start}; got hardest {hardest:g}, neutral {neutral:g}"
        )
    if scale is Scale.LOG and neutral * hardest <= 0:
        raise HardgenError(f"{where}: knob.scale: log needs neutral and hardest of one sign, neither of them 0")
    integer = isinstance(neutral, int) and isinstance(hardest, int)
    return Knob(neutral, hardest, row["unit"], row["doc"], scale, integer)


def _frozen(value: Any) -> Any:
    """YAML's lists as tuples: what every one of the libraries takes for a pair."""
    if isinstance(value, dict):
        return {name: _frozen(part) for name, part in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _turned(value: Any, where: str) -> bool:
    """Whether the knob's value stands in an argument; a word that is nearly one of ours is refused."""
    if isinstance(value, tuple | dict):
        parts = value.values() if isinstance(value, dict) else value
        return sum(_turned(part, where) for part in parts) > 0
    term = TERM.fullmatch(value) if isinstance(value, str) else None
    if isinstance(value, str) and term is None and re.search(r"\bvalue\b|short side", value):
        raise HardgenError(f"{where}: {shown(value)} is not '[-]value|NUMBER[ of the short side][, whole|odd]'")
    if term is None or term["of"] == "value":
        return term is not None
    if not math.isfinite(float(term["of"])):
        raise HardgenError(f"{where}: a number must be finite; got {shown(value)}")
    return False


def _filled(content: Any, value: float, short_side: int) -> Any:
    if isinstance(content, tuple):
        return tuple(_filled(part, value, short_side) for part in content)
    if isinstance(content, dict):
        return {name: _filled(part, value, short_side) for name, part in content.items()}
    term = TERM.fullmatch(content) if isinstance(content, str) else None
    if term is None:
        return content
    number = value if term["of"] == "value" else float(term["of"])
    number = number * short_side if term["side"] else number
    number = -number if term["sign"] else number
    if term["whole"] == "odd":
        return max(3, 2 * round((number - 1) / 2) + 1)
    return round(number) if term["whole"] else number
