"""From a YAML file to registered perturbations."""

import sys
import types
from pathlib import Path

import numpy as np

from hardgen.adapters.adapted import Adapted, apply, enter
from hardgen.adapters.libraries import build, undisturbed
from hardgen.adapters.recipe import read_recipes

TRIED = (0.01, 0.5, 1.0)
"""The hardnesses at which a transform is tried before a file of the user's is taken."""


def load(file: Path, module_name: str, trial: bool = True) -> list[type[Adapted]]:
    """Registers what a YAML file describes; the file becomes a module that holds the classes.

    Args:
        file: A mapping, or a list of them.
        module_name: The module's name.
        trial: Whether to build and run each transform first, which imports its library.

    Raises:
        HardgenError: in one line that names the recipe and the key.
    """
    recipes = read_recipes(file, module_name)
    module = types.ModuleType(module_name, f"Perturbations from {file.name}.")
    module.__file__ = str(file)
    sys.modules[module_name] = module
    classes = []
    for recipe in recipes:
        cls = enter(recipe)
        setattr(module, cls.__name__, cls)
        classes.append(cls)
        if trial:
            _try(cls)
    return classes


def _try(cls: type[Adapted]) -> None:
    recipe, image = cls.recipe, np.random.default_rng(0).random((64, 64, 3), dtype=np.float32)
    for hardness in TRIED:
        made = build(recipe, recipe.spec.at(hardness), 64)
        with undisturbed():
            apply(recipe, made, image, 0)
