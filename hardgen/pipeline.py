"""Pipelines: perturbations in an order, each in a named slot."""

import dataclasses
import enum
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from torch import Tensor

from hardgen import registry
from hardgen.batch import Batch
from hardgen.errors import HardgenError, near, shown
from hardgen.functional.measures import Measured
from hardgen.perturbation import Outcome, Perturbation
from hardgen.rng import SampleRng

Spec: TypeAlias = list[dict[str, Any]]
"""A pipeline as plain data: one mapping per slot, in order, with every field."""


@dataclass(frozen=True)
class Pipeline:
    """An ordered set of slots.

    Attributes:
        slots: Perturbation by slot name, applied in this order. Two slots may hold the same perturbation; their draws
            are independent because the slot's name is part of each draw's key.
    """

    slots: Mapping[str, Perturbation]

    def __post_init__(self) -> None:
        """Checks that there are slots, with names, and what they hold."""
        if not isinstance(self.slots, Mapping):
            raise HardgenError(
                f"a pipeline's slots must be a mapping from name to perturbation; got {shown(self.slots)}"
            )
        for slot, perturbation in self.slots.items():
            if not isinstance(slot, str) or not isinstance(perturbation, Perturbation):
                got = f"{shown(slot)}: {shown(perturbation)}"
                raise HardgenError(f"a pipeline's slots must be texts that name perturbations; got {got}")

    def rngs(self, seed: int, batch: Batch) -> dict[str, SampleRng]:
        """The draws of every slot for a batch; hand them to several calls and the conditions share them."""
        return {slot: SampleRng(seed, slot, batch.ids, batch.images.device) for slot in self.slots}

    def __call__(self, batch: Batch, rngs: Mapping[str, SampleRng]) -> Outcome:
        """Perturbs a batch slot by slot; doses come back as `slot.dose`."""
        doses: dict[str, Callable[[], Tensor]] = {}
        for slot, perturbation in self.slots.items():
            outcome = perturbation(batch, rngs[slot])
            batch = outcome.batch
            doses |= {f"{slot}.{name}": partial(outcome.doses.__getitem__, name) for name in outcome.doses}
        return Outcome(batch, Measured(doses))

    @property
    def neutral(self) -> bool:
        """Whether every slot stands at neutral."""
        return all(p.neutral for p in self.slots.values())

    def knob(self, axis: str) -> tuple[str, str]:
        """Splits `slot.knob` and checks that both exist.

        Raises:
            HardgenError: with the nearest name.
        """
        slot, _, name = axis.partition(".")
        if slot not in self.slots:
            raise HardgenError(f"axis {axis!r}: the pipeline has no slot {slot!r}{near(slot, self.slots)}")
        knobs = self.slots[slot].knobs()
        name = name or next(iter(knobs))
        if name not in knobs:
            raise HardgenError(f"axis {axis!r}: {self.slots[slot].name} has no knob {name!r}{near(name, knobs)}")
        return slot, name

    def with_values(self, values: Mapping[str, float]) -> "Pipeline":
        """The pipeline with some knobs (`slot.knob`) set to values."""
        slots = dict(self.slots)
        for axis, value in values.items():
            slot, name = self.knob(axis)
            if getattr(slots[slot], name) != value:
                slots[slot] = dataclasses.replace(slots[slot], **{name: value})
        return Pipeline(slots)

    def spec(self) -> Spec:
        """The pipeline as plain data; neutral slots are left out, since they do nothing."""
        return [
            {"slot": slot, "perturbation": p.name, "version": p.version, **fields_of(p)}
            for slot, p in self.slots.items()
            if not p.neutral
        ]

    def spec_json(self) -> str:
        """The spec as canonical JSON: equal pipelines give equal text."""
        return json.dumps(self.spec(), separators=(",", ":"))

    @classmethod
    def from_spec(cls, spec: Spec | str) -> "Pipeline":
        """The pipeline that a spec, or its JSON, describes.

        Raises:
            HardgenError: for another form, an unknown perturbation or field, or pixels of another version.
        """
        try:
            rows: Any = json.loads(spec) if isinstance(spec, str) else spec
        except ValueError:
            rows = None
        if not isinstance(rows, (list, tuple)):
            raise HardgenError(f"a spec must be a list with a mapping for each slot, or its JSON; got {shown(spec)}")
        slots: dict[str, Perturbation] = {}
        for row in rows:
            named = isinstance(row, Mapping) and all(isinstance(row.get(k), str) for k in ("slot", "perturbation"))
            if not named or row["slot"] in slots:
                allowed = "a mapping with the texts slot, of its own, and perturbation"
                raise HardgenError(f"each slot of a spec must be {allowed}; got {shown(row)}")
            fields = {k: v for k, v in row.items() if k not in ("slot", "perturbation", "version")}
            slots[row["slot"]] = build(row["perturbation"], fields)
            made = slots[row["slot"]].version
            if row.get("version", made) != made:
                raise HardgenError(
                    f"{row['perturbation']} is at version {made}, the spec was made with version {row['version']}: "
                    "its pixels would differ"
                )
        return cls(slots)


def build(name: str, fields: Mapping[str, Any], beside: Sequence[str] = ()) -> Perturbation:
    """A perturbation from its name and fields; an error also suggests what may stand `beside` the fields.

    Raises:
        HardgenError: for an unknown name or field (with the nearest), or a value out of range.
    """
    cls = registry.get(name)
    known = [f.name for f in dataclasses.fields(cls)]
    for field in fields:
        if field not in known:
            raise HardgenError(f"{name} has no field {shown(field)}{near(field, [*known, *beside])}")
    return cls(**fields)


def fields_of(perturbation: Perturbation) -> dict[str, Any]:
    """A perturbation's fields as plain JSON values."""
    values = {f.name: getattr(perturbation, f.name) for f in dataclasses.fields(perturbation)}
    return {
        k: v.name if isinstance(v, enum.Enum) else list(v) if isinstance(v, tuple) else v for k, v in values.items()
    }


def rounded(batch: Batch) -> Batch:
    """The batch on the grid of 8-bit files: what is written to a lossless file equals what a model sees."""
    return batch.rounded()
