"""Every registered perturbation keeps every point of the contract."""

import pytest
import torch

import hardgen.perturbations  # noqa: F401  (fills the registry)
from hardgen.registry import perturbations
from hardgen.testing import CHECKS, check_exemptions, exempt

DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")),
]
BUILT_IN = {name: cls for name, cls in perturbations().items() if cls.__module__.startswith("hardgen.")}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", BUILT_IN)
def test_contract(name: str, check: str, device: str) -> None:
    cls = BUILT_IN[name]
    if exempt(cls, check):
        pytest.skip(f"{check}: {cls.exemptions[check]}")
    CHECKS[check](cls, device)


@pytest.mark.parametrize("name", BUILT_IN)
def test_exemptions_are_known_and_reasoned(name: str) -> None:
    check_exemptions(BUILT_IN[name])


def test_every_family_is_registered() -> None:
    families = {cls.family for cls in BUILT_IN.values()}
    assert {"blur", "contrast", "distractors", "geometric", "noise", "occlusion"} <= families
