"""The bundled model: a small network for the bundled digits."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from safetensors.torch import load_file
from torch import Tensor, nn

from hardgen.data.digits import CANVAS
from hardgen.models.model import TorchModel
from hardgen.models.preprocessing import Preprocess

WEIGHTS = Path(__file__).with_name("digits_cnn.safetensors")


class DigitsNet(nn.Module):
    """Four convolutions that halve the image, the maximum over all places, one linear layer."""

    def __init__(self) -> None:
        super().__init__()
        widths = (1, 24, 48, 96, 128)
        self.features = nn.Sequential(*(_block(before, after) for before, after in pairwise(widths)))
        self.head = nn.Linear(widths[-1], 10)

    def forward(self, images: Tensor) -> Tensor:
        """B x 3 x 64 x 64 in [0, 1] to B x 10 logits."""
        grey = images.mean(1, keepdim=True)
        logits: Tensor = self.head(self.features(grey).amax((2, 3)))
        return logits


def _block(before: int, after: int) -> nn.Sequential:
    conv = nn.Conv2d(before, after, 3, stride=2, padding=1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(after), nn.ReLU())


@dataclass(frozen=True)
class DigitsCnn:
    """A convolutional network of 165,000 weights that knows the bundled digits (see experiments/digits_cnn).

    It was trained on the `train` split, in random sizes, places and brightnesses, without any other perturbation.
    """

    def build(self, name: str = "digits_cnn") -> TorchModel:
        """Loads the weights that come with hardgen."""
        net = DigitsNet()
        net.load_state_dict(load_file(WEIGHTS))
        return TorchModel(name, net, Preprocess(exact=(CANVAS, CANVAS)), "digits_cnn", classes=tuple("0123456789"))
