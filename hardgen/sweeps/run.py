"""The execution of a plan: perturb once, ask every model, keep every answer; what exists is done."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue

import polars as pl

from hardgen.batch import Batch
from hardgen.data.dataset import Dataset
from hardgen.data.loading import Failure, load
from hardgen.errors import HardgenError, one_line
from hardgen.models.memory import is_out_of_memory
from hardgen.models.model import Model
from hardgen.progress import progress
from hardgen.rng import SampleRng
from hardgen.sweeps.ask import NO_ANSWERS, NO_DOSES, ask
from hardgen.sweeps.batches import Batches
from hardgen.sweeps.critical import Searches
from hardgen.sweeps.lanes import lanes
from hardgen.sweeps.ledger import Ledger
from hardgen.sweeps.margins import margins
from hardgen.sweeps.parts import Block, Part, keep_failures, kept_failures, same_failures, take
from hardgen.sweeps.plan import Plan
from hardgen.sweeps.questions import Question, questions, rounds
from hardgen.sweeps.settings import Settings, pool_on

STRIKES = 3
"""Blocks in a row that a model may fail at before it is asked no more."""


@dataclass(frozen=True)
class Gap:
    """Answers that could not be had.

    Attributes:
        model: Whose.
        file: The file that is missing for it, relative to the run's folder.
        reason: Why, in one line.
    """

    model: str
    file: str
    reason: str


@dataclass(frozen=True)
class Given:
    """What is known of a part before a block of it is asked.

    Attributes:
        batches: Its samples.
        places: Their places in the part.
        clean: Margins on the clean images, by model and sample; of searches only.
    """

    batches: Batches
    places: Mapping[str, int]
    clean: Mapping[str, Mapping[str, float]]

    def questions(
        self, block: Block, batch: Batch, rngs: Mapping[str, SampleRng], measured: bool, models: Mapping[str, object]
    ) -> Iterator[Question]:
        """What a block puts to the models that are still there, about one of the batches."""
        if block.searched:
            searches = Searches(batch.ids, block.cells, self.clean, block.searched + 1)
            return rounds(block.cells, batch, rngs, searches, models)
        asked = None if block.asked is None else block.asked[[self.places[i] for i in batch.ids]]
        return questions(block.cells, batch, rngs, measured, asked)


@dataclass
class Execution:
    """One process's work on a run.

    Attributes:
        plan: The conditions.
        dataset: The images.
        models: Asked on the same pixels, on the run's device.
        columns: For each model its output for each label; None where the label itself is the output.
        settings: How to run.
        ledger: The files of the run's folder.
        gaps: What could not be had.
    """

    plan: Plan
    dataset: Dataset
    models: Sequence[Model]
    columns: Mapping[str, Sequence[int] | None]
    settings: Settings
    ledger: Ledger
    gaps: list[Gap] = field(default_factory=list)
    _strikes: dict[str, int] = field(default_factory=dict)

    def run(self, laid: Sequence[Part]) -> list[Failure]:
        """Asks what the files do not hold yet.

        Returns:
            The samples that could not be read, in this run or in those that it goes on from.

        Raises:
            HardgenError: if an image cannot be read and `on_error` is `raise`, or a model or a perturbation fails and
                `fail_fast` is set.
        """
        for part in laid:
            if not same_failures(part.failures, self.dataset, part.indices, self.settings.on_error):
                self.ledger.forget(part.files)
        work = [(part, [(b, self._missing(b)) for b in part.blocks if not self._whole(b)]) for part in laid]
        total = sum(b.count(range(len(p.indices))) for p in laid for b in p.blocks) * len(self.models)
        left = sum(_answers(part, blocks) for part, blocks in work)
        todo = [(part, blocks) for part, blocks in work if blocks]
        pool, ids = (pool_on(self.dataset, self.settings), self.dataset.ids()) if todo else (None, [])
        indices = [i for part, _ in todo for i in part.indices]
        stream = load(self.dataset, indices, self.settings.workers, self.settings.on_error)
        with (
            lanes(self.models, self.settings.device) as self._lanes,
            progress("sweep", total, "answers", total - left) as self._advance,
        ):
            batches = Batches(self.dataset.classes, pool, self.settings, self._lanes.count)
            for part, blocks in todo:
                samples, failed = take(stream, len(part.indices))
                if {f.sample_id for f in failed} != {f.sample_id for f in kept_failures([part.failures])}:
                    self.ledger.forget(part.files)  # what they hold is of other images
                    before, blocks = blocks, [(b, self._missing(b)) for b in part.blocks]
                    self._advance(_answers(part, before) - _answers(part, blocks))
                keep_failures(part.failures, failed)
                batches.take(samples)
                places = {ids[i]: place for place, i in enumerate(part.indices)}
                for block, names in blocks:
                    lost = block.count([places[failure.sample_id] for failure in failed])
                    self._advance(lost * len(names))
                    clean = self._clean(part.blocks[0], names) if block.searched else {}
                    self._fill(block, names, Given(batches, places, clean))
        return kept_failures([part.failures for part in laid])

    def _whole(self, block: Block) -> bool:
        return not self._missing(block) and self.ledger.whole(block.doses)

    def _missing(self, block: Block) -> list[str]:
        return [name for name, file in block.answers.items() if not self.ledger.whole(file)]

    def _clean(self, baseline: Block, names: Sequence[str]) -> dict[str, dict[str, float]]:
        """The margins on the clean images, by model and sample, of those models that have answered."""
        tables = {name: self.ledger.read(baseline.answers[name]) for name in names}
        return {
            name: dict(zip(table["sample_id"], margins(table), strict=True))
            for name, table in tables.items()
            if table is not None
        }

    def _fill(self, block: Block, names: Sequence[str], given: Given) -> None:
        """Writes the files of a block, those of the models that answer."""
        lost = [name for name in names if block.searched and name not in given.clean]
        self.gaps += [Gap(name, block.answers[name], "its clean answers are missing") for name in lost]
        names, batches, places = [name for name in names if name not in lost], given.batches, given.places
        asked = [m for m in self.models if m.name in names and self._strikes.get(m.name, 0) < STRIKES]
        given_up = set(names) - {m.name for m in asked}
        self.gaps += [Gap(n, block.answers[n], f"given up after {STRIKES} failures in a row") for n in given_up]
        measured = not self.ledger.whole(block.doses)
        if (given_up or lost) and not asked:
            return
        while True:
            try:
                answers, doses = self._ask(block, [model.name for model in asked], given, measured)
                break
            except Exception as error:
                if is_out_of_memory(error) and batches.halve():
                    continue
                if self.settings.fail_fast:
                    raise error if isinstance(error, HardgenError) else HardgenError(one_line(error)) from error
                missing = [(name, block.answers[name]) for name in names] or [("", block.doses)]
                self.gaps += [Gap(name, file, one_line(error)) for name, file in missing]
                return
        if measured:
            self.ledger.write(block.doses, _in_order([NO_DOSES, *doses], block, places))
        for name, frames in answers.items():
            self.ledger.write(block.answers[name], _in_order([NO_ANSWERS, *frames], block, places))
            self._strikes[name] = 0

    def _ask(
        self, block: Block, names: Sequence[str], given: Given, measured: bool
    ) -> tuple[dict[str, list[pl.DataFrame]], list[pl.DataFrame]]:
        """The answers of those models that have one to everything, and the doses."""
        answering, advanced = dict.fromkeys(names), SimpleQueue[int]()
        failed: dict[str, Exception] = {}

        def work(models: Sequence[Model], batch: Batch) -> tuple[dict[str, list[pl.DataFrame]], list[pl.DataFrame]]:
            answers: dict[str, list[pl.DataFrame]] = {name: [] for name in names}
            doses: list[pl.DataFrame] = []
            rngs = self.plan.pipeline.rngs(self.settings.seed, batch)
            for question in given.questions(block, batch, rngs, measured, answering):
                self._lanes.check()
                doses.append(question.doses)
                for model in models:
                    mine = question.of(model.name) if model.name in answering else None
                    if mine is None:
                        continue
                    try:
                        rows = ask(model, mine.batch, mine.conditions, self.columns[model.name])
                    except Exception as error:
                        if self.settings.fail_fast or (is_out_of_memory(error) and len(batch) > 1):
                            raise
                        answering.pop(model.name, None)
                        failed.setdefault(model.name, error)
                        continue
                    question.tell(model.name, rows)
                    answers[model.name].append(rows)
                    self._advance(len(rows))
                    advanced.put(len(rows))
            return answers, doses

        try:
            found = self._lanes.map(work, given.batches.made())
        except BaseException:
            self._advance(-sum(advanced.get() for _ in range(advanced.qsize())))
            raise
        for name, error in failed.items():
            self.gaps.append(Gap(name, block.answers[name], one_line(error)))
            self._strikes[name] = self._strikes.get(name, 0) + 1
        answers = {name: [frame for rows, _ in found for frame in rows[name]] for name in answering}
        if block.searched:  # some searches end before their questions do
            most = block.searched * sum(map(len, given.batches.made())) * len(answers)
            self._advance(most - sum(len(frame) for frames in answers.values() for frame in frames))
        return answers, [frame for _, doses in found for frame in doses]


def _answers(part: Part, blocks: Sequence[tuple[Block, Sequence[str]]]) -> int:
    """How many answers these models give, at most, to these blocks of a part."""
    return sum(block.count(range(len(part.indices))) * len(names) for block, names in blocks)


def _in_order(frames: Sequence[pl.DataFrame], block: Block, places: Mapping[str, int]) -> pl.DataFrame:
    """The rows by condition, then by image, whatever batches they were asked in."""
    table = pl.concat(frames)
    cells = {cell.id: i for i, cell in enumerate(block.cells)}
    order = [
        pl.col("condition_id").replace_strict(cells, return_dtype=pl.Int64),
        pl.col("sample_id").replace_strict(dict(places), return_dtype=pl.Int64),
    ]
    return table.sort(order, maintain_order=True) if table.height else table
