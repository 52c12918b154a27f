"""A module that the user's own Python makes."""

import importlib
import importlib.util
import inspect
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import torch
from torch import nn

from hardgen.errors import HardgenError, near
from hardgen.files import digest, file_digest
from hardgen.models.model import Outputs, TorchModel
from hardgen.models.preprocessing import Preprocess
from hardgen.models.weights import load_weights


@dataclass(frozen=True)
class Module:
    """A `torch.nn.Module` from a function or class that takes no arguments.

    Attributes:
        factory: `package.module:function` or `path/file.py:function`.
        weights: A state dict (.pt, .pth, .th or .safetensors) to fill it with; None: as the factory gives it.
        resize: Short side after an antialiased resize, px; None: as it is.
        crop: Side of the central square, px; images of just this size are neither resized nor cropped; None: all.
        mean: Of each channel, on images in [0, 1]; null: nothing is subtracted.
        std: Of each channel; null: nothing is divided.
        classes: Class names by output; null: unknown.
        outputs: What the module gives: `logits`, `probabilities` or `log_probabilities`.
        seed: Of torch's generator while the factory runs, so that weights it draws are the same every time.
    """

    factory: str = "???"
    weights: str | None = None
    resize: int | None = None
    crop: int | None = None
    mean: list[float] | None = None
    std: list[float] | None = None
    classes: list[str] | None = None
    outputs: Outputs = Outputs.logits
    seed: int = 0

    def build(self, name: str) -> TorchModel:
        """Makes the module and loads the weights.

        Raises:
            HardgenError: if the factory cannot be imported, fails or gives no module, or the weights do not fit.
        """
        preprocess = Preprocess(self.resize, self.crop, mean=tuple(self.mean or ()), std=tuple(self.std or ()))
        source, function = _imported(self.factory)
        make = getattr(source, function, None)
        if not callable(make):
            names = [n for n, v in vars(source).items() if callable(v) and not n.startswith("_")]
            raise HardgenError(f"model.factory: {source.__name__} has no function {function!r}{near(function, names)}")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            try:
                module = make()
            except Exception as error:  # whatever the user's code raises
                raise HardgenError(f"model.factory: {self.factory}() failed: {_said(error)}") from error
        if not isinstance(module, nn.Module):
            raise HardgenError(
                f"model.factory: {self.factory}() must give a torch.nn.Module; got {type(module).__name__}"
            )
        if self.weights is not None:
            load_weights(module, self.weights)
        settings = digest("module", function, _source_digest(source), repr(preprocess))
        return TorchModel(name, module, preprocess, settings, self.classes, kind=self.outputs)


def _imported(factory: str) -> tuple[ModuleType, str]:
    """The Python module and the function's name."""
    place, colon, function = factory.rpartition(":")
    if not colon or not place or not function:
        raise HardgenError(f"model.factory must be package.module:function or path/file.py:function; got {factory!r}")
    try:
        if not place.endswith(".py"):
            return importlib.import_module(place), function
        path = Path(place).expanduser()
        if not path.is_file():
            raise HardgenError(f"model.factory: no such file: {place!r}")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None, "the suffix is .py"
        assert spec.loader is not None, "the suffix is .py"
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except HardgenError:
        raise
    except Exception as error:  # whatever the user's code raises
        raise HardgenError(f"model.factory: cannot import {place!r}: {_said(error)}") from error
    return module, function


def _source_digest(module: ModuleType) -> str:
    """Hash of the file that the factory stands in; its name where it has none."""
    file = inspect.getsourcefile(module)
    return file_digest(Path(file)) if file else module.__name__


def _said(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
