"""Any Python callable as a model."""

import copy
import functools
from collections.abc import Callable
from contextlib import nullcontext
from types import CodeType
from typing import Any, Self, cast

import numpy as np
import torch
from torch import Tensor, nn

from hardgen.errors import HardgenError
from hardgen.files import digest
from hardgen.models.digests import state_digest
from hardgen.models.evaluating import evaluating
from hardgen.models.model import Chunks, Model, Outputs, as_log_probabilities, copy_of


def wrap_callable(model: Model | Callable[[Tensor], Tensor], name: str, outputs: Outputs = Outputs.logits) -> Model:
    """Takes a model for hardgen; one of hardgen's own comes back under the name.

    Args:
        model: From B x 3 x H x W float32 in [0, 1] to B x K. A module is asked in evaluation mode, and left in the mode
            it was in.
        name: What tables and reports call it.
        outputs: What it gives.

    Raises:
        HardgenError: if it cannot be called.
    """
    if hasattr(model, "log_probabilities"):
        known = cast(Any, model)
        if known.name == name:
            return cast(Model, known)
        known = copy.copy(known)
        known.name = name
        return cast(Model, known)
    if not callable(model):
        raise HardgenError(f"model {name!r} must be callable, from images to logits; got {type(model).__name__}")
    return CallableModel(name, model, outputs)


class CallableModel:
    """A callable with a name.

    Its fingerprint covers a module's weights; of other callables their code, and the values that it refers to as far as
    they are numbers, texts, arrays, modules and functions.
    """

    classes: tuple[str, ...] | None = None

    def __init__(self, name: str, call: Callable[[Tensor], Tensor], kind: Outputs) -> None:
        """Keeps the callable."""
        self.name, self.kind, self._call = name, kind, call
        self.outputs: int | None = None
        self._chunks = Chunks(name)

    def to(self, device: str) -> Self:
        """Moves a module; another callable is left where it is, and must take images on any device."""
        if isinstance(self._call, nn.Module):
            self._call.to(device)
        return self

    def log_probabilities(self, images: Tensor) -> Tensor:
        """B x 3 x H x W in [0, 1] to B x K natural log-probabilities."""
        module = self._call if isinstance(self._call, nn.Module) else None
        with nullcontext() if module is None else evaluating(module), torch.inference_mode():
            answers = self._chunks.ask(self._call, images)
        result = as_log_probabilities(answers, self.kind, self.name)
        self.outputs = result.shape[1]
        return result

    def twin(self) -> "CallableModel | None":
        """The same module for another thread, the weights shared; None for what is no module, or cannot be copied."""
        module = copy_of(self._call) if isinstance(self._call, nn.Module) else None
        return None if module is None else CallableModel(self.name, module, self.kind)

    def fingerprint(self) -> str:
        """Hash of what the answers depend on, as far as it can be seen."""
        return digest("callable", self.kind.name, _digest(self._call, frozenset()))


def _digest(value: Any, seen: frozenset[int]) -> str:
    if id(value) in seen:
        return "again"
    seen |= {id(value)}
    if isinstance(value, nn.Module):
        return digest(repr(value), state_digest(value))
    if isinstance(value, Tensor):
        raw = value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        return digest(str(value.dtype), str(tuple(value.shape)), raw)
    if isinstance(value, np.ndarray):
        return digest(value.dtype.str, str(value.shape), value.tobytes())
    if isinstance(value, functools.partial):
        return digest(*(_digest(part, seen) for part in (value.func, value.args, value.keywords)))
    if isinstance(value, dict):
        return digest(*(_digest(part, seen) for pair in value.items() for part in pair))
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        return digest(repr(value))
    if isinstance(value, (list, tuple)):
        return digest(*(_digest(part, seen) for part in value))
    if hasattr(value, "__func__"):
        return digest(_digest(value.__func__, seen), _digest(value.__self__, seen))
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        used = [value.__globals__[n] for n in code.co_names if n in value.__globals__]
        parts = [*cells, *(value.__defaults__ or ()), *used]
        return digest(_code(code), *(_digest(p, seen) for p in parts))
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    attributes = getattr(value, "__dict__", {})
    plain = {} if hasattr(value, "__path__") else attributes
    parts = [part for name, v in sorted(plain.items()) for part in (name, _digest(v, seen))]
    call = getattr(vars(type(value)).get("__call__"), "__code__", None)
    parts += [_code(call)] if isinstance(call, CodeType) else []
    return digest(f"{type(value).__module__}.{type(value).__qualname__}", *parts)


def _code(code: CodeType) -> str:
    """Hash of a function's code, its constants and names, and of the functions inside it."""
    return digest(code.co_code, *code.co_names, *map(_constant, code.co_consts))


def _constant(value: Any) -> str:
    if isinstance(value, frozenset):  # its order differs from process to process
        return repr(sorted(map(repr, value)))
    return _code(value) if isinstance(value, CodeType) else repr(value)
