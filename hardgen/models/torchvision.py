"""Models that torchvision knows."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from hardgen.errors import HardgenError, near
from hardgen.files import digest
from hardgen.models.model import TorchModel
from hardgen.models.preprocessing import Preprocess
from hardgen.models.weights import load_weights

IMAGENET = Preprocess(256, 224, mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))
"""For architectures that torchvision has no weights of."""

FILES = (".pt", ".pth", ".th", ".safetensors")


@dataclass(frozen=True)
class Torchvision:
    """A classification model of torchvision, with the preprocessing that belongs to its weights.

    That preprocessing (resize of the short side, central crop, normalisation) runs on float tensors. An image that
    already has the size of the crop is neither resized nor cropped.

    Attributes:
        arch: The model's name, for example `resnet50`.
        weights: `DEFAULT`, another of torchvision's names such as `IMAGENET1K_V1` (downloaded once into torch's cache),
            or a file with a state dict; null: random weights, always the same.
        classes: Class names by output; null: those of torchvision's weights; a file may have others.
        n_classes: Number of outputs where `weights` is a file or null; null: 1000.
    """

    arch: str = "???"
    weights: str | None = "DEFAULT"
    classes: list[str] | None = None
    n_classes: int | None = None

    def build(self, name: str) -> TorchModel:
        """Makes the model.

        Raises:
            HardgenError: for an unknown architecture or weights, a file that is missing or does not fit, or a download
                that fails.
        """
        import torchvision.models  # a second that other models need not wait for

        known = torchvision.models.list_models(module=torchvision.models)
        if self.arch not in known:
            raise HardgenError(f"model.arch: torchvision has no model {self.arch!r}{near(self.arch, known)}")
        entries: Any = torchvision.models.get_model_weights(self.arch)
        named = self.weights in entries.__members__
        if self.weights is not None and not named and not _is_file(self.weights):
            options = [*entries.__members__, "a file"]
            raise HardgenError(
                f"model.weights: {self.arch} has no weights {self.weights!r}{near(self.weights, options)}"
            )
        if named and self.n_classes is not None:
            raise HardgenError(f"model.n_classes goes with a weights file or null; {self.weights} has its own")
        chosen = entries[self.weights] if named else None
        arguments = {} if self.n_classes is None else {"num_classes": self.n_classes}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            try:
                module = torchvision.models.get_model(self.arch, weights=chosen, **arguments)
            except (OSError, RuntimeError) as error:
                reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
                raise HardgenError(f"model.weights: cannot download {self.arch} {self.weights}: {reason}") from error
        if self.weights is not None and not named:
            load_weights(module, self.weights)
        preset = chosen or next(iter(entries), None)
        preprocess = IMAGENET if preset is None else _preprocess(preset.transforms())
        classes = self.classes or (list(chosen.meta["categories"]) if chosen is not None else None)
        settings = digest("torchvision", self.arch, repr(preprocess))
        return TorchModel(name, module, preprocess, settings, classes)


def _is_file(text: str) -> bool:
    return "/" in text or Path(text).suffix in FILES or Path(text).is_file()


def _preprocess(transforms: Any) -> Preprocess:
    """Torchvision's own settings of a set of weights."""
    resize, crop = transforms.resize_size, transforms.crop_size
    return Preprocess(
        resize[0] if isinstance(resize, list) else resize,
        crop[0] if isinstance(crop, list) else crop,
        mean=tuple(transforms.mean),
        std=tuple(transforms.std),
        mode=transforms.interpolation.value,
    )
