"""The contract suite catches planted faults, each by the check that is meant for it."""

import pytest

from hardgen import registry
from hardgen.perturbation import Perturbation
from hardgen.testing import CHECKS, ContractError, check_exemptions, check_perturbation
from tests.contract import planted, planted_geometry
from tests.contract.planted import FallsBack, Good, TorchGlobal
from tests.contract.planted_geometry import Shift

FAULTS: list[tuple[type[Perturbation], str, str]] = [
    (planted.TorchGlobal, "global_state_untouched", "global generator of torch"),
    (planted.NumpyGlobal, "global_state_untouched", "global generator of numpy"),
    (planted.PythonGlobal, "global_state_untouched", "global generator of random"),
    (planted.SeedsGlobal, "global_state_untouched", "global generator of torch"),
    (planted.TorchGlobal, "repeatable", "the same seed gives other pixels"),
    (planted.WritesInput, "input_untouched", "writes into the images"),
    (planted.WrongNeutral, "neutral_is_identity", "an image jumps"),
    (planted.FallsBack, "monotone", "RMSE falls"),
    (planted.UsesBatchMean, "batch_independent", "differs by"),
    (planted.UsesIndex, "batch_independent", "differs by"),
    (planted.DrawsByKnob, "draws_ignore_knobs", "a draw depends on the knob: uniform"),
    (planted.NamesDrawByKnob, "draws_ignore_knobs", "a draw depends on the knob: normal"),
    (planted.NotANumber, "finite_in_range", "not finite"),
    (planted.DoublePrecision, "finite_in_range", "must give float32"),
    (planted.BatchDose, "finite_in_range", "dose mean is not one number"),
    (planted.SpoilsDraw, "repeatable", "used a second time"),
    (planted.Nothing, "does_something", "changes 0 of 7 images"),
    (planted.IgnoresSeed, "seeds_differ", "another seed gives the same"),
    (planted.IgnoresSlot, "slots_independent", "another slot gives the same"),
    (planted.NeedsSquare, "any_size", "at 64x200"),
    (planted.NeedsColour, "grey_stays_grey", "must give float32"),
    (planted_geometry.MovesBoxesTooFar, "boxes_move", "the box of sample-0.png"),
    (planted_geometry.LeavesMasks, "boxes_move", "the mask of sample-0.png"),
    (planted_geometry.MovesMasks, "boxes_move", "changes masks"),
    (planted.Counts, "device_agrees", "differ from the CPU's"),
    (planted.NoWords, "documented", "no docstring"),
    (planted.NoLimits, "documented", "limits is empty"),
    (planted.NoUnit, "knob_declared", "no unit"),
    (planted.Unchecked, "knob_declared", "is accepted"),
    (planted.HoldsFunction, "spec_round_trip", "not JSON serializable"),
    (planted.HoldsFunction, "picklable", "pickle"),
]


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))
    for cls in {Good, Shift, *(cls for cls, _, _ in FAULTS)}:
        registry.register(f"planted_{cls.__name__.lower()}", family="planted")(cls)


@pytest.mark.parametrize("cls", [Good, Shift])
def test_good_perturbations_pass(cls: type[Perturbation]) -> None:
    check_perturbation(cls)


@pytest.mark.parametrize(("cls", "check", "words"), FAULTS)
def test_fault_is_caught_by_its_check(cls: type[Perturbation], check: str, words: str) -> None:
    with pytest.raises(Exception, match=words):
        CHECKS[check](cls, "cpu:0")


def test_every_check_is_tried() -> None:
    assert {check for _, check, _ in FAULTS} == set(CHECKS)


def test_all_failures_are_listed_by_name_one_line_each() -> None:
    with pytest.raises(ContractError) as caught:
        check_perturbation(TorchGlobal)
    head, *lines = str(caught.value).splitlines()
    assert "planted_torchglobal" in head
    names = [line.split(":")[0] for line in lines]
    assert set(names) == {
        "batch_independent",
        "global_state_untouched",
        "picklable",
        "repeatable",
        "spec_round_trip",
    }
    assert len(names) == len(set(names))


def test_exemption_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ContractError, match=r"\nmonotone: sigma at hardness"):
        check_perturbation(FallsBack)
    monkeypatch.setattr(FallsBack, "exemptions", {"monotone": "planted"}, raising=False)
    check_perturbation(FallsBack)
    monkeypatch.setattr(FallsBack, "exemptions", {"monotone.sigma": "planted"})
    check_perturbation(FallsBack)


@pytest.mark.parametrize(
    ("exemptions", "words"),
    [
        ({"monotony": "typing"}, "no check 'monotony'"),
        ({"monotone.sgima": "typing"}, "no check 'monotone.sgima'"),
        ({"monotone": " "}, "needs a reason"),
    ],
)
def test_exemption_must_name_a_check_and_a_reason(
    exemptions: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Good, "exemptions", exemptions)
    with pytest.raises(ContractError, match=words):
        check_exemptions(Good)
    with pytest.raises(ContractError, match=words):
        check_perturbation(Good)
