"""The contract as tests, for the perturbations here and for those of plug-in authors.

A plug-in's whole test is `check_perturbation(MyPerturbation)`; to see each check by name, parametrise over `CHECKS`.
"""

from collections.abc import Callable

from hardgen.perturbation import Perturbation
from hardgen.testing import boxes, declared, draws, images
from hardgen.testing.contract import ContractError, exempt
from hardgen.testing.samples import sample_batch

__all__ = ["CHECKS", "ContractError", "check_exemptions", "check_perturbation", "exempt", "sample_batch"]

CHECKS: dict[str, Callable[[type[Perturbation], str], None]] = {
    check.__name__: check
    for check in (
        declared.knob_declared,
        declared.documented,
        images.neutral_is_identity,
        images.input_untouched,
        images.finite_in_range,
        images.does_something,
        images.grey_stays_grey,
        images.any_size,
        images.bytes_agree,
        images.monotone,
        draws.batch_independent,
        draws.repeatable,
        draws.seeds_differ,
        draws.slots_independent,
        draws.global_state_untouched,
        draws.draws_ignore_knobs,
        declared.spec_round_trip,
        declared.picklable,
        boxes.boxes_move,
        images.device_agrees,
    )
}
"""Every check by name: called with a class and a device, it raises when the class fails."""


def check_exemptions(cls: type[Perturbation]) -> None:
    """Checks that a class's exemptions name checks that exist, with a reason.

    Raises:
        ContractError: naming the first exemption that does not. `check` exempts from a whole check, `monotone.knob`
            from that one for one knob.
    """
    for name, reason in cls.exemptions.items():
        check, _, knob = name.partition(".")
        if check not in CHECKS or (knob and (check != "monotone" or knob not in cls.knobs())):
            raise ContractError(f"exemptions: there is no check {name!r}")
        if not reason.strip():
            raise ContractError(f"exemptions: {name!r} needs a reason")


def check_perturbation(cls: type[Perturbation], device: str = "cpu") -> None:
    """Runs every check of the contract on a registered perturbation.

    Args:
        cls: The class; its `exemptions` are left out.
        device: A torch device; others than "cpu" are also compared with it.

    Raises:
        ContractError: with one line, `check: what is wrong`, for every check that failed.
    """
    failures = []
    for name, check in {"exemptions": lambda c, _: check_exemptions(c), **CHECKS}.items():
        if not exempt(cls, name):
            try:
                check(cls, device)
            except Exception as error:
                text = " ".join(str(error).split())
                kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
                failures.append(f"{name}: {kind}{text}")
    if failures:
        raise ContractError(f"{cls.name or cls.__name__} breaks the contract:\n" + "\n".join(failures))
