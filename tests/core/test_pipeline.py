"""Pipelines: what they and their specs are made of."""

from typing import Any

import pytest

import hardgen
from hardgen.errors import HardgenError
from hardgen.registry import get


@pytest.mark.parametrize(
    ("slots", "words"),
    [
        ([1], r"slots must be a mapping from name to perturbation; got \[1\]"),
        ({"a": "rain"}, "slots must be texts that name perturbations; got 'a': 'rain'"),
        ({3: get("rain")()}, "slots must be texts that name perturbations; got 3: Rain"),
    ],
)
def test_slots_are_texts_that_name_perturbations(slots: Any, words: str) -> None:
    with pytest.raises(HardgenError, match=words):
        hardgen.Pipeline(slots)


SLOT = {"slot": "a", "perturbation": "rain"}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("rain", "a spec must be a list .* or its JSON; got 'rain'"),
        (None, "a spec must be a list .*; got None"),
        (SLOT, "a spec must be a list .*; got {'slot': 'a'"),
        ("[3]", "each slot of a spec must be a mapping .*; got 3"),
        ([{"perturbation": "rain"}], "each slot of a spec must be .*; got {'perturbation'"),
        ([{"slot": "a", "perturbation": 3}], "each slot of a spec must be"),
        ([SLOT, SLOT], "each slot of a spec must be a mapping with the texts slot, of its own"),
        ([{**SLOT, "size": 1}], "rain has no field 'size'"),
    ],
)
def test_a_spec_is_a_list_of_mappings(spec: Any, words: str) -> None:
    with pytest.raises(HardgenError, match=words):
        hardgen.Pipeline.from_spec(spec)


@pytest.mark.parametrize(("names", "got"), [(["rain", "snow", "rain"], "'rain'"), ([3], "3")])
def test_a_list_of_perturbations_names_different_ones(names: Any, got: str) -> None:
    with pytest.raises(HardgenError, match=f"pipeline: a list must hold different names .*; got {got}$"):
        hardgen.sweep(lambda images: images, [], names)
