"""The three libraries: how a transform is found, built and called on one image with a seed of its own.

Albumentations keeps generators in the transform; Kornia and torchvision use the global ones, which are put back.
"""

import contextlib
import copy
import functools
import importlib
import inspect
import os
import random
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from hardgen.adapters.recipe import Recipe
from hardgen.errors import HardgenError, near

Image: TypeAlias = NDArray[Any]
"""H x W x 3, float32 in [0, 1] or uint8."""

NAMESPACES = {
    "albumentations": ("albumentations", "BasicTransform"),
    "kornia": ("kornia.augmentation", "AugmentationBase2D"),
    "torchvision": ("torchvision.transforms.v2", "Transform"),
}
"""The public module of each library, and the class that its transforms derive from."""


_ONE_AT_A_TIME = threading.RLock()


@functools.cache
def transforms(library: str) -> dict[str, type[Any]]:
    """The public transforms of a library by name; this imports it."""
    os.environ.setdefault("NO_ALBUMENTATIONS_UPDATE", "1")  # its import would else ask the network for news
    namespace, base = NAMESPACES[library]
    with undisturbed():
        module = importlib.import_module(namespace)
    root = getattr(module, base)
    return {
        n: c for n, c in vars(module).items() if isinstance(c, type) and issubclass(c, root) and not n.startswith("_")
    }


def find(recipe: Recipe) -> type[Any]:
    """The transform's class, looked up by name among the library's public transforms.

    Raises:
        HardgenError: if there is none of that name, or it has no parameter of a name, with the nearest; or if it moves
            pixels where the recipe says that they stay, or the other way round.
    """
    namespace, known = NAMESPACES[recipe.library][0], transforms(recipe.library)
    if recipe.transform not in known:
        suggestion = near(recipe.transform, known)
        more = suggestion if suggestion.startswith("; did") else f"; {namespace} has {len(known)} others"
        raise HardgenError(f"{recipe.name}: transform: {namespace} has no {recipe.transform!r}{more}")
    cls = known[recipe.transform]
    if _moves(cls) is None:
        raise HardgenError(
            f"{recipe.name}: transform: {recipe.transform} does something else than change values in place or move "
            "pixels, so masks and boxes could not follow; hardgen list shows what hardgen has of its own"
        )
    if _moves(cls) != recipe.moves:
        does, word = ("moves pixels", "true") if _moves(cls) else ("changes values in place", "false")
        raise HardgenError(f"{recipe.name}: moves: {recipe.transform} {does}: it needs moves: {word}")
    for name in recipe.parameters:
        if name not in _parameters(cls):
            raise HardgenError(
                f"{recipe.name}: parameters.{name}: {recipe.transform} has no such parameter"
                f"{near(name, _parameters(cls))}"
            )
    return cls


def _moves(cls: type[Any]) -> bool | None:
    """Whether a transform moves pixels (True), changes them in place (False), or does something else (None)."""
    parents, place, name = {parent.__name__ for parent in cls.__mro__}, cls.__module__, cls.__name__
    if place.startswith("albumentations."):
        staying = "ImageOnlyTransform" in parents or ".dropout." in place
        moving = (".geometric." in place or ".crops." in place) and name != "Morphological"
    elif place.startswith("kornia."):
        moving, staying = True, "IntensityAugmentationBase2D" in parents
    else:
        moving = place.endswith("._geometry")
        staying = place.endswith("._color") or name in ("GaussianBlur", "GaussianNoise", "JPEG", "RandomErasing")
    return False if staying else True if moving else None


def build(recipe: Recipe, value: float, short_side: int) -> Callable[[Image, int], Image]:
    """The transform at a value of the knob: a function of an image and a seed.

    Raises:
        HardgenError: for arguments that the library refuses or warns of, in one line.
    """
    cls, arguments = find(recipe), recipe.arguments(value, short_side)
    if "p" in _parameters(cls, ours=True):
        arguments["p"] = 1.0
    with undisturbed():
        warnings.simplefilter("error", UserWarning)
        try:
            transform = cls(**arguments)
        except Exception as error:
            got = ", ".join(f"{name}={content}" for name, content in arguments.items())
            raise HardgenError(f"{recipe.name}: parameters: {recipe.transform}({got}): {one_line(error)}") from error
    if recipe.library == "albumentations":
        return lambda image, seed: _call_albumentations(transform, image, seed)
    return lambda image, seed: _call_torch(transform, recipe.library == "kornia", image, seed)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Keeps what a library says and draws to itself: no warning comes out, and the global generators are put back.

    Threads enter one after the other, since they share those generators.
    """
    with _ONE_AT_A_TIME:
        states = torch.get_rng_state(), np.random.get_state(), random.getstate()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        finally:
            torch.set_rng_state(states[0])
            np.random.set_state(states[1])
            random.setstate(states[2])


def one_line(error: BaseException) -> str:
    """An exception of a library in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def _parameters(cls: type[Any], ours: bool = False) -> list[str]:
    """What a recipe may set; `p`, the chance that anything happens, is ours and always 1."""
    names = [n for n in inspect.signature(cls.__init__).parameters if n not in ("self", "args", "kwargs")]
    return names if ours else [n for n in names if n not in ("p", "p_batch", "same_on_batch", "keepdim")]


def _call_albumentations(transform: Any, image: Image, seed: int) -> Image:
    own = copy.copy(transform)  # images run side by side, and a call leaves its draws in the transform
    own.set_random_seed(seed)
    result: Image = own(image=image)["image"]
    return result


def _call_torch(transform: Any, batched: bool, image: Image, seed: int) -> Image:
    torch.default_generator.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    given = torch.from_numpy(image).permute(2, 0, 1).contiguous()
    result = transform(given[None])[0] if batched else transform(given)
    made: Image = result.permute(1, 2, 0).numpy()
    return made
