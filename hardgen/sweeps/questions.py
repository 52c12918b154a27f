"""What is put to the models about a batch: every image under each condition, or under those of its own."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray

from hardgen.batch import Batch
from hardgen.rng import SampleRng
from hardgen.sweeps.ask import NO_DOSES, doses_of, variant
from hardgen.sweeps.critical import Searches
from hardgen.sweeps.plan import Condition


@dataclass(frozen=True)
class Question:
    """Variants that models are asked about at once.

    Attributes:
        batch: The variants.
        conditions: What each of them is.
        doses: Their realised doses, as rows of the doses table.
        searches: That the question comes from, if it does.
    """

    batch: Batch
    conditions: Sequence[Condition]
    doses: pl.DataFrame
    searches: Searches | None = None

    def of(self, model: str) -> "Question | None":
        """What of it is for a model; None if nothing is."""
        if self.searches is None:
            return self
        places = self.searches.places(model, self.batch.ids, self.conditions)
        return Question(at(self.batch, places), [self.conditions[i] for i in places], NO_DOSES) if places else None

    def tell(self, model: str, rows: pl.DataFrame) -> None:
        """Takes a model's answers."""
        if self.searches is not None:
            self.searches.tell(model, rows)


def rounds(
    cells: Sequence[Condition],
    batch: Batch,
    rngs: Mapping[str, SampleRng],
    searches: Searches,
    models: Mapping[str, object],
) -> Iterator[Question]:
    """One round of the searches' questions after another, of those models that are still there."""
    while (asked := searches.asked(list(models))).any():
        for question in questions(cells, batch, rngs, measured=False, asked=asked):
            yield dataclasses.replace(question, searches=searches)


def questions(
    cells: Sequence[Condition],
    batch: Batch,
    rngs: Mapping[str, SampleRng],
    measured: bool = True,
    asked: NDArray[np.bool_] | None = None,
) -> Iterator[Question]:
    """The batch under each condition; or each image under some, in questions of about the batch's size.

    Args:
        cells: The conditions.
        batch: The images.
        rngs: Their draws, made once and shared by all conditions.
        measured: Whether the realised doses are wanted.
        asked: Images x conditions, whether an image is asked there; None where all are.
    """
    held: list[Question] = []
    for i, cell in enumerate(cells):
        if asked is None:
            yield _question(cell, batch, rngs, measured)
            continue
        places = asked[:, i].nonzero()[0].tolist()
        if places:
            some = {slot: rng.at(places) for slot, rng in rngs.items()}
            held.append(_question(cell, at(batch, places), some, measured))
        if held and (sum(len(question.batch) for question in held) >= len(batch) or cell is cells[-1]):
            yield _joined(held)
            held = []


def at(batch: Batch, places: Sequence[int]) -> Batch:
    """The samples at these places."""
    chosen, coded = list(places), batch.coded
    return dataclasses.replace(
        batch,
        images=batch.images[chosen] if coded is None else coded.at(chosen),
        ids=tuple(batch.ids[i] for i in chosen),
        labels=tuple(batch.labels[i] for i in chosen),
        boxes=None if batch.boxes is None else tuple(batch.boxes[i] for i in chosen),
        masks=None if batch.masks is None else batch.masks[chosen],
    )


def _question(cell: Condition, batch: Batch, rngs: Mapping[str, SampleRng], measured: bool) -> Question:
    outcome = variant(cell, batch, rngs, measured)
    doses = doses_of(outcome, cell) if measured else NO_DOSES
    return Question(outcome.batch, [cell] * len(batch), doses)


def _joined(held: Sequence[Question]) -> Question:
    """Several as one."""
    batches = [question.batch for question in held]
    first = batches[0]
    batch = dataclasses.replace(
        first,
        images=torch.cat([batch.images for batch in batches]),
        ids=tuple(i for batch in batches for i in batch.ids),
        labels=tuple(label for batch in batches for label in batch.labels),
        boxes=None if first.boxes is None else tuple(box for batch in batches for box in batch.boxes or ()),
        masks=None if first.masks is None else torch.cat([b.masks for b in batches if b.masks is not None]),
        on_grid=all(batch.on_grid for batch in batches),
    )
    conditions = [condition for question in held for condition in question.conditions]
    return Question(batch, conditions, pl.concat([question.doses for question in held]))
