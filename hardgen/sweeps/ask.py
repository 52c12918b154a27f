"""One batch under every condition, put to every model."""

from collections.abc import Iterator, Sequence

import polars as pl
import torch

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.models.model import Model
from hardgen.perturbation import Outcome
from hardgen.pipeline import Pipeline, rounded
from hardgen.sweeps.plan import Condition

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
"""The samples table without a row and without doses."""


def variants(pipeline: Pipeline, conditions: Sequence[Condition], batch: Batch, seed: int) -> Iterator[Outcome]:
    """The batch under each condition, on the grid of 8-bit files; draws are made once and shared by all conditions."""
    rngs = pipeline.rngs(seed, batch)
    for condition in conditions:
        outcome = condition.pipeline(batch, rngs)
        doses = dict(outcome.doses)  # all are wanted: measured first, what they are measured on is there for rounding
        yield Outcome(outcome.batch if condition.pipeline.neutral else rounded(outcome.batch), doses)


def ask(model: Model, outcome: Outcome, condition: Condition, column: Sequence[int] | None) -> pl.DataFrame:
    """A model's answers to a batch of variants, as rows of the samples table.

    Args:
        model: Who is asked.
        outcome: The variants and their realised doses.
        condition: What the variants are.
        column: The model's output for each label, where it is not the label itself.

    Raises:
        HardgenError: if an answer is not a number.
    """
    batch = outcome.batch
    answers = model.log_probabilities(batch.images).float().cpu()
    if column is not None:
        answers = answers[:, list(column)].log_softmax(1)
    if bool(answers.isnan().any()):
        sample = batch.ids[int(answers.isnan().any(1).nonzero()[0])]
        raise HardgenError(f"model {model.name!r} answered NaN to sample {sample!r} under {_where(condition)}")
    labels = torch.tensor(batch.labels)
    best, prediction = answers.max(1)
    of_label = answers.gather(1, labels[:, None])[:, 0]
    columns = (
        [condition.id] * len(batch),
        [model.name] * len(batch),
        batch.ids,
        batch.labels,
        prediction.tolist(),
        (prediction == labels).tolist(),
        best.exp().tolist(),
        of_label.exp().tolist(),
        (-of_label).tolist(),
    )
    table = pl.DataFrame(dict(zip(NO_ANSWERS.columns, columns, strict=True)), NO_ANSWERS.schema)
    return table.with_columns(dose_columns(outcome))


def dose_columns(outcome: Outcome) -> list[pl.Series]:
    """The realised doses as columns.

    Tables that live on hold no memory of torch's: small blocks kept between large ones would keep the large ones too.
    """
    return [pl.Series(name, dose.tolist(), pl.Float32) for name, dose in outcome.doses.items()]


def _where(condition: Condition) -> str:
    return ", ".join(f"{p.axis}={p.value:g}" for p in condition.points) or "no perturbation"
