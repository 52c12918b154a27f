"""hardgen: turn, measure and name what makes images hard for vision models.

The public names are found on first use, so that reading tables and making reports needs no torch.
"""

import importlib
from typing import Any

_PLACES = {
    "Batch": "hardgen.batch",
    "Donors": "hardgen.batch",
    "GeometricPerturbation": "hardgen.perturbation",
    "HardgenError": "hardgen.errors",
    "Perturbation": "hardgen.perturbation",
    "PhotometricPerturbation": "hardgen.perturbation",
    "Pipeline": "hardgen.pipeline",
    "Run": "hardgen.sweeps.results",
    "SampleRng": "hardgen.rng",
    "knob": "hardgen.knobs",
    "perturb": "hardgen.api",
    "register": "hardgen.registry",
    "setting": "hardgen.knobs",
    "sweep": "hardgen.api",
}

__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'hardgen' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, *globals()]
