"""Models that timm knows."""

import math
from dataclasses import dataclass

import torch

from hardgen.errors import HardgenError, near
from hardgen.files import digest
from hardgen.models.extras import need
from hardgen.models.model import TorchModel
from hardgen.models.preprocessing import Preprocess
from hardgen.models.weights import load_weights


@dataclass(frozen=True)
class Timm:
    """A model of the timm library, with the preprocessing of its configuration.

    Attributes:
        arch: The model's name, for example `resnet18.a1_in1k`.
        pretrained: Load timm's weights (downloaded once into its cache).
        weights: A file with a state dict instead; null: timm's, or random ones that are always the same.
        n_classes: Number of outputs; null: the architecture's own.
        classes: Class names by output; null: unknown.
    """

    arch: str = "???"
    pretrained: bool = True
    weights: str | None = None
    n_classes: int | None = None
    classes: list[str] | None = None

    def build(self, name: str) -> TorchModel:
        """Makes the model.

        Raises:
            HardgenError: if timm is not installed or does not know the name, the weights cannot be fetched, or a file
                is missing or does not fit.
        """
        timm = need("timm", "timm")
        if not timm.is_model(self.arch):
            raise HardgenError(
                f"model.arch: timm has no model {self.arch!r}{near(self.arch, timm.list_models())[:200]}"
            )
        fetch = self.pretrained and self.weights is None
        arguments = {} if self.n_classes is None else {"num_classes": self.n_classes}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            try:
                module = timm.create_model(self.arch, pretrained=fetch, **arguments)
            except Exception as error:  # the hub's client has many ways to fail
                reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
                raise HardgenError(f"model.arch: timm cannot make {self.arch!r}: {reason}") from error
        if self.weights is not None:
            load_weights(module, self.weights)
        settings = timm.data.resolve_model_data_config(module)
        side = int(settings["input_size"][-1])
        resize = math.floor(side / float(settings["crop_pct"]))
        mode = "bicubic" if settings["interpolation"] == "bicubic" else "bilinear"
        preprocess = Preprocess(resize, side, mean=tuple(settings["mean"]), std=tuple(settings["std"]), mode=mode)
        return TorchModel(name, module, preprocess, digest("timm", self.arch, repr(preprocess)), self.classes)
