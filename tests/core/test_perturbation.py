"""The base of perturbations: what a subclass gives is checked where it comes in."""

import enum
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Optional

import numpy as np
import pytest
import torch
from omegaconf import OmegaConf
from torch import Tensor

from hardgen.errors import HardgenError, shown
from hardgen.functional.measures import Measured
from hardgen.knobs import knob, setting
from hardgen.perturbation import PhotometricPerturbation
from hardgen.registry import get
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch


def returns(value: object) -> type:
    @dataclass(frozen=True)
    class Odd(PhotometricPerturbation):
        """Gives something else."""

        amount: float = knob(0.0, 1.0, "of full", "How much.")

        def perturb(self, images, rng):
            return value(images) if callable(value) else value

    Odd.name = "odd"
    return Odd


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (None, "got NoneType"),
        (lambda x: x[:, :, 1:], r"got torch.float32 \(7, 3, 47, 48\)"),
        (lambda x: x.double(), r"got torch.float64"),
    ],
)
def test_what_is_no_image_is_refused_by_name(value, got) -> None:
    batch = sample_batch()
    with pytest.raises(HardgenError, match=rf"odd.perturb must give float32 of shape \(7, 3, 48, 48\); {got}"):
        returns(value)(amount=1.0)(batch, SampleRng(0, "s", batch.ids))


class Hue(enum.Enum):
    warm = "warm"
    cold = "cold"


@dataclass(frozen=True)
class Fields(PhotometricPerturbation):
    """Has a field of every type."""

    amount: float = knob(0.0, 1.0, "of full", "How much.")
    hue: Hue = Hue.warm
    other: Hue | None = None
    on: bool = True
    text: str = "x"
    colour: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angle: float = setting(0.0, 0.0, 360.0, "degrees", "Where to.")
    drawn: float | None = setting(None, 0.0, 360.0, "degrees", "Where to; drawn where none.")
    blades: int = setting(5, 3, 9, "blades", "How many.")
    anything: object = None
    words: tuple[str, ...] = ()
    size: float = 1.0
    maybe: Optional[float] = None  # noqa: UP045
    number: int = 1

    def perturb(self, images: Tensor, rng: SampleRng) -> Tensor:
        return images


Fields.name = "fields"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("hue", 3, "must be one of warm, cold; got 3"),
        ("hue", None, "must be one of warm, cold; got None"),
        ("hue", "wram", ": unknown 'wram'; did you mean 'warm'?"),
        ("other", 3, "must be one of warm, cold or none; got 3"),
        ("on", "no", "must be true or false; got 'no'"),
        ("on", 1, "must be true or false; got 1"),
        ("text", 3, "must be text; got 3"),
        ("colour", 3, "must be a list of 3 numbers; got 3"),
        ("colour", "red", "must be a list of 3 numbers; got 'red'"),
        ("colour", {0, 1}, "must be a list of 3 numbers; got {0, 1}"),
        ("colour", [0, 1], "must be a list of 3 numbers; got [0, 1]"),
        ("colour", [0, 1, "1"], "must be a list of 3 numbers; got [0, 1, '1']"),
        ("colour", [0, 1, True], "must be a list of 3 numbers; got [0, 1, True]"),
        ("words", [3], "must be a list of texts; got [3]"),
        ("size", math.nan, "must be a number; got nan"),
        ("size", 10**309, f"must be a number, less than 1.8e+308 in size; got {'1' + '0' * 78}…"),
        ("size", 10**5000, "must be a number, less than 1.8e+308 in size; got a whole number of about 5000 digits"),
        ("size", Fraction(10**309, 1), f"must be a number, less than 1.8e+308 in size; got Fraction(1{'0' * 69}…"),
        ("maybe", -(10**309), f"must be a number or none, less than 1.8e+308 in size; got -1{'0' * 77}…"),
        ("number", 10**309, f"must be a whole number, less than 9.2e+18 in size; got {'1' + '0' * 78}…"),
        ("number", 1e300, "must be a whole number, less than 9.2e+18 in size; got 1e+300"),
        ("number", math.inf, "must be a whole number; got inf"),
        ("number", math.nan, "must be a whole number; got nan"),
        ("number", Fraction(7, 2), "must be a whole number; got Fraction(7, 2)"),
        ("angle", None, "must be a number; got None"),
        ("angle", True, "must be in [0, 360] degrees; got True"),
        ("drawn", "45", "must be in [0, 360] degrees; got '45'"),
        ("blades", 5.5, "must be a whole number; got 5.5"),
    ],
    ids=shown,
)
def test_a_field_takes_values_of_its_type_alone(field: str, value: object, words: str) -> None:
    with pytest.raises(HardgenError, match=f"^{re.escape(f'fields.{field}')} ?{re.escape(words)}$"):
        Fields(**{field: value})


def test_values_are_brought_to_the_type_of_the_field() -> None:
    made = Fields(amount=1, hue="cold", other="warm", colour=[0, 1, 1], drawn=None, blades=5.0, anything={3})
    assert (made.amount, made.hue, made.other, made.colour) == (1.0, Hue.cold, Hue.warm, (0, 1, 1))
    assert type(made.blades) is int
    assert type(made.colour[0]) is float
    assert Fields(number=Fraction(4, 2), size=math.inf).number == 2


@pytest.mark.parametrize("make", [OmegaConf.create, np.array, torch.tensor, tuple])
def test_a_list_may_be_of_any_kind(make: Callable[[list[float]], object]) -> None:
    assert Fields(colour=make([0.0, 0.5, 1.0])).colour == (0.0, 0.5, 1.0)  # type: ignore[arg-type]
    assert Fields(words=OmegaConf.create(["a", "b"])).words == ("a", "b")


def test_doses_are_measured_when_asked_for_and_once() -> None:
    calls: list[int] = []

    def measure() -> Tensor:
        calls.append(1)
        return torch.ones(2)

    doses = Measured({"late": measure}, Measured({"later": measure}, {"known": torch.zeros(2)}))
    assert list(doses) == ["late", "later", "known"]
    assert calls == []
    assert torch.equal(doses["late"], doses["late"])
    assert len(calls) == 1
    assert dict(doses)["later"].tolist() == [1.0, 1.0]
    assert len(calls) == 2


def test_a_setting_from_numpy_is_kept_as_a_plain_number() -> None:
    assert type(get("motion_blur")(angle=np.float32(5)).angle) is float  # type: ignore[call-arg, attr-defined]
