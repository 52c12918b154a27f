"""The execution of a plan: perturb once, ask every model, keep every answer; what exists is done.

Images go in parts of 256, in the order of the data. A part's answers of one model are one Parquet file, written whole
or not at all, whose name holds a digest of all that the answers depend on. So a killed run goes on where it stopped,
and a changed configuration never meets an old file.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import torch

from hardgen.batch import Batch, Donors
from hardgen.data.dataset import Dataset, Sample
from hardgen.data.loading import Failure, OnError, donors, load, to_batch
from hardgen.errors import HardgenError
from hardgen.files import atomic_path, digest
from hardgen.models.check import check_labels
from hardgen.models.model import Model
from hardgen.progress import progress
from hardgen.sweeps.ask import NO_ANSWERS, ask, variants
from hardgen.sweeps.plan import Plan
from hardgen.tables import read_table, write_table

PART = 256
"""Images in one file of answers. Fixed, so that the files do not depend on the batch size."""


@dataclass(frozen=True)
class Settings:
    """How variants are made and models asked; of these only `seed` changes what comes of it.

    Attributes:
        seed: Keys every draw.
        batch_size: Images perturbed and asked at a time, 1 to 256.
        workers: Processes that decode images; 0 decodes in this one.
        device: `auto` (CUDA where there is a GPU), `cpu`, `cuda` or `cuda:N`.
        on_error: What an unreadable image does: `skip` (it is named and counted) or `raise`.
    """

    seed: int = 0
    batch_size: int = 32
    workers: int = 0
    device: str = "auto"
    on_error: OnError = OnError.skip

    def __post_init__(self) -> None:
        """Checks the numbers, and settles `auto`."""
        if not 1 <= self.batch_size <= PART:
            raise HardgenError(f"batch_size must be in [1, {PART}]; got {self.batch_size}")
        if self.workers < 0:
            raise HardgenError(f"workers must be 0 or more; got {self.workers}")
        gpu = torch.cuda.is_available()
        if self.device == "auto":
            object.__setattr__(self, "device", "cuda" if gpu else "cpu")
        elif self.device != "cpu" and not (gpu and self.device.startswith("cuda")):
            raise HardgenError(f"device must be auto, cpu or, where there is a GPU, cuda; got {self.device!r}")


@dataclass(frozen=True)
class Part:
    """Up to 256 samples that follow one another in the data, and the files of their answers.

    Attributes:
        indices: Places in the data.
        files: The file of each model's answers, by the model's name.
        failures: The file that names the unreadable ones, if there are any.
    """

    indices: range
    files: Mapping[str, Path]
    failures: Path


def parts(plan: Plan, dataset: Dataset, models: Sequence[Model], seed: int, folder: Path) -> list[Part]:
    """How a sweep lies on disk, known before anything runs.

    Args:
        plan: The conditions.
        dataset: The images.
        models: Asked on the same pixels; their names differ.
        seed: The run's seed.
        folder: Where the files go.
    """
    ids, pixels = dataset.ids(), dataset.fingerprint()
    cells = [cell.id for cell in plan.cells]
    found = []
    for number, start in enumerate(range(0, len(ids), PART)):
        indices = range(len(ids))[start : start + PART]
        files = {}
        for model in models:
            key = digest(pixels, str(seed), str(start), model.fingerprint(), *cells)[:12]
            files[model.name] = folder / f"{number:05d}-{_plain(model.name)}-{key}.parquet"
        found.append(Part(indices, files, folder / f"{number:05d}-{digest(pixels)[:12]}.failures.json"))
    return found


def execute(
    plan: Plan, dataset: Dataset, models: Sequence[Model], settings: Settings, laid: Sequence[Part]
) -> list[Failure]:
    """Runs every part whose files are not all there.

    Returns:
        The samples that could not be read, in this run or in those that it goes on from.

    Raises:
        HardgenError: if a label is none of a model's classes, a model's answer is not a number, or an image cannot be
            read and `on_error` is `raise`.
    """
    columns = {model.name: check_labels(model, dataset) for model in models}
    absent = [[m for m in models if not _whole(part, m.name, len(plan.cells))] for part in laid]
    todo = [(part, missing) for part, missing in zip(laid, absent, strict=True) if missing]
    cells = len(plan.cells)
    total = cells * len(models) * len(dataset)
    left = cells * sum(len(part.indices) * len(missing) for part, missing in todo)
    pool = pool_on(dataset, settings) if todo else None
    stream = load(dataset, [i for part, _ in todo for i in part.indices], settings.workers, settings.on_error)
    with progress("sweep", total, "answers", total - left) as advance:
        for part, missing in todo:
            samples, failed = take(stream, len(part.indices))
            keep_failures(part.failures, failed)
            advance(len(failed) * cells * len(missing))
            answers: dict[str, list[list[pl.DataFrame]]] = {m.name: [[] for _ in plan.cells] for m in missing}
            for start in range(0, len(samples), settings.batch_size):
                batch = to_batch(samples[start : start + settings.batch_size], dataset.classes, pool)
                made = variants(plan.pipeline, plan.cells, moved(batch, settings), settings.seed)
                for number, (cell, outcome) in enumerate(zip(plan.cells, made, strict=True)):
                    for model in missing:
                        answers[model.name][number].append(ask(model, outcome, cell, columns[model.name]))
                        advance(len(batch))
            for name, frames in answers.items():
                table = pl.concat([NO_ANSWERS, *(frame for cell in frames for frame in cell)], how="diagonal")
                write_table(part.files[name], table)
    return kept_failures([part.failures for part in laid])


def _whole(part: Part, model: str, cells: int) -> bool:
    """Whether a model's answers of a part are there, all of them and readable."""
    if not part.files[model].exists():
        return False
    try:
        answers = read_table(part.files[model])
    except HardgenError:
        return False
    return answers.height == (len(part.indices) - len(kept_failures([part.failures]))) * cells


def take(stream: Iterator[Sample | Failure], count: int) -> tuple[list[Sample], list[Failure]]:
    """The next `count` rows of a loader: those that could be read, and the others."""
    rows = [next(stream) for _ in range(count)]
    return [r for r in rows if isinstance(r, Sample)], [r for r in rows if isinstance(r, Failure)]


def pool_on(dataset: Dataset, settings: Settings) -> Donors:
    """The run's donors, on its device."""
    pool = donors(dataset, settings.seed)
    return Donors(pool.images.to(settings.device), pool.labels, pool.ids)


def moved(batch: Batch, settings: Settings) -> Batch:
    """The batch on the run's device."""
    if settings.device == "cpu":
        return batch
    masks = None if batch.masks is None else batch.masks.to(settings.device)
    images = batch.images.pin_memory().to(settings.device, non_blocking=True)
    return dataclasses.replace(batch, images=images, masks=masks)


def keep_failures(path: Path, failed: Sequence[Failure]) -> None:
    """Writes the unreadable samples of a part, if there are any, so that a later run that skips the part knows them."""
    if failed:
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps([dataclasses.asdict(f) for f in failed]))


def kept_failures(paths: Sequence[Path]) -> list[Failure]:
    """What `keep_failures` wrote for these parts."""
    return [Failure(**row) for path in paths if path.exists() for row in json.loads(path.read_text())]


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
