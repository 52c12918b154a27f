"""How a sweep lies on disk: images in parts of 256, conditions in blocks that turn the same axes.

One model's answers to one block of one part are one file, whose name holds a digest of all that they depend on. So a
killed run goes on where it stopped, another axis or model is asked by itself, and a changed configuration never meets
an old file.
"""

import dataclasses
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hardgen.data.dataset import Dataset, Sample
from hardgen.data.loading import Failure, OnError, load
from hardgen.files import atomic_path, digest
from hardgen.models.model import Model
from hardgen.sweeps.design import Kind
from hardgen.sweeps.plan import Condition, Plan
from hardgen.sweeps.shards import PART, WHOLE, Shard

BLOCK = 64
"""The most conditions in one."""


@dataclass(frozen=True)
class Block:
    """Conditions that turn the same axes, put to one part of the images.

    Attributes:
        cells: The conditions.
        answers: The file of each model's answers, by the model's name, relative to the run's folder.
        doses: The file of the realised doses.
        asked: Images of the part x conditions, whether an image is asked there; None where all are.
        searched: The most conditions that an image is asked at, where the answers lead from one to the next.
    """

    cells: tuple[Condition, ...]
    answers: Mapping[str, str]
    doses: str
    asked: NDArray[np.bool_] | None = None
    searched: int | None = None

    def count(self, places: Sequence[int]) -> int:
        """How many answers a model gives to it, at most, about the images at these places of the part."""
        if self.asked is not None:
            return int(self.asked[list(places)].sum())
        return len(places) * (len(self.cells) if self.searched is None else self.searched)


@dataclass(frozen=True)
class Part:
    """Up to 256 samples, at equal distances in the data: one after another, or every n-th.

    Attributes:
        indices: Places in the data.
        blocks: What is asked about them.
        failures: The file that names the unreadable ones, if there are any.
    """

    indices: range
    blocks: tuple[Block, ...]
    failures: Path

    @property
    def files(self) -> list[str]:
        """The files of its answers and doses, relative to the run's folder."""
        return [file for block in self.blocks for file in (*block.answers.values(), block.doses)]


def parts(
    plan: Plan, dataset: Dataset, models: Sequence[Model], seed: int, out: Path, shard: Shard = WHOLE
) -> list[Part]:
    """How a sweep lies in a folder, known before anything runs.

    Args:
        plan: The conditions.
        dataset: The images.
        models: Asked on the same pixels; their names differ.
        seed: The run's seed.
        out: The run's folder.
        shard: Which of the images are asked about.
    """
    pixels = dataset.fingerprint()
    grouped, prints = blocks(plan), {model.name: model.fingerprint() for model in models}
    levels = plan.design.kind is Kind.levels
    ids = dataset.ids() if levels else []
    found = []
    for indices in shard.spans(len(dataset)):
        laid, start, step = [], indices.start, indices.step
        number, place = (start // PART, (str(start),)) if step == 1 else (start, (str(start), str(step)))
        for cells in grouped:
            line = "+".join(point.axis for point in cells[0].points)
            few = bool(line and plan.design.key)
            asked = plan.design.asked([ids[i] for i in indices], line, len(cells), seed) if few and levels else None
            design = plan.design.key if few else ()
            basis = (pixels, str(seed), *place, *design, *(cell.id for cell in cells))
            answers = {
                name: f"samples/{number:05d}-{_plain(name)}-{digest(name, of_model, *basis)[:12]}.parquet"
                for name, of_model in prints.items()
            }
            doses = f"doses/{number:05d}-{digest(*basis)[:12]}.parquet"
            most = min(int(plan.design.questions), len(cells) + 1) - 1 if few and not levels else None
            laid.append(Block(cells, answers, doses, asked, most))
        own = digest(pixels, *(place if step > 1 else ()))[:12]
        found.append(Part(indices, tuple(laid), out / "samples" / f"{number:05d}-{own}.failures.json"))
    return found


def blocks(plan: Plan) -> list[tuple[Condition, ...]]:
    """Conditions that follow one another and turn the same axes, at most 64 together; by design all of an axis."""
    found = []
    for axes, group in itertools.groupby(plan.cells, lambda cell: [point.axis for point in cell.points]):
        same = tuple(group)
        most = len(same) if axes and plan.design.key else BLOCK
        found += [same[start : start + most] for start in range(0, len(same), most)]
    return found


def take(stream: Iterator[Sample | Failure], count: int) -> tuple[list[Sample], list[Failure]]:
    """The next `count` rows of a loader: those that could be read, and the others."""
    rows = [next(stream) for _ in range(count)]
    return [r for r in rows if isinstance(r, Sample)], [r for r in rows if isinstance(r, Failure)]


def keep_failures(path: Path, failed: Sequence[Failure]) -> None:
    """Writes the unreadable samples of a part, if there are any, so that a later run that skips the part knows them."""
    if failed:
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps([dataclasses.asdict(f) for f in failed]))
    else:
        path.unlink(missing_ok=True)


def same_failures(path: Path, dataset: Dataset, places: Sequence[int], on_error: OnError) -> bool:
    """Whether the unreadable samples of a part still cannot be read.

    Args:
        path: Where they are kept.
        dataset: The images.
        places: Those of the part.
        on_error: What an unreadable image does.
    """
    known = {failure.sample_id for failure in kept_failures([path])}
    ids = dataset.ids() if known else []
    again = [i for i in places if ids[i] in known] if known else []
    return not again or all(isinstance(row, Failure) for row in load(dataset, again, 0, on_error))


def kept_failures(paths: Sequence[Path]) -> list[Failure]:
    """What `keep_failures` wrote for these parts."""
    return [Failure(**row) for path in paths if path.exists() for row in json.loads(path.read_text())]


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name)[:60]
