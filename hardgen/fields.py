"""What a perturbation keeps for each of its fields: the value brought to its type, or an error that says why not."""

import dataclasses
import enum
import math
import numbers
import sys
import types
import typing
from collections.abc import Sequence
from typing import Any, cast

from hardgen.errors import HardgenError, choice, shown

LARGEST = 1 << 63
"""Whole numbers of fields lie below this in size."""


def checked(field: "dataclasses.Field[Any]", hint: Any, owner: str, value: Any) -> Any:
    """What a perturbation keeps for a field: strings brought to enums, lists to tuples, numbers to their type.

    Args:
        field: The field.
        hint: Its type.
        owner: The perturbation's name.
        value: What was given.

    Raises:
        HardgenError: if the value is of another type or out of range, naming `owner.field`.
    """
    where, kinds = f"{owner}.{field.name}", _parts(hint)
    options = next((kind for kind in kinds if _is_enum(kind)), None)
    if options is not None and isinstance(value, str):
        value = choice(options, value, where)
    for role in ("knob", "setting"):
        if role in field.metadata:
            field.metadata[role].check(owner, field.name, value)
    try:
        kept = _brought(kinds, value)
    except TypeError:
        most = LARGEST if int in kinds else sys.float_info.max
        size = f", less than {most:.2g} in size" if _is_huge(value, kinds) else ""
        raise HardgenError(f"{where} must be {' or '.join(map(_named, kinds))}{size}; got {shown(value)}") from None
    if "knob" in field.metadata:
        return int(value) if field.metadata["knob"].integer else float(value)
    return kept


def _parts(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, enum.Enum)


def _brought(kinds: Sequence[Any], value: Any) -> Any:
    """The value as the first of several types that takes it.

    Raises:
        TypeError: if none does.
    """
    for kind in sorted(kinds, key=lambda kind: kind is int):  # what may be either is a float
        try:
            return _as(kind, value)
        except (TypeError, ValueError, OverflowError):
            continue
    raise TypeError(value)


def _as(kind: Any, value: Any) -> Any:
    """The value as one type; as one that no field of the catalogue has, it is left as it is."""
    base = typing.get_origin(kind) or kind
    if base in (int, float):
        return _number(base, value)
    if base is tuple:
        return _tuple(typing.get_args(kind), value)
    known = base in (bool, str, types.NoneType) or _is_enum(base)
    if known and not isinstance(value, base):
        raise TypeError(value)
    return tuple(value) if isinstance(value, list) and not known else value


def _number(kind: type, value: Any) -> int | float:
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(value)
    number = float(value)
    if kind is float and number == number:
        return number
    whole = math.trunc(cast(float, value))
    if whole != value or abs(whole) >= LARGEST:
        raise ValueError(value)
    return whole


def _tuple(parts: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    held = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(held, Sequence) or isinstance(held, (str, bytes)):
        raise TypeError(value)
    if not parts:
        return tuple(held)
    wanted = parts[:1] * len(held) if parts[-1] is Ellipsis else parts
    return tuple(_brought(_parts(part), one) for part, one in zip(wanted, held, strict=True))


def _is_huge(value: Any, kinds: Sequence[Any]) -> bool:
    """Whether it is too large a number that is refused."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return number and (int in kinds or float in kinds) and bool(LARGEST <= abs(value) < math.inf)


WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", types.NoneType: "none"}
MANY = {bool: "truth values", int: "whole numbers", float: "numbers", str: "texts"}


def _named(kind: Any) -> str:
    if _is_enum(kind):
        return f"one of {', '.join(kind.__members__)}"
    if kind in WORDS:
        return WORDS[kind]
    parts = typing.get_args(kind)
    if not parts or any(part not in MANY for part in parts[:1]) or len({*parts} - {Ellipsis}) > 1:
        return "a list"
    return f"a list of {MANY[parts[0]]}" if parts[-1] is Ellipsis else f"a list of {len(parts)} {MANY[parts[0]]}"
