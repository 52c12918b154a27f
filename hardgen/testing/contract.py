"""What every check of the contract shares: exemptions, how knobs are turned, how a failure reads."""

import dataclasses
import enum
from collections.abc import Iterator

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.perturbation import Outcome, Perturbation
from hardgen.rng import SampleRng

SEED, SLOT = 7, "slot"


class ContractError(AssertionError):
    """A perturbation breaks the contract: one line for each check that failed."""


def require(holds: bool, message: str) -> None:
    """Raises a ContractError with the message unless the condition holds."""
    if not holds:
        raise ContractError(message)


def exempt(cls: type[Perturbation], check: str, knob: str | None = None) -> bool:
    """Whether a class declares itself exempt from a check (`monotone`), or from it for one knob (`monotone.sigma`)."""
    return check in cls.exemptions or (knob is not None and f"{check}.{knob}" in cls.exemptions)


def turned(cls: type[Perturbation], knob: str, hardness: float) -> Perturbation:
    """The class with one knob at a hardness; the others at their default, or half way where that is neutral."""
    values: dict[str, float] = {knob: cls.knobs()[knob].at(hardness)}
    defaults = {f.name: f.default for f in dataclasses.fields(cls)}
    for name, spec in cls.knobs().items():
        if name != knob and defaults[name] == spec.neutral:
            half = spec.at(0.5)
            values[name] = spec.hardest if half == spec.neutral else half
    return cls(**values)


def turns(cls: type[Perturbation], *hardnesses: float) -> Iterator[tuple[str, Perturbation]]:
    """Each knob at each hardness in turn, with `knob=value` to name it by."""
    for knob in cls.knobs():
        for hardness in hardnesses:
            perturbation = turned(cls, knob, hardness)
            yield f"{knob}={getattr(perturbation, knob):g}", perturbation


def choices(cls: type[Perturbation], hardness: float) -> Iterator[tuple[str, Perturbation]]:
    """The main knob at a hardness, with the other fields as they are and then with each other choice of one of them."""
    plain = turned(cls, next(iter(cls.knobs())), hardness)
    yield "as it is", plain
    for field in dataclasses.fields(cls):
        value = getattr(plain, field.name)
        kinds: tuple[object, ...] = tuple(type(value)) if isinstance(value, enum.Enum) else ()
        for other in (False, True) if isinstance(value, bool) else kinds:
            if other != value:
                yield f"{field.name}={other}", dataclasses.replace(plain, **{field.name: other})


def rng_for(batch: Batch, seed: int = SEED, slot: str = SLOT) -> SampleRng:
    """Fresh draws for a batch."""
    return SampleRng(seed, slot, batch.ids, batch.images.device)


def outcome(perturbation: Perturbation, batch: Batch, seed: int = SEED, slot: str = SLOT) -> Outcome:
    """What a perturbation makes of a batch with fresh draws."""
    return perturbation(batch, rng_for(batch, seed, slot))


def pixels(perturbation: Perturbation, batch: Batch, seed: int = SEED, slot: str = SLOT) -> Tensor:
    """The perturbed images of a batch with fresh draws."""
    return outcome(perturbation, batch, seed, slot).batch.images


def rmse(a: Tensor, b: Tensor) -> Tensor:
    """Root mean square difference of each image, B float64."""
    return (a.double() - b.double()).square().flatten(1).mean(1).sqrt()


def widest(a: Tensor, b: Tensor) -> float:
    """The greatest difference between two values at one place; infinite where one is no number."""
    return float(torch.nan_to_num((a - b).abs(), nan=float("inf")).max())
