"""Painting: fine texture gives way to brush strokes and tiles."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional.flatten import kuwahara, mosaic
from hardgen.functional.regions import parting, superpixels
from hardgen.functional.sources import Making
from hardgen.knobs import Scale, knob
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"
MOST = 4096.0
"""Superpixels that count as the image itself."""


@register("painterly")
@dataclass(frozen=True)
class Painterly(PhotometricPerturbation):
    """Paints the image with a broad brush: texture is smoothed away, edges stay, and corners turn into dabs of paint.

    Kuwahara's filter (Kuwahara et al. 1976), smoothed after Papari et al. (2007): every pixel takes the mean of that of
    four squares beside it which varies least in brightness. The brush is a square's side.
    """

    limits: ClassVar[str] = "Strokes have no direction, thickness or canvas, and the palette stays the photograph's."
    exemptions: ClassVar[dict[str, str]] = {
        "monotone": "as squares grow a pixel may choose another: the RMSE of a faint pattern of waves dips by 7% where "
        "the brush passes a wave; none of 96 photographs' did, in steps of 0.2 of hardness",
    }

    brush: float = knob(0.0, 0.06, SHORT_SIDE, "Side of the square that a pixel takes its mean from.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Filters; a brush of a pixel is the image, and narrower ones widen from there."""
        return kuwahara(images, 1.0 + self.brush * min(images.shape[-2:]))


@register("mosaic")
@dataclass(frozen=True)
class Mosaic(PhotometricPerturbation):
    """Lays the image in tiles of one colour each, of uneven shape, like a mosaic or a stained window.

    Tiles are Voronoi cells of seeds spread over the image, and larger ones are made by joining smaller ones, so that
    what is lost at one size stays lost at the next. The same tiles lie on every image. The finest are 1/128 of the
    short side; below that the image fades into them.
    """

    limits: ClassVar[str] = (
        "Tiles do not follow the picture's contours, as a craftsman's would (see superpixels); no joints."
    )

    cell: float = knob(0.0, 0.06, SHORT_SIDE, "Side of a square of a tile's mean area.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Gives every tile its mean colour."""
        return mosaic(images, self.cell)


@register("superpixels")
@dataclass(frozen=True)
class Superpixels(PhotometricPerturbation):
    """Fills regions of like colour with their mean colour, as a paint-by-numbers picture or a poster does.

    Regions follow the picture's contours. Fewer are made by joining neighbours (Ward's criterion: the squared error
    grows least), so that what is lost at one number stays lost at the next. As many regions as the image has pixels, or
    4,096, change nothing; over the first eighth fewer they blend in, so that nothing jumps.
    """

    limits: ClassVar[str] = (
        "Regions follow colour alone, in display values, with contours on a grid of 112 px along the short side."
    )

    regions: float = knob(MOST, 8.0, "regions", "Regions of one colour.", Scale.LOG)

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Gives every region its mean colour."""
        return superpixels(images, self.regions, MOST)

    def making(self, batch: Batch, rng: SampleRng) -> Making:
        """Parts each image by itself."""
        return parting(self.regions, MOST)
