"""LiteRT (TensorFlow Lite) files."""

import functools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.errors import HardgenError
from hardgen.files import digest, file_digest
from hardgen.models.extras import need
from hardgen.models.model import Outputs, as_log_probabilities
from hardgen.models.preprocessing import Preprocess, raw_pixels
from hardgen.models.weights import model_file


@dataclass(frozen=True)
class Litert:
    """A `.tflite` classifier whose input is 1 x H x W x 3 (or 1).

    Images are brought to the input's H x W (antialiased bicubic, whatever their shape). A uint8 input takes pixels, 0
    to 255, and an int8 input pixels - 128, as quantised image models do; a float input takes (scale x image - mean) /
    std. Quantised outputs are put back into their units.

    Attributes:
        path: The file.
        skip_outputs: Leading outputs that are no classes, such as 'background'; the others are made to add up to 1.
        outputs: What it gives: `probabilities`, `logits` or `log_probabilities`.
        scale: Of images in [0, 1], for float inputs; 255 for networks that take raw pixels.
        mean: Of each channel after scaling, for float inputs; null: nothing is subtracted.
        std: Of each channel after scaling, for float inputs; null: nothing is divided.
        classes: Class names by output, without the skipped ones; null: unknown.
        threads: Images asked at the same time; 0: as many as torch uses.
    """

    path: str = "???"
    skip_outputs: int = 0
    outputs: Outputs = Outputs.probabilities
    scale: float = 1.0
    mean: list[float] | None = None
    std: list[float] | None = None
    classes: list[str] | None = None
    threads: int = 0

    def build(self, name: str) -> "LitertModel":
        """Opens the file.

        Raises:
            HardgenError: if the runtime is not installed, the file is missing or broken, or its input is no image.
        """
        runtime = need("ai_edge_litert.interpreter", "litert")
        return LitertModel(name, self, runtime.Interpreter, model_file(self.path, "model.path"))


class LitertModel:
    """One interpreter per thread, each asked one image at a time: many files cannot take more.

    So an answer never depends on the batch.
    """

    def __init__(self, name: str, settings: Litert, interpreter: Any, path: Path) -> None:
        """Opens the file once per thread."""
        self.name, self._settings, self._path = name, settings, path
        self.classes = None if settings.classes is None else tuple(settings.classes)
        threads = settings.threads or torch.get_num_threads()
        try:
            self._interpreters = [interpreter(model_path=str(path), num_threads=1) for _ in range(threads)]
            for one in self._interpreters:
                one.allocate_tensors()
        except (ValueError, RuntimeError) as error:
            raise HardgenError(f"model.path: cannot open {settings.path!r}: {str(error).splitlines()[0]}") from error
        self._in, self._out = (
            self._interpreters[0].get_input_details()[0],
            self._interpreters[0].get_output_details()[0],
        )
        shape = [int(side) for side in self._in["shape"]]
        if len(shape) != 4 or shape[0] != 1 or shape[3] not in (1, 3):
            raise HardgenError(f"model.path: the input of {path.name} must be 1 x H x W x 3 (or 1); got {shape}")
        self._integers = bool(np.issubdtype(self._in["dtype"], np.integer))
        if self._integers and (settings.mean or settings.std or settings.scale != 1):
            raise HardgenError(
                f"model.mean, std and scale are for float inputs; {path.name} takes {self._in['dtype'].__name__}"
            )
        mean, std = tuple(settings.mean or ()), tuple(settings.std or ())
        self._preprocess = Preprocess(
            exact=(shape[1], shape[2]), scale=settings.scale, mean=mean, std=std, mode="bicubic"
        )
        self._grey = shape[3] == 1
        self.outputs = int(np.prod(self._out["shape"])) - settings.skip_outputs
        if settings.skip_outputs < 0 or self.outputs < 1:
            raise HardgenError(
                f"model.skip_outputs must leave some of {path.name}'s outputs; got {settings.skip_outputs}"
            )

    def to(self, device: str) -> Self:
        """LiteRT runs on the CPU: nothing is moved."""
        return self

    def log_probabilities(self, images: Tensor) -> Tensor:
        """B x 3 x H x W in [0, 1] to B x K natural log-probabilities."""
        ready = self._preprocess(images.detach().cpu())
        if self._grey:
            ready = ready.mean(1, keepdim=True)
        inputs = raw_pixels(ready, self._in["dtype"]) if self._integers else ready.numpy()
        inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
        jobs = len(self._interpreters)
        with ThreadPoolExecutor(jobs) as threads:
            parts = list(threads.map(self._ask, self._interpreters, np.array_split(inputs, jobs)))
        step, zero = self._out["quantization"]
        answers = torch.from_numpy(np.concatenate(parts).astype(np.float32))
        if step:
            answers = (answers - zero) * step
        result = as_log_probabilities(answers, self._settings.outputs, self.name, step)
        return result[:, self._settings.skip_outputs :].log_softmax(1)

    def _ask(self, interpreter: Any, images: NDArray[Any]) -> NDArray[Any]:
        answers = np.empty((len(images), int(np.prod(self._out["shape"]))), self._out["dtype"])
        for i in range(len(images)):
            interpreter.set_tensor(self._in["index"], images[i : i + 1])
            interpreter.invoke()
            answers[i] = interpreter.get_tensor(self._out["index"]).reshape(-1)
        return answers

    def fingerprint(self) -> str:
        """Hash of the file and the settings."""
        return self._fingerprint

    @functools.cached_property
    def _fingerprint(self) -> str:
        s = self._settings
        parts: Sequence[Any] = (s.skip_outputs, s.outputs.name, s.classes, self._preprocess)
        return digest("litert", repr(parts), file_digest(self._path))
