"""Light that a lens or a shiny surface throws where it does not belong: sun flare and highlights."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.batch import Batch
from hardgen.functional import flare, glints
from hardgen.functional.flare import add_light
from hardgen.functional.measures import Measured
from hardgen.functional.planes import planes
from hardgen.functional.sources import Making
from hardgen.knobs import knob
from hardgen.perturbation import Doses, Perturbation
from hardgen.perturbations.weather.coating import Coating, Paint, tint
from hardgen.registry import register
from hardgen.rng import SampleRng

FAINT = 0.19
"""What is taken off a coating's opacity, so that a highlight begins at nearly nothing."""


@register("sun_flare")
@dataclass(frozen=True)
class SunFlare(Perturbation):
    """Lets the sun shine into the lens: a glaring source, a veil over the image and a chain of coloured ghosts.

    Display values become x + gain F. F is about 1 at the source, at a drawn place and angle from the middle: a core
    of 0.03 of the short side, a halo that falls to half within 0.16, and a veil all over. Ghosts, reflections between
    the lens's surfaces, are pale discs on the line from the source through the middle, each at a drawn place on it and
    of a drawn size, colour and strength of 0.06 to 0.18.
    """

    limits: ClassVar[str] = (
        "No one lens: ghosts are round discs in display values, without rays of the aperture; the scene's own light "
        "does not change."
    )

    gain: float = knob(0.0, 3.0, "of white", "Light that the flare adds at its source.")

    def apply(self, batch: Batch, rng: SampleRng) -> tuple[Batch, Doses]:
        """Adds the flare; `light` is what it adds to a pixel on average, before white is clipped."""
        height, width = batch.shape[-2:]
        numbers, grey = rng.uniform("flare", flare.NUMBERS).cpu().numpy(), batch.grey.tolist()

        def light(i: int) -> NDArray[np.float32]:
            return flare.flare(height, width, numbers[i], grey[i])

        def one(pixels: NDArray[Any], i: int) -> NDArray[Any]:
            return add_light(pixels, light(i), self.gain)

        def lights() -> Tensor:
            each = [torch.from_numpy(light(i)).expand(batch.shape[1], -1, -1) for i in range(len(batch))]
            return torch.stack(each).to(batch.device)

        doses = Measured({"light": lambda: self.gain * lights().flatten(1).mean(1)})
        if batch.on_cpu:
            return batch.made(Making(one, one)), doses
        return batch.replace(torch.add(batch.images, lights(), alpha=self.gain)), doses


@register("highlights")
@dataclass(frozen=True)
class Highlights(Coating):
    """Puts bright, soft-edged blotches on the image, as lamps do on wet or glossy things.

    Oval blotches come one after the other and grow; light thickens from nearly nothing at an outline to white within.
    """

    limits: ClassVar[str] = "Blotches lie anywhere, blind to shape and gloss of what the picture shows."

    fraction: float = knob(0.0, 0.6, "of the image", "Share of the pixels that are brightened.")

    @property
    def softness(self) -> float:
        """Wide soft edges."""
        return 0.5

    def ranks(self, batch: Batch, rng: SampleRng) -> tuple[Tensor, Tensor]:
        """Blotch after blotch."""
        height, width = batch.images.shape[-2:]
        numbers = rng.uniform("blotches", glints.BLOTCHES, 5).cpu().numpy()
        ranks = planes(len(batch), height, width, lambda i: glints.blotches(height, width, numbers[i]))
        ranks = ranks.to(batch.images.device)
        return ranks, ranks[:, None]

    def paint(self, batch: Batch, rng: SampleRng, relief: Tensor, opacity: Tensor) -> Paint:
        """White, from nearly nothing on."""
        return tint(batch, (1.0, 1.0, 1.0)), None, opacity.sub_(FAINT).mul_(1 / (1 - FAINT)).clamp_(min=0.0)
