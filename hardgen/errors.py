"""What a user can do wrong, said in one line."""

import difflib
import enum
import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

E = TypeVar("E", bound=enum.Enum)


class HardgenError(Exception):
    """A mistake that the user can mend: one line that says who, what is allowed and what was got."""


class Mistake(BaseException):
    """Carries a user's mistake through Hydra, which would print a message of its own for an Exception."""

    def __init__(self, error: Exception, code: int = 2) -> None:
        super().__init__(str(error))
        self.error, self.code = error, code


def one_line(error: BaseException) -> str:
    """An error as one line; of the operating system's the file and the reason."""
    if isinstance(error, HardgenError):
        return str(error)
    if isinstance(error, OSError):
        return f"cannot read or write {error.filename or 'a file'}: {error.strerror or error}"
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text if len(text) <= 200 else text[:199] + '…'}"


def near(name: str, options: Iterable[str]) -> str:
    """The end of an error line: the nearest of `options`, or all of them when none is near.

    Args:
        name: What the user wrote.
        options: What would have been right.

    Returns:
        For example ``; did you mean 'gaussian_blur'?`` or ``; choose from grid, one_at_a_time``.
    """
    known = sorted(options)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; choose from {', '.join(known)}" if known else "; there is none to choose from"


def shown(value: object) -> str:
    """A value as an error line shows it: as Python writes it, in one line of at most 80 characters."""
    try:
        text = repr(value) if isinstance(value, str) else " ".join(repr(value).split())
    except Exception:  # whole numbers of more than 4300 digits, and objects that fail to show themselves
        digits = f"{value.bit_length() * math.log10(2):.0f}" if isinstance(value, int) else ""
        text = f"a whole number of about {digits} digits" if digits else f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:79]}…"


def samples(ids: Sequence[str]) -> str:
    """Samples as an error line names them: ``sample 'a'``, ``samples 'a', 'b', 'c' and 4 more``."""
    more = f" and {len(ids) - 3} more" if len(ids) > 3 else ""
    return f"sample{'s' if len(ids) > 1 else ''} {', '.join(map(repr, ids[:3]))}{more}"


def choice(options: type[E], name: str, where: str) -> E:
    """The member of an enum that a configuration names.

    Raises:
        HardgenError: naming `where` and the nearest member, if there is none of that name.
    """
    if name not in options.__members__:
        raise HardgenError(f"{where}: unknown {shown(name)}{near(str(name), options.__members__)}")
    return options[name]
