"""Weight files into modules."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from hardgen.errors import HardgenError

COUNTER = "num_batches_tracked"
"""A buffer of batch normalisation that answers do not depend on; files from before 2018 lack it."""


def load_weights(module: nn.Module, file: str) -> None:
    """Fills a module from a `.safetensors` file or a PyTorch state dict; nothing in the file is executed.

    A dict that holds the state dict under `state_dict` or `model` is opened, and a `module.` before every name (as
    from DataParallel) is taken off.

    Raises:
        HardgenError: if the file is missing or holds no state dict, or its names or shapes are not the module's.
    """
    path = model_file(file, "model.weights")
    state = _state(path)
    wanted = module.state_dict()
    needed = {name for name in wanted if not name.endswith(COUNTER)}
    for kind, names in (("lacks", needed - state.keys()), ("has unknown", state.keys() - wanted.keys())):
        if names:
            first = ", ".join(sorted(names)[:3])
            raise HardgenError(
                f"model.weights: {path.name} does not fit {type(module).__name__}: it {kind} {len(names)} of "
                f"{len(wanted)} entries, first {first}"
            )
    for name, value in state.items():
        if value.shape != wanted[name].shape:
            raise HardgenError(
                f"model.weights: {path.name} does not fit {type(module).__name__}: {name} is {list(value.shape)}, "
                f"wanted {list(wanted[name].shape)}"
            )
    module.load_state_dict(state, strict=False)


def model_file(file: str, key: str) -> Path:
    """The path, if there is such a file.

    Args:
        file: What the config says.
        key: The config key, for the error.

    Raises:
        HardgenError: if there is none.
    """
    path = Path(file).expanduser()
    if not path.is_file():
        raise HardgenError(f"{key}: no such file: {file!r}")
    return path


def _state(path: Path) -> dict[str, Tensor]:
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        content: Any = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # the readers fail in any way on a broken file
        reason = _first_line(error)
        if reason.startswith("Weights only load failed"):  # and then advice to load it unsafely
            reason = "it holds more than tensors" if "GLOBAL" in str(error) else "it is damaged or no PyTorch file"
        raise HardgenError(f"model.weights: cannot read {str(path)!r} as a state dict: {reason}") from error
    for key in ("state_dict", "model"):
        if isinstance(content, Mapping) and isinstance(content.get(key), Mapping):
            content = content[key]
    if not isinstance(content, Mapping) or not all(isinstance(v, Tensor) for v in content.values()):
        raise HardgenError(f"model.weights: {str(path)!r} holds no state dict; got {type(content).__name__}")
    state = {str(name): value for name, value in content.items()}
    if state and all(name.startswith("module.") for name in state):
        state = {name.removeprefix("module."): value for name, value in state.items()}
    return state


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
