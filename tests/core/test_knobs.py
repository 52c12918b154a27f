"""Knobs: range, direction, steps and error text."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hardgen.errors import HardgenError, shown
from hardgen.knobs import Knob, Scale, Setting

RISING = Knob(0.0, 0.1, "of the short side", "x")
FALLING = Knob(1.0, 0.0, "of the contrast", "x")
RATIO = Knob(1e4, 1.0, "photons", "x", Scale.LOG)
SPACING = Knob(math.inf, 1.0, "target sizes", "x", Scale.RECIPROCAL)
FADING = Knob(1.0, 0.0, "of the contrast", "x", Scale.QUADRATIC)
COUNT = Knob(0, 8, "patches", "x", integer=True)


@pytest.mark.parametrize("knob", [RISING, FALLING, RATIO, SPACING, FADING, COUNT])
def test_ends_are_exact(knob: Knob) -> None:
    assert knob.at(0) == knob.neutral
    assert knob.at(1) == knob.hardest


@given(st.floats(0.01, 1), st.sampled_from([RISING, FALLING, RATIO, SPACING, FADING]))
def test_hardness_is_the_inverse_of_at(hardness: float, knob: Knob) -> None:
    assert knob.hardness(knob.at(hardness)) == pytest.approx(hardness)


def test_scales_move_as_they_say() -> None:
    assert FALLING.at(0.25) == 0.75
    assert RATIO.at(0.5) == pytest.approx(100)
    assert SPACING.at(0.5) == 2
    assert FADING.at(0.5) == 0.25
    assert COUNT.at(0.51) == 4
    assert isinstance(COUNT.at(0.51), int)


@pytest.mark.parametrize("value", [-0.01, 0.11, math.nan, math.inf, "0.05", True, None])
def test_a_value_out_of_range_is_refused_with_owner_range_and_value(value: object) -> None:
    with pytest.raises(HardgenError, match=r"^blur\.sigma must be in \[0, 0\.1\] of the short side; got ") as error:
        RISING.check("blur", "sigma", value)
    assert "\n" not in str(error.value)


def test_numbers_of_numpy_are_numbers() -> None:
    RISING.check("blur", "sigma", np.float32(0.05))
    COUNT.check("clutter", "count", np.int64(3))
    with pytest.raises(HardgenError):
        RISING.check("blur", "sigma", np.float32(0.5))


def test_a_count_takes_whole_numbers_only() -> None:
    COUNT.check("clutter", "count", 3)
    with pytest.raises(HardgenError, match="a whole number in"):
        COUNT.check("clutter", "count", 2.5)


NO_NUMBERS = [True, "0.5", b"1", [0.5], None, 1j, 10**400, -(10**5000), np.array([0.5]), torch.tensor(0.5)]


@pytest.mark.parametrize("hardness", [-0.1, 1.1, 1.0000001, math.nan, *NO_NUMBERS], ids=shown)
def test_hardness_is_a_number_between_0_and_1(hardness: Any) -> None:
    with pytest.raises(HardgenError, match=r"^hardness must be in \[0, 1\]; got (?!1$|0.5$)") as error:
        RISING.at(hardness)
    assert len(str(error.value)) < 130


@pytest.mark.parametrize("value", [-1, 361, math.nan, *(v for v in NO_NUMBERS if v is not None)], ids=shown)
def test_a_setting_is_a_number_in_its_range(value: Any) -> None:
    with pytest.raises(HardgenError, match=r"^blur\.angle must be in \[0, 360\] degrees; got ") as error:
        Setting(0, 360, "degrees", "x").check("blur", "angle", value)
    assert len(str(error.value)) < 150
