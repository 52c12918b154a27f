"""One batch under every condition, put to every model."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl
import torch

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.models.model import Model
from hardgen.perturbation import Outcome, distance
from hardgen.pipeline import Pipeline, rounded
from hardgen.rng import SampleRng
from hardgen.sweeps.plan import Condition
from hardgen.sweeps.reading import DOSES

NO_ANSWERS = pl.DataFrame(
    schema={
        "condition_id": pl.String,
        "model": pl.String,
        "sample_id": pl.String,
        "label": pl.Int64,
        "prediction": pl.Int64,
        "correct": pl.Boolean,
        "confidence": pl.Float32,
        "p_label": pl.Float32,
        "loss": pl.Float32,
    }
)
"""The samples table without a row."""
NO_DOSES = pl.DataFrame(schema=DOSES)
"""The doses table without a row."""


def variants(
    pipeline: Pipeline, conditions: Sequence[Condition], batch: Batch, seed: int, measured: bool = True
) -> Iterator[Outcome]:
    """The batch under each condition, on the grid of 8-bit files; draws are made once and shared by all conditions.

    Where one slot alone does something its `rmse` is that of the rounded images, which is what a model sees.

    Args:
        pipeline: Whose slots the conditions set.
        conditions: What is done to the batch.
        batch: The images.
        seed: Keys every draw.
        measured: Whether the realised doses are wanted.
    """
    rngs = pipeline.rngs(seed, batch)
    for condition in conditions:
        yield variant(condition, batch, rngs, measured)


def variant(condition: Condition, batch: Batch, rngs: Mapping[str, SampleRng], measured: bool = True) -> Outcome:
    """The batch under one condition; see `variants`."""
    made = condition.pipeline
    outcome = made(batch, rngs)
    if made.neutral:
        return Outcome(outcome.batch, {})
    active = [slot for slot, perturbation in made.slots.items() if not perturbation.neutral]
    last = f"{active[0]}.rmse" if len(active) == 1 else None
    # Where they are wanted doses are measured first: what they are measured on is then there for rounding.
    doses = {name: outcome.doses[name] for name in outcome.doses if measured and name != last}
    shown = rounded(outcome.batch)
    if measured and last is not None:
        doses = {last: distance(shown, batch), **doses}
    return Outcome(shown, doses)


def ask(model: Model, batch: Batch, conditions: Sequence[Condition], column: Sequence[int] | None) -> pl.DataFrame:
    """A model's answers to a batch of variants, as rows of the samples table.

    Args:
        model: Who is asked.
        batch: The variants.
        conditions: What each of them is.
        column: The model's output for each label, where it is not the label itself.

    Raises:
        HardgenError: if an answer is not a number.
    """
    answers = model.log_probabilities(batch.images).float().cpu()
    if column is not None:
        answers = answers[:, list(column)].log_softmax(1)
    if bool(answers.isnan().any()):
        first = int(answers.isnan().any(1).nonzero()[0])
        where = f"to sample {batch.ids[first]!r} under {_where(conditions[first])}"
        raise HardgenError(f"model {model.name!r} answered NaN {where}")
    labels = torch.tensor(batch.labels)
    best, prediction = answers.max(1)
    of_label = answers.gather(1, labels[:, None])[:, 0]
    columns = (
        [condition.id for condition in conditions],
        [model.name] * len(batch),
        batch.ids,
        batch.labels,
        prediction.tolist(),
        (prediction == labels).tolist(),
        best.exp().tolist(),
        of_label.exp().tolist(),
        (-of_label).tolist(),
    )
    return pl.DataFrame(dict(zip(NO_ANSWERS.columns, columns, strict=True)), NO_ANSWERS.schema)


def doses_of(outcome: Outcome, condition: Condition) -> pl.DataFrame:
    """The realised doses of a batch of variants, as rows of the doses table: image by image."""
    ids, names = outcome.batch.ids, list(outcome.doses)
    if not names:
        return NO_DOSES
    values = torch.stack([outcome.doses[name].float().cpu() for name in names], 1).flatten().tolist()
    sample_ids = [sample_id for sample_id in ids for _ in names]
    rows = {"condition_id": [condition.id] * len(values), "sample_id": sample_ids, "dose": names * len(ids)}
    return pl.DataFrame(rows | {"value": values}, NO_DOSES.schema)


def dose_columns(outcome: Outcome) -> list[pl.Series]:
    """The realised doses as columns.

    Tables that live on hold no memory of torch's: small blocks kept between large ones would keep the large ones too.
    """
    return [pl.Series(name, dose.tolist(), pl.Float32) for name, dose in outcome.doses.items()]


def _where(condition: Condition) -> str:
    return ", ".join(f"{p.axis}={p.value:g}" for p in condition.points) or "no perturbation"
