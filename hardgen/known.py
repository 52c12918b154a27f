"""What is known of images - ids, labels, class names, boxes, masks - from what people hold to the form of a batch."""

import math
from collections.abc import Callable, Mapping, Set
from pathlib import PurePath
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.errors import HardgenError, shown

T = TypeVar("T")

MOST_CLASSES = 1_000_000


class Held(tuple[T, ...]):
    """A tuple whose parts are right: a batch takes it as it is."""

    __slots__ = ()


def texts(name: str, values: Any) -> tuple[str, ...]:
    """Sample ids or class names: texts, paths, or whole numbers, which are spelt out."""
    return _each(name, values, str, _text, "a list of texts")


def whole_numbers(name: str, values: Any) -> tuple[int, ...]:
    """Labels: whole numbers from 0, and -1 where unknown."""
    return _each(name, values, int, label, "a list of whole numbers from 0, or -1 where unknown")


def boxes(name: str, values: Any) -> tuple[Tensor, ...]:
    """Boxes of each image, n x 4 float32, from tensors, arrays or lists."""
    allowed = "n x 4 finite numbers for each image (x0, y0, x1, y1), x0 <= x1 and y0 <= y1"
    return _each(name, values, Tensor, box, allowed)


def plain(tensor: Tensor) -> bool:
    """Whether a tensor holds its values itself, one beside the other."""
    return not (tensor.is_nested or tensor.layout is not torch.strided or tensor.is_meta or tensor.is_quantized)


def masks(name: str, values: Any, shape: tuple[int, ...], device: torch.device | str = "cpu") -> Tensor:
    """Masks as bool, from truth values or numbers, of which all but 0 are true.

    Raises:
        HardgenError: for anything else, or another shape.
    """
    try:
        if isinstance(values, Tensor):
            if not plain(values) or values.dtype.is_complex:
                raise TypeError("no numbers")
            found = values if values.dtype == torch.bool else values != 0
        else:
            found = torch.from_numpy(_numbers(values, "biuf") != 0)
    except (TypeError, ValueError, RuntimeError) as error:
        raise HardgenError(f"{name} must be bool of shape {shape}; got {shown(values)}") from error
    if tuple(found.shape) != shape:
        raise HardgenError(f"{name} must be bool of shape {shape}; got shape {tuple(found.shape)}")
    return found.to(device)


def label(value: Any) -> int:
    """A label as Python's own whole number.

    Raises:
        ValueError: unless it is a whole number from -1 to below `MOST_CLASSES`.
    """
    number = value.item() if isinstance(value, (Tensor, np.ndarray, np.generic)) else value
    number = int(number) if isinstance(number, float) and number.is_integer() else number
    if not isinstance(number, int) or isinstance(number, bool) or not -1 <= number < MOST_CLASSES:
        raise ValueError("no label")
    return number


def box(rows: Any) -> Tensor:
    """An image's boxes as n x 4 float32.

    Raises:
        ValueError: unless they are n x 4 finite numbers with x0 <= x1 and y0 <= y1.
    """
    if isinstance(rows, Tensor):
        if not plain(rows) or rows.dtype == torch.bool or rows.dtype.is_complex:
            raise ValueError("no numbers")
        found = rows.detach().to(torch.float32)
    else:
        with np.errstate(over="ignore"):
            found = torch.from_numpy(_numbers(rows, "iuf").astype(np.float32))
    found = found if found.numel() else found.reshape(0, 4)
    if found.ndim != 2 or found.shape[1] != 4:
        raise ValueError("not n x 4")
    if not all(map(_ordered, found.tolist())):
        raise ValueError("not in order")
    return found


def _ordered(sides: list[float]) -> bool:
    x0, y0, x1, y1 = sides
    return -math.inf < x0 <= x1 < math.inf and -math.inf < y0 <= y1 < math.inf


def _text(value: Any) -> str:
    number = value.item() if isinstance(value, np.generic) else value
    if not isinstance(number, (str, int, PurePath)) or isinstance(number, bool):
        raise TypeError("no text")
    return number.as_posix() if isinstance(number, PurePath) else str(number)


def _numbers(values: Any, kinds: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in kinds:
        raise TypeError("no numbers")
    return array


def _each(name: str, values: Any, kind: type[T], make: Callable[[Any], T], allowed: str) -> tuple[T, ...]:
    """Each part made what a batch holds; a text is no list of its letters.

    Raises:
        HardgenError: naming the first part that cannot be.
    """
    if isinstance(values, Held) and all(isinstance(part, kind) for part in values[:1]):
        return values
    try:
        if isinstance(values, (str, bytes, Mapping, Set)):
            raise TypeError(name)
        held = values.tolist() if isinstance(values, (Tensor, np.ndarray)) else list(values)
        if not isinstance(held, list):
            raise TypeError(name)
    except (TypeError, RuntimeError) as error:
        raise HardgenError(f"{name} must be {allowed}; got {shown(values)}") from error
    made = []
    for i, part in enumerate(held):
        try:
            made.append(make(part))
        except (TypeError, ValueError, OverflowError, RuntimeError) as error:
            whole = isinstance(part, np.ndarray) or (isinstance(part, Tensor) and plain(part))
            got = part.tolist() if whole else part
            raise HardgenError(f"{name} must be {allowed}; got {shown(got)} at place {i}") from error
    return Held(made)
