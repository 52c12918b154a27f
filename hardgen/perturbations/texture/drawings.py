"""Drawings: shape without texture, by lines and shading."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from hardgen.functional.flatten import kuwahara
from hardgen.functional.lines import outline, pencil
from hardgen.functional.tone import luminance
from hardgen.knobs import knob, setting
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import register
from hardgen.rng import SampleRng

SHORT_SIDE = "of the short side"


@register("edges")
@dataclass(frozen=True)
class Edges(PhotometricPerturbation):
    """Fades into a line drawing: black lines where brightness steps, on white, with no colour, shading or texture.

    Lines follow the ridges of the gradient of the smoothed brightness, darker the higher the step, after Canny's (1986)
    edges but without a yes or no. The amount blends from the image to the drawing. The stimuli `edge` of Geirhos et al.
    (2019, arXiv 1811.12231) are Canny edges of objects on white.
    """

    limits: ClassVar[str] = (
        "Lines are where brightness steps, at shadows and in textures too, and not where a person would draw them; two "
        "areas of one brightness and different colours have no line between them."
    )

    amount: float = knob(0.0, 1.0, "of the way", "How far the image goes to the drawing.")
    scale: float = setting(0.008, 0.001, 0.1, SHORT_SIDE, "Standard deviation of the smoothing: half a line's width.")
    contrast: float = setting(0.25, 0.01, 1.0, "of full scale", "Step in brightness that is drawn black.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Blends to white less the lines."""
        lines = outline(images, self.scale * min(images.shape[-2:]), self.contrast)
        return torch.lerp(images, 1 - lines, self.amount)


@register("sketch")
@dataclass(frozen=True)
class Sketch(PhotometricPerturbation):
    """Fades into a pencil sketch: soft grey shading along edges and in fine texture, white elsewhere.

    Shading is brightness over the mean brightness round about (the "colour dodge" of photo editors), which leaves even
    areas white, bright or dark. The amount blends from the image to the sketch.
    """

    limits: ClassVar[str] = (
        "No strokes, hatching or paper, and no choice of what to leave out, where a sketch by hand simplifies and "
        "exaggerates."
    )

    amount: float = knob(0.0, 1.0, "of the way", "How far the image goes to the sketch.")
    scale: float = setting(0.02, 0.002, 0.5, SHORT_SIDE, "Standard deviation of the mean round about.")
    darkness: float = setting(2.5, 0.1, 10.0, "as a power", "How hard the pencil is pressed.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Blends to the shading."""
        return torch.lerp(images, pencil(images, self.scale * min(images.shape[-2:]), self.darkness), self.amount)


@register("cartoon")
@dataclass(frozen=True)
class Cartoon(PhotometricPerturbation):
    """Fades into a cartoon: flat areas in a few shades, with black contours.

    Kuwahara's filter flattens the areas, their brightness is drawn to a few even shades with soft steps, and the lines
    of `edges` are laid over it. The amount blends from the image to the cartoon.
    """

    limits: ClassVar[str] = (
        "Shapes and proportions stay those of the photograph, where a draughtsman simplifies and exaggerates them."
    )

    amount: float = knob(0.0, 1.0, "of the way", "How far the image goes to the cartoon.")
    brush: float = setting(0.03, 0.005, 0.2, SHORT_SIDE, "Side of the squares of Kuwahara's filter.")
    shades: float = setting(5.0, 2.0, 16.0, "shades", "Steps from black to white.")

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Blends to flat colours under lines."""
        short = min(images.shape[-2:])
        flat = kuwahara(images.contiguous(), max(round(self.brush * short), 1))
        light = luminance(flat).clamp(min=1 / 255)
        steps = light * (self.shades - 1)
        middle = steps.floor()
        shade = middle.add(torch.sigmoid((steps - middle - 0.5) * 16)).div_(self.shades - 1)
        toon = flat.mul_(shade.div_(light)).clamp_(0, 1).mul_(1 - outline(images, 0.008 * short, 0.25))
        return torch.lerp(images, toon, self.amount)
