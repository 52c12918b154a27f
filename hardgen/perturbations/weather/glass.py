"""What forms on glass before the camera: frost, condensation, raindrops that bend the light."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import blobs, clouds, crystals
from hardgen.functional.filters import gaussian_blur
from hardgen.functional.sampling import resample
from hardgen.knobs import knob, setting
from hardgen.perturbations.weather.coating import Coating, stacked, tint
from hardgen.perturbations.weather.falling import rests
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

    def ranks(self, batch: Batch, rng: SampleRng) -> Tensor:
        """By the time when crystals reach a pixel."""
        height, width = batch.images.shape[-2:]
        draws = rng.uniform("stems", crystals.STEMS, crystals.NUMBERS).cpu().numpy()
        return stacked([crystals.ferns(height, width, row) for row in draws], batch)

    def layer(self, batch: Batch, rng: SampleRng, ranks: Tensor) -> Tensor:
        """The image behind ice, whose facets alternate in brightness as it grew."""
        facets = (ranks * 25.0).sin_().mul_(0.12).add_(0.86)
        return torch.lerp(batch.images, tint(batch, (0.9, 0.96, 1.0)) * facets, self.opacity)


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
    def edge(self) -> float:
        """Films fade at their edges."""
        return 0.06

    def ranks(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Where the cloud is thick first."""
        height, width = batch.images.shape[-2:]
        return -clouds.clouds(rng.normal("film", clouds.NUMBERS), height, width, roughness=0.65)[:, 0]

    def layer(self, batch: Batch, rng: SampleRng, ranks: Tensor) -> Tensor:
        """The blurred image behind a pale film."""
        behind = gaussian_blur(batch.images, max(self.blur * min(batch.images.shape[-2:]), 0.1))
        return torch.lerp(behind, tint(batch, (0.88, 0.9, 0.92)), self.opacity)


@register("droplets")
@dataclass(frozen=True)
class Droplets(Coating):
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

    def ranks(self, batch: Batch, rng: SampleRng) -> Tensor:
        """By the number of the first drop over a pixel."""
        height, width = batch.images.shape[-2:]
        places, radii = (drawn.cpu().numpy() for drawn in self.drops(height, width, rng))
        each = zip(places, radii, rests(batch, rng), strict=True)
        return stacked([blobs.drops(height, width, at, size, rest) for at, size, rest in each], batch)

    def drops(self, height: int, width: int, rng: SampleRng) -> tuple[Tensor, Tensor]:
        """Centres, B x n x 2, and radii, B x n, in pixels."""
        drawn = rng.uniform("drops", self.COUNT, 3)
        places = drawn[..., :2] * torch.tensor([width, height], device=drawn.device) - 0.5
        return places, self.size * min(height, width) / 4 / (1.0 - 0.8 * drawn[..., 2])

    def layer(self, batch: Batch, rng: SampleRng, ranks: Tensor) -> Tensor:
        """What the drops show."""
        height, width = batch.images.shape[-2:]
        centre, way = blobs.within(ranks[:, 0], *self.drops(height, width, rng))
        last = torch.tensor([max(width - 1, 1), max(height - 1, 1)], device=ranks.device)
        flow = last - ((centre - way * (self.view * min(height, width))).remainder(2 * last) - last).abs()
        seen = resample(batch.images, flow)
        out = way.square().sum(-1)[:, None]
        glint = (way + 0.4).square().sum(-1)[:, None].mul_(-30.0).exp_().mul_(0.8)
        shade = 1.1 - 0.75 * out * out * out
        return torch.lerp(seen * shade, tint(batch, (1.0, 1.0, 1.0)), glint)
