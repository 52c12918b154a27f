"""What forms on glass before the camera: frost, condensation, raindrops that bend the light."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import blobs, clouds, crystals, scatter
from hardgen.functional.coating import blend
from hardgen.functional.filters import gaussian_blur
from hardgen.functional.parallel import spread
from hardgen.functional.planes import planes
from hardgen.functional.sampling import resample
from hardgen.knobs import knob, setting
from hardgen.perturbations.weather.coating import Canvases, Coating, Paint, Scattered, Tables, tint
from hardgen.registry import register
from hardgen.rng import SampleRng


@register("frost")
@dataclass(frozen=True)
class Frost(Coating):
    """Grows feathery ice crystals over the image from its edges, as on a window in winter.

    Stems start at the edges with side branches at 60 degrees, and the ice between them closes later: a pixel's rank is
    the time when ice reaches it. Ice is taken by `opacity` toward a bluish white that is brightest on the branches.
    ImageNet-C's frost lays photographs of frost over the whole image at fixed weights.
    """

    limits: ClassVar[str] = "Ice is white and flat: it does not bend the light, and grows from the frame alone."

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels under ice.")
    opacity: float = setting(0.85, 0.05, 1.0, "of full cover", "How much of the scene ice hides.")

    def ranks(self, batch: Batch, rng: SampleRng) -> tuple[Tensor, Tensor]:
        """By the time when crystals reach a pixel."""
        height, width = batch.images.shape[-2:]
        draws = rng.uniform("stems", crystals.STEMS, crystals.NUMBERS).cpu().numpy()
        ranks = planes(len(batch), height, width, lambda i: crystals.ferns(height, width, draws[i]))
        ranks = ranks.to(batch.images.device)
        return ranks, ranks[:, None]

    def paint(self, batch: Batch, rng: SampleRng, relief: Tensor, opacity: Tensor) -> Paint:
        """Ice, whose facets alternate in brightness as it grew."""
        facets = (relief * 25.0).sin_().mul_(0.12).add_(0.86)
        return tint(batch, (0.9, 0.96, 1.0)), facets, opacity.mul_(self.opacity)


@register("condensation")
@dataclass(frozen=True)
class Condensation(Coating):
    """Fogs up the glass: patches where the scene is blurred and pale.

    Patches follow a fractal cloud. There the image is blurred with a standard deviation of `blur` and taken by
    `opacity` toward white.
    """

    limits: ClassVar[str] = "The film is even within a patch: no single droplets, runs or wiped traces."

    fraction: float = knob(0.0, 1.0, "of the image", "Share of the pixels behind fogged glass.")
    blur: float = setting(0.05, 0.005, 0.2, "of the short side", "Standard deviation of the blur.")
    opacity: float = setting(0.55, 0.0, 1.0, "of full cover", "How far the film whitens what is behind it.")

    @property
    def softness(self) -> float:
        """Films thin out toward their edges."""
        return 0.8

    def ranks(self, batch: Batch, rng: SampleRng) -> tuple[Tensor, Tensor]:
        """Where the cloud is thick first."""
        height, width = batch.images.shape[-2:]
        thin = clouds.clouds(-rng.normal("film", clouds.NUMBERS), height, width, roughness=0.65)
        return thin[:, 0], thin

    def paint(self, batch: Batch, rng: SampleRng, relief: Tensor, opacity: Tensor) -> Paint:
        """The blurred image behind a pale film."""
        behind = gaussian_blur(batch.images, max(self.blur * min(batch.images.shape[-2:]), 0.1))
        return torch.lerp(behind, tint(batch, (0.88, 0.9, 0.92)), self.opacity), None, opacity


@register("droplets")
@dataclass(frozen=True)
class Droplets(Scattered):
    """Puts raindrops on the glass, each showing the scene small and upside down, as a lens does.

    Drops appear in a drawn order. A pixel at way w from the centre c of a drop of radius r shows the image at
    c - w (`view` / r): a drop takes in `view` of the short side on either side of its centre. Rims are dark, as where
    light is totally reflected, and there is a glint at the upper left.
    """

    limits: ClassVar[str] = "Drops are round and in focus: on a real lens near drops blur, merge and run down."

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels under drops.")
    size: float = setting(0.05, 0.005, 0.3, "of the short side", "Typical diameter of a drop.")
    view: float = setting(
        0.4, 0.05, 2.0, "of the short side", "How much of the scene a drop takes in about its centre."
    )

    COUNT: ClassVar[int] = 600

    def canvases(self, batch: Batch, rng: SampleRng, fine: int) -> Canvases:
        """The numbers of the drops."""
        height, width = batch.images.shape[-2:]
        places, radii = self.drops(height, width, rng)

        def one(i: int) -> scatter.Canvas:
            return scatter.discs(height, width, places[i], radii[i], fine)

        return planes(len(batch), height * fine, width * fine, one, np.uint16).numpy()

    def drops(self, height: int, width: int, rng: SampleRng) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Centres, B x n x 2, and radii, B x n, in pixels."""
        drawn = rng.uniform("drops", self.COUNT, 3).cpu().numpy()
        places = drawn[..., :2] * np.array([width, height], np.float32) - np.float32(0.5)
        radii = np.float32(self.size * min(height, width) / 4) / (1 - np.float32(0.8) * drawn[..., 2])
        return places, radii.astype(np.float32)

    def lay(self, batch: Batch, rng: SampleRng, canvases: Canvases, tables: Tables, covered: Tensor) -> Tensor:
        """What the drops show: the scene by each drop's lens, shaded toward the rim, and a glint."""
        height, width = batch.images.shape[-2:]
        places, radii = self.drops(height, width, rng)
        fine, view = self.fineness(height, width), self.view * min(height, width)
        flow = torch.empty(len(batch), height, width, 2)
        looks = torch.empty(len(batch), 2, height, width)

        def one(i: int) -> None:
            blobs.lens(canvases[i], fine, places[i], radii[i], view, flow[i].numpy(), looks[i].numpy())

        spread(one, len(batch), flow.numel())
        flow, looks = flow.to(batch.images.device), looks.to(batch.images.device)
        seen = resample(batch.images, flow).mul_(looks[:, :1]).add_(looks[:, 1:])
        return blend(batch.images, seen, None, covered)
