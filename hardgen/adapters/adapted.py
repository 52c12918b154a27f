"""Classes made from recipes: frozen dataclasses with one knob, whose pixels a library's transform makes."""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from hardgen import registry
from hardgen.adapters.libraries import Image, build, one_line, undisturbed
from hardgen.adapters.places import flow_of, places
from hardgen.adapters.recipe import Recipe
from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.functional.parallel import by_image
from hardgen.perturbation import GeometricPerturbation, Perturbation, PhotometricPerturbation
from hardgen.rng import SampleRng

SEEDS = 1 << 32
"""Seeds handed to a library lie below this: numpy's global generator takes no more."""


class Adapted(Perturbation):
    """What both kinds share: the recipe, the seeds, and the way into a worker process.

    The library's generator is set, image by image, to a seed that is the sample's at every value of the knob, so its
    pattern is coupled as far as the library draws the same numbers for every value. The work is done on the CPU
    whatever the device, so that pixels are the same.
    """

    recipe: ClassVar[Recipe]

    def seeds(self, rng: SampleRng) -> list[int]:
        """The library's seed for each image; nothing is drawn where the transform draws nothing."""
        return rng.integers("library", SEEDS).tolist() if self.recipe.random else [0] * len(rng.ids)

    def run(self, images: Tensor, seeds: list[int]) -> Tensor:
        """The transform on images, B x 3 x H x W float32 on the CPU, each with its seed."""
        value = getattr(self, self.recipe.knob)
        made = build(self.recipe, self.knobs()[self.recipe.knob].hardest if self.recipe.blend else value, _side(images))

        def one(image: Image, i: int) -> Image:
            return apply(self.recipe, made, image, seeds[i])

        with undisturbed():
            if self.recipe.library == "albumentations":
                return by_image(images, one)
            rows = [one(image.permute(1, 2, 0).numpy(), i) for i, image in enumerate(images)]
        return torch.from_numpy(np.stack(rows)).permute(0, 3, 1, 2)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as the recipe and the values of all fields: the class may not exist where it arrives."""
        return revive, (self.recipe, {f.name: getattr(self, f.name) for f in dataclasses.fields(self)})


class AdaptedPhotometric(Adapted, PhotometricPerturbation):
    """Values change where they are."""

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        """Images of one channel go through as grey ones; with `blend` the knob is the share of the result."""
        colour = images.expand(-1, 3, -1, -1).cpu()
        made = self.run(colour, self.seeds(rng)).to(images.device)[:, : images.shape[1]]
        return torch.lerp(images, made, getattr(self, self.recipe.knob)) if self.recipe.blend else made


class AdaptedGeometric(Adapted, GeometricPerturbation):
    """Pixels move: the library moves the places of the pixels, and images, masks and boxes are taken along them."""

    def flow(self, batch: Batch, rng: SampleRng) -> Tensor:
        """Where each pixel comes from, read off the transform's picture of the places."""
        height, width = batch.shape[-2:]
        given = places(height, width).expand(len(batch), -1, -1, -1).contiguous()
        return flow_of(self.run(given, self.seeds(rng))).to(batch.device)


def apply(recipe: Recipe, made: Callable[[Image, int], Image], image: Image, seed: int) -> Image:
    """The transform on one image, H x W x 3 float32, through 8 bits and a wider canvas where the recipe asks for it.

    Raises:
        HardgenError: if the library fails, or gives back another size.
    """
    height, width = image.shape[:2]
    lack = [(0, max(recipe.least_side - n, 0)) for n in (height, width)]
    given = np.pad(image, [*lack, (0, 0)], mode="edge") if any(n for _, n in lack) else image.copy()
    given = (given * 255.0).round().astype(np.uint8) if recipe.eight_bit else given
    try:
        result = made(given, seed)
    except Exception as error:
        raise HardgenError(
            f"{recipe.name}: {recipe.transform} fails on an image of {height} x {width} px: {one_line(error)} "
            f"({recipe.file}: eight_bit: true gives it 8-bit images, least_side: N at least N px)"
        ) from error
    if result.shape != given.shape or (result.dtype == np.uint8) != recipe.eight_bit or result.dtype.kind not in "fu":
        kinds = (f"{'x'.join(map(str, array.shape))} {array.dtype}" for array in (given, result))
        raise HardgenError(f"{recipe.name}: {recipe.transform} makes of an image of {next(kinds)} one of {next(kinds)}")
    result = result[:height, :width].astype(np.float32)
    return np.divide(result, 255.0, dtype=np.float32) if recipe.eight_bit else result


def adapt(recipe: Recipe) -> type[Adapted]:
    """The class that a recipe describes, not registered yet.

    Raises:
        HardgenError: if the knob has a name that every perturbation uses for something else.
    """
    base: type[Adapted] = AdaptedGeometric if recipe.moves else AdaptedPhotometric
    if hasattr(base, recipe.knob):
        raise HardgenError(f"{recipe.name}: knob.name: {recipe.knob!r} means something else; choose another")
    kind = int if recipe.spec.integer else float
    field: Any = dataclasses.field(default=recipe.spec.neutral, metadata={"knob": recipe.spec})
    words = {"limits": recipe.limits, "exemptions": recipe.exemptions, "version": recipe.version, "recipe": recipe}
    called = "".join(part.capitalize() for part in recipe.name.split("_")) or "_"
    extra = {"__doc__": f"{recipe.doc}\n\n{recipe.call}", "__module__": recipe.module, **words}
    return dataclasses.make_dataclass(called, [(recipe.knob, kind, field)], bases=(base,), namespace=extra, frozen=True)


def enter(recipe: Recipe) -> type[Adapted]:
    """The registered class of a recipe, made where there is none yet."""
    known = registry.perturbations().get(recipe.name)
    if known is not None and issubclass(known, Adapted) and known.recipe == recipe:
        return known
    return registry.register(recipe.name, family=recipe.family)(adapt(recipe))


def revive(recipe: Recipe, fields: dict[str, Any]) -> Perturbation:
    """A perturbation that came from another process; its class joins the registry here."""
    return enter(recipe)(**fields)


def _side(images: Tensor) -> int:
    return min(images.shape[-2:])
