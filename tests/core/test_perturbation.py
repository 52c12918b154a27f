"""The base of perturbations: what a subclass gives is checked where it comes in."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from hardgen.errors import HardgenError
from hardgen.functional.measures import Measured
from hardgen.knobs import knob
from hardgen.perturbation import PhotometricPerturbation
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
