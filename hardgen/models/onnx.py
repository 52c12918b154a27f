"""ONNX files."""

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from hardgen.errors import HardgenError
from hardgen.files import digest, file_digest
from hardgen.models.extras import need
from hardgen.models.model import CHUNK, Outputs, as_log_probabilities
from hardgen.models.preprocessing import Preprocess, raw_pixels
from hardgen.models.weights import model_file

FLOATS = {"tensor(float)": np.float32, "tensor(float16)": np.float16}
INTEGERS = {"tensor(uint8)": np.uint8, "tensor(int8)": np.int8}


@dataclass(frozen=True)
class Onnx:
    """An `.onnx` classifier with one image input, N x C x H x W or N x H x W x C with C = 1 or 3.

    Layout and size come from the file; images are brought to its H x W (antialiased bicubic, whatever their shape),
    unless it takes any size. A float input takes (scale x image - mean) / std, a uint8 input pixels 0 to 255, an int8
    input pixels - 128. The first output counts.

    Attributes:
        path: The file; weights beside it in `<path>.data` belong to it.
        outputs: What it gives: `logits`, `probabilities` or `log_probabilities`.
        scale: Of images in [0, 1]; 255 for networks that take raw pixels as floats.
        mean: Of each channel after scaling; null: nothing is subtracted.
        std: Of each channel after scaling; null: nothing is divided.
        classes: Class names by output; null: unknown.
    """

    path: str = "???"
    outputs: Outputs = Outputs.logits
    scale: float = 1.0
    mean: list[float] | None = None
    std: list[float] | None = None
    classes: list[str] | None = None

    def build(self, name: str) -> "OnnxModel":
        """Opens the file.

        Raises:
            HardgenError: if the runtime is not installed, the file is missing or broken, or its input is no image.
        """
        runtime = need("onnxruntime", "onnx")
        path = model_file(self.path, "model.path")
        try:
            session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        except Exception as error:  # the runtime's own exception classes
            raise HardgenError(f"model.path: cannot open {self.path!r}: {str(error).splitlines()[0]}") from error
        return OnnxModel(name, self, session, path)


class OnnxModel:
    """An ONNX Runtime session on the CPU."""

    def __init__(self, name: str, settings: Onnx, session: Any, path: Path) -> None:
        """Reads layout, size and type of the input from the session."""
        self.name, self._settings, self._session, self._path = name, settings, session, path
        self.classes = None if settings.classes is None else tuple(settings.classes)
        entry = session.get_inputs()[0]
        self._input, shape = entry.name, list(entry.shape)
        if len(session.get_inputs()) != 1 or len(shape) != 4 or not {1, 3} & {shape[1], shape[3]}:
            raise HardgenError(
                f"model.path: {path.name} must have one input N x C x H x W or N x H x W x C; got {shape}"
            )
        if entry.type not in FLOATS | INTEGERS:
            raise HardgenError(f"model.path: the input of {path.name} must be float or 8-bit; got {entry.type}")
        self._last = shape[1] not in (1, 3)
        channels, *size = (shape[3], shape[1], shape[2]) if self._last else (shape[1], shape[2], shape[3])
        self._grey, self._type = channels == 1, entry.type
        if entry.type in INTEGERS and (settings.mean or settings.std or settings.scale != 1):
            raise HardgenError(f"model.mean, std and scale are for float inputs; {path.name} takes {entry.type}")
        exact = (size[0], size[1]) if all(isinstance(side, int) for side in size) else None
        mean, std = tuple(settings.mean or ()), tuple(settings.std or ())
        self._preprocess = Preprocess(exact=exact, scale=settings.scale, mean=mean, std=std, mode="bicubic")
        self._chunk = shape[0] if isinstance(shape[0], int) else CHUNK
        last = (session.get_outputs()[0].shape or [None])[-1]
        self.outputs = last if isinstance(last, int) else None

    def to(self, device: str) -> Self:
        """The session runs on the CPU: nothing is moved."""
        return self

    def log_probabilities(self, images: Tensor) -> Tensor:
        """B x 3 x H x W in [0, 1] to B x K natural log-probabilities."""
        ready = self._preprocess(images.detach().cpu())
        if self._grey:
            ready = ready.mean(1, keepdim=True)
        whole = INTEGERS.get(self._type)
        inputs = ready.numpy().astype(FLOATS[self._type]) if whole is None else raw_pixels(ready, whole)
        if self._last:
            inputs = inputs.transpose(0, 2, 3, 1)
        size, parts = self._chunk, []
        for start in range(0, len(inputs), size):
            part = inputs[start : start + size]
            full = np.concatenate([part, np.repeat(part[-1:], size - len(part), axis=0)])
            answers = self._session.run(None, {self._input: np.ascontiguousarray(full)})[0]
            parts.append(np.asarray(answers)[: len(part)])
        answers = torch.from_numpy(np.concatenate(parts).astype(np.float32))
        result = as_log_probabilities(answers, self._settings.outputs, self.name)
        self.outputs = result.shape[1]
        return result

    def fingerprint(self) -> str:
        """Hash of the file, of `<path>.data` if there is one, and of the settings."""
        return self._fingerprint

    @functools.cached_property
    def _fingerprint(self) -> str:
        beside = self._path.with_name(self._path.name + ".data")
        weights = file_digest(beside) if beside.is_file() else ""
        s = self._settings
        return digest("onnx", repr((s.outputs.name, s.classes, self._preprocess)), file_digest(self._path), weights)
