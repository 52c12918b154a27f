"""What a model is to hardgen: images in [0, 1] go in, log-probabilities come out."""

import copy
import enum
import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Protocol, Self

import torch
from torch import Tensor, nn

from hardgen.errors import HardgenError, one_line
from hardgen.files import digest
from hardgen.models.digests import state_digest
from hardgen.models.memory import free, is_out_of_memory

CHUNK, GPU_CHUNK = 16, 64
"""Images that a network is asked about at a time, on the CPU and on a GPU."""


class Model(Protocol):
    """A classifier that does its own preprocessing.

    Attributes:
        name: What tables and reports call it.
        classes: Class names by output; None where unknown.
        outputs: The number of classes; None where unknown until it is asked.
    """

    @property
    def name(self) -> str:
        """What tables and reports call it."""

    @property
    def classes(self) -> tuple[str, ...] | None:
        """Class names by output; None where unknown."""

    @property
    def outputs(self) -> int | None:
        """The number of classes; None where unknown until it is asked."""

    def fingerprint(self) -> str:
        """A hash of the weights and settings."""

    def log_probabilities(self, images: Tensor) -> Tensor:
        """Answers to images.

        Args:
            images: B x 3 x H x W float32 in [0, 1], of any H and W that the preprocessing can bring to the input size.

        Returns:
            B x K float32, the natural logarithm of each class's probability.
        """

    def to(self, device: str) -> Self:
        """Moves the weights, where the kind has a choice of device; returns itself."""


class Outputs(enum.Enum):
    """What a network gives for each class."""

    logits = "logits"
    probabilities = "probabilities"
    log_probabilities = "log_probabilities"


def as_log_probabilities(answers: Tensor, outputs: Outputs, owner: str, step: float = 0.0) -> Tensor:
    """B x K raw answers as normalised log-probabilities, float32.

    Args:
        answers: What the network gave.
        outputs: What it is.
        owner: The model's name, for the error.
        step: Quantisation step of probabilities; a 0 counts as half a step shared among the K classes.

    Raises:
        HardgenError: if the answers are said to be probabilities and are not.
    """
    answers = answers.float()
    if outputs is Outputs.logits:
        return answers.log_softmax(1)
    k = answers.shape[1]
    if outputs is Outputs.probabilities:
        total = answers.sum(1)
        slack = max(0.01, step * k / 2)
        if bool((answers < -1e-6).any()) or bool(((total - 1).abs() > slack).any()):
            raise HardgenError(
                f"model {owner!r} does not answer probabilities (they sum to {total[0]:.3g}); set model.outputs=logits"
            )
        answers = answers.clamp_min(step / (2 * k) or 1e-12).log()
    return answers - answers.logsumexp(1, keepdim=True)


class Chunks:
    """Asks for a fixed number of images at a time, the last chunk filled up with copies of its last image.

    Libraries choose the algorithm of a convolution by the batch's size, so that an image's answer changes in its last
    digits with what else is in the batch (measured here: by 1e-5 in the log-probabilities of two ResNets). With chunks
    of one size it does not. Where the memory does not suffice the chunks are halved from then on, with a warning.
    """

    def __init__(self, owner: str) -> None:
        """Starts from 16 images on the CPU, 64 on a GPU.

        Args:
            owner: The model's name, for the error.
        """
        self._owner, self._halvings = owner, 0

    def ask(self, call: Callable[[Tensor], Tensor], images: Tensor) -> Tensor:
        """The answers to all images.

        Args:
            call: From images to B x K.
            images: B x 3 x H x W, of any B.

        Raises:
            HardgenError: if the call fails, or its answer is no tensor of B rows.
        """
        while True:
            size = max((GPU_CHUNK if images.is_cuda else CHUNK) >> self._halvings, 1)
            try:
                starts = range(0, len(images), size)
                return torch.cat([self._ask(call, images[start : start + size], size) for start in starts])
            except Exception as error:
                if not is_out_of_memory(error) or size == 1:
                    raise
            free()
            self._halvings += 1
            warnings.warn(
                f"out of memory as model {self._owner!r} was asked about {size} images at a time; going on with "
                f"{size // 2}, which can change the last digits of its answers",
                stacklevel=2,
            )

    def _ask(self, call: Callable[[Tensor], Tensor], part: Tensor, size: int) -> Tensor:
        fill = part[-1:].expand(size - len(part), -1, -1, -1)
        whole = part if len(part) == size else torch.cat([part, fill])
        whole = whole.contiguous(memory_format=torch.channels_last)
        try:
            answer = call(whole)
        except HardgenError:
            raise
        except Exception as error:
            if is_out_of_memory(error):
                raise
            shape = " x ".join(map(str, whole.shape))
            raise HardgenError(f"model {self._owner!r} failed on images of {shape}: {one_line(error)}") from error
        if not isinstance(answer, Tensor) or answer.ndim != 2 or len(answer) != size:
            got = tuple(answer.shape) if isinstance(answer, Tensor) else type(answer).__name__
            raise HardgenError(f"model {self._owner!r} must answer {size} images with {size} x classes; got {got}")
        return answer[: len(part)]


class TorchModel:
    """A torch module with its preprocessing, in evaluation mode."""

    def __init__(
        self,
        name: str,
        module: nn.Module,
        preprocess: Callable[[Tensor], Tensor],
        settings: str,
        classes: Sequence[str] | None = None,
        outputs: int | None = None,
        kind: Outputs = Outputs.logits,
    ) -> None:
        """Puts the module in evaluation mode.

        Args:
            name: What tables and reports call it.
            module: From preprocessed images to B x K.
            preprocess: From B x 3 x H x W in [0, 1] to what the module takes.
            settings: All besides the weights that the answers depend on; it goes into the fingerprint.
            classes: Class names by output.
            outputs: The number of classes, if known before it is asked.
            kind: What the module gives.
        """
        self.name, self.classes, self.kind = name, None if classes is None else tuple(classes), kind
        self.outputs = len(self.classes) if self.classes and outputs is None else outputs
        self._module, self._preprocess, self._settings = module.eval().requires_grad_(False), preprocess, settings
        self._chunks = Chunks(name)

    def to(self, device: str) -> Self:
        """Moves the weights."""
        self._module.to(device)
        return self

    def log_probabilities(self, images: Tensor) -> Tensor:
        """B x 3 x H x W in [0, 1] to B x K natural log-probabilities."""
        with torch.inference_mode():
            answers = self._chunks.ask(lambda chunk: self._module(self._preprocess(chunk)), images)
            result = as_log_probabilities(answers, self.kind, self.name)
        self.outputs = result.shape[1]
        return result

    def twin(self) -> "TorchModel | None":
        """The same model for another thread, the weights shared; None where its module cannot be copied."""
        module = copy_of(self._module)
        if module is None:
            return None
        other = copy.copy(self)
        other._module, other._chunks = module, Chunks(self.name)
        return other

    def fingerprint(self) -> str:
        """Hash of the settings and of every parameter and buffer."""
        return self._fingerprint

    @functools.cached_property
    def _fingerprint(self) -> str:
        return digest(self._settings, repr(self.classes), self.kind.name, state_digest(self._module))


def twin(model: Model) -> Model | None:
    """The same model for another thread: a copy that shares the weights; None where its kind has none to give."""
    if not hasattr(model, "twin"):
        return None
    made: Model | None = model.twin()
    return made


def copy_of(module: nn.Module) -> nn.Module | None:
    """A module's copy with the same parameters; what its passes leave in it, in its buffers too, then is its own.

    Returns:
        None where it cannot be copied, or where functions hang on it that may keep things elsewhere (hooks, closures).
    """
    for part in module.modules():
        held = [v for v in vars(part).values() if getattr(v, "__closure__", None)]
        if held or part._forward_hooks or part._forward_pre_hooks:
            return None
    shared = {id(tensor): tensor for tensor in module.parameters()}
    try:
        return copy.deepcopy(module, dict(shared))
    except Exception:  # whatever a module of the user's holds
        return None
