"""What every kind of splash on the lens shares: a sheet of them, of which each image takes its own piece."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import blobs, clouds
from hardgen.functional.coating import level, thickened
from hardgen.functional.coverage import coverage
from hardgen.functional.layering import LUMA
from hardgen.functional.parallel import drawn_once
from hardgen.functional.planes import planes
from hardgen.functional.sheets import Bytes, Grid, Size, enlarged
from hardgen.knobs import knob
from hardgen.perturbation import Doses, Perturbation
from hardgen.perturbations.weather.coating import lay
from hardgen.rng import SampleRng, sample_generator

EVENNESS = 0.85
"""Radii of splashes are spread from 1 less this to 1 of the largest: many small and few large."""

PERIOD = 3
"""Short sides after which a sheet of splashes repeats."""

COARSEST, OCTAVES = 2, 6
"""Cells along a short side of the coarsest octave of a cloud, and its octaves."""

UNIT = 0xFFFF / blobs.LAST
"""Whole ranks of a rank."""


class Sheet(NamedTuple):
    """A sheet of splashes, of which each image takes its own piece.

    Attributes:
        ranks: The order in which fine pixels are covered.
        thick: Greatest opacity of the pixels, in bytes.
        colour: What they show, h x w x 3.
        grey: The same without colour, h x w x 1.
    """

    ranks: NDArray[np.uint16]
    thick: Bytes
    colour: Bytes
    grey: Bytes


Relief: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True)
class Splashed(Perturbation):
    """Covers an exact fraction of the image with splashes that come one after the other and then swell together."""

    fraction: float = knob(0.0, 0.7, "of the image", "Share of the pixels that is covered.")

    COUNT: ClassVar[int] = 100
    LARGEST: ClassVar[float] = 0.1
    """Splashes on a square of the short side, and radius of the largest, of the short side."""
    RAGGED: ClassVar[float] = 0.1
    """How far outlines are dented: standard deviation of the logarithm of the squared radius."""
    SOFTNESS: ClassVar[float] = 0.02
    """How long a pixel is covered until the layer is full there, in ranks: a thin rim."""
    COLOUR: ClassVar[tuple[float, float, float]] = (1.0, 1.0, 1.0)

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Lays each image's own piece of the sheet over it."""
        height, width = batch.shape[-2:]
        grid = Grid.of(height, width, 64, 128, 256)
        sheet, draws = drawn(type(self), grid.size), rng.uniform("piece", 2).cpu().tolist()
        layers = [sheet.grey if grey else sheet.colour for grey in batch.grey.tolist()]

        def ranks(i: int) -> tuple[NDArray[np.uint16], int]:
            each = grid.cut(sheet.ranks, PERIOD, draws[i])
            last = level(each, self.fraction)
            return (each if grid.fine > 1 else enlarged(each, height, width)), last

        def at_size(plane: NDArray[Any]) -> NDArray[Any]:
            return enlarged(grid.coarse(plane), height, width)

        def opacity(i: int) -> Bytes:
            hidden = at_size(thickened(*ranks(i), self.SOFTNESS * UNIT))
            thick = enlarged(grid.cut(sheet.thick, PERIOD, draws[i], fine=False), height, width)
            return np.asarray(cv2.multiply(hidden, thick, scale=self.strength / 255))

        def layer(i: int) -> Bytes:
            part = enlarged(grid.cut(layers[i], PERIOD, draws[i], fine=False), height, width)
            return np.broadcast_to(part.reshape(height, width, -1), (height, width, batch.shape[1]))

        def hidden(i: int) -> NDArray[np.float32]:
            each, last = ranks(i)
            return at_size((each < last).astype(np.float32))

        def covered() -> Tensor:
            return planes(len(batch), height, width, hidden)[:, None].to(batch.device)

        return lay(batch, layer, opacity), coverage(batch, covered)

    @property
    def strength(self) -> float:
        """How much of the scene a thick layer hides."""
        return 1.0

    @classmethod
    @abstractmethod
    def light(cls, slope: Relief, far: Relief, mottle: Relief) -> tuple[Relief, Relief]:
        """What the colour is multiplied by, and how opaque the layer is at most.

        Args:
            slope: Way from the middle of a splash to the right and down, added up, in radii.
            far: Square of the whole way.
            mottle: A cloud of standard deviation 1.
        """


@drawn_once(8)
def drawn(kind: type[Splashed], size: Size) -> Sheet:
    """The sheet of a kind of splashes for images of a size."""
    generator = sample_generator(0, "sheet", "", kind.name)
    numbers = generator.random((kind.COUNT * PERIOD**2, 3), dtype=np.float32)
    radii = np.float32(kind.LARGEST * (1 - EVENNESS)) / (1 - np.float32(EVENNESS) * numbers[:, 2])
    cells, period = COARSEST * PERIOD, PERIOD * size.side
    dents, mottle = (
        clouds.endless(
            generator.standard_normal(sum((cells << k) ** 2 for k in range(OCTAVES)), np.float32), cells, period, 0.9
        )
        for _ in range(2)
    )
    ranks, slope, far = blobs.splashes(
        size.side, PERIOD, numbers[:, :2] * PERIOD, radii, np.exp(dents * np.float32(kind.RAGGED))
    )
    light, thick = kind.light(slope, far, mottle)

    def coarse(plane: NDArray[np.float32]) -> Bytes:
        shrunk = cv2.resize(plane, (period // size.fine, period // size.fine), interpolation=cv2.INTER_AREA)
        return size.endless(cv2.convertScaleAbs(shrunk, alpha=255), fine=False)

    red, green, blue = (coarse(np.clip(light * np.float32(c), 0, 1)) for c in kind.COLOUR)
    luma = sum(c * w for c, w in zip(kind.COLOUR, LUMA, strict=True))
    return Sheet(
        size.endless(np.rint(ranks * np.float32(UNIT)).astype(np.uint16)),
        coarse(thick),
        np.asarray(cv2.merge((red, green, blue))),
        coarse(np.clip(light * np.float32(luma), 0, 1))[..., None],
    )
