"""Modules of the user's, asked in evaluation mode and left in the mode that they were in."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from torch import nn


@dataclass
class _Asked:
    """A module that is being asked: by how many threads, and which of its parts were in training mode before."""

    count: int
    training: list[nn.Module]


_ASKED: dict[int, _Asked] = {}
_LOCK = threading.Lock()


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Holds a module in evaluation mode; the last of several threads that ask it puts every part back into its mode."""
    with _LOCK:
        asked = _ASKED.get(id(module))
        if asked is None:
            asked = _ASKED[id(module)] = _Asked(0, [part for part in module.modules() if part.training])
            module.eval()
        asked.count += 1
    try:
        yield
    finally:
        with _LOCK:
            asked.count -= 1
            if not asked.count:
                del _ASKED[id(module)]
                for part in asked.training:
                    part.training = True
