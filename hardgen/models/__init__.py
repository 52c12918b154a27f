"""Models that are asked: each kind is a dataclass of settings with `build(name)`."""

from typing import Any

from hardgen.models.digits_cnn import DigitsCnn
from hardgen.models.litert import Litert
from hardgen.models.module import Module
from hardgen.models.onnx import Onnx
from hardgen.models.timm import Timm
from hardgen.models.torchvision import Torchvision

KINDS: dict[str, type[Any]] = {
    "digits_cnn": DigitsCnn,
    "litert": Litert,
    "module": Module,
    "onnx": Onnx,
    "timm": Timm,
    "torchvision": Torchvision,
}
"""Kinds by the name that a config gives them."""
