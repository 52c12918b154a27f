"""Samples in order, decoded by worker processes if wanted; batches; the pool of donor images."""

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch.utils import data
from torch.utils.data import DataLoader

from hardgen.batch import Batch, Donors
from hardgen.data.dataset import Dataset, Sample, UnreadableImage
from hardgen.errors import HardgenError
from hardgen.files import digest
from hardgen.functional.coded import Coded
from hardgen.functional.levels import from_bytes

_CHUNK = 16
"""Samples that a worker hands over at a time."""

OnError = enum.Enum("OnError", {"skip": "skip", "raise": "raise"})
OnError.__doc__ = "What an unreadable image does: `skip` (it is named and counted) or `raise`."


@dataclass(frozen=True)
class Failure:
    """A sample that could not be read.

    Attributes:
        sample_id: Its id.
        reason: Why, in one line.
    """

    sample_id: str
    reason: str


def load(
    dataset: Dataset, indices: Sequence[int], workers: int = 0, on_error: OnError = OnError.skip
) -> Iterator[Sample | Failure]:
    """Decodes samples, in the order of `indices` whatever the number of workers.

    Args:
        dataset: Where from.
        indices: Which.
        workers: Processes that decode; 0 decodes in this one.
        on_error: What an unreadable image does.

    Yields:
        For each index its sample, or the failure that stands for it.

    Raises:
        HardgenError: for an unreadable image under `raise`, and at the first image of another size than the first.
    """
    if workers:
        dataset.ids()  # what a source learns in one pass over its images is learnt once, not in every worker
    loader: DataLoader[Sample | Failure | str] = DataLoader(
        _Guarded(dataset),
        batch_size=_CHUNK,
        sampler=list(indices),
        num_workers=workers,
        collate_fn=list,
        generator=torch.Generator(),  # so that torch's global generator is left alone
    )
    first: Sample | None = None
    for chunk in loader:
        for row in chunk:
            if isinstance(row, str):
                raise HardgenError(row)
            if isinstance(row, Sample):
                first = first or _first(dataset, before=indices[0]) or row
                _same_size(first, row)
            elif on_error is not OnError.skip:
                raise UnreadableImage(row.sample_id, row.reason)
            yield row


def _first(dataset: Dataset, before: int) -> Sample | None:
    """The first sample that can be read, of those before a place: what a resumed run, or a shard, goes by too."""
    guarded = _Guarded(dataset)
    return next((row for row in map(guarded.__getitem__, range(before)) if isinstance(row, Sample)), None)


class _Guarded(data.Dataset[Sample | Failure | str]):
    """A dataset whose errors are values: an exception would come out of a worker with a page of traceback."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitem__(self, index: int) -> Sample | Failure | str:
        try:
            return self._dataset[index]
        except UnreadableImage as error:
            return Failure(error.id, error.reason)
        except HardgenError as error:
            return str(error)


def to_batch(samples: Sequence[Sample], classes: Sequence[str] = (), donors: Donors | None = None) -> Batch:
    """Samples of one size as a batch: uint8 becomes float32 / 255, once.

    Args:
        samples: One or more.
        classes: Class names by label.
        donors: The pool to send along.

    Returns:
        The batch, images channels_last; it has boxes (or masks) if any sample has, and a sample without gets none (an
        empty mask).

    Raises:
        HardgenError: if there is no sample, or the sizes differ.
    """
    if not samples:
        raise HardgenError("a batch needs at least one sample; got none")
    for sample in samples:
        _same_size(samples[0], sample)
    boxes = masks = None
    if any(s.boxes is not None for s in samples):
        none = np.zeros((0, 4), dtype=np.float32)
        boxes = tuple(torch.from_numpy(none if s.boxes is None else s.boxes).clone() for s in samples)
    if any(s.mask is not None for s in samples):
        none_of_it = np.zeros(samples[0].image.shape[:2], dtype=np.bool_)
        masks = torch.from_numpy(np.stack([none_of_it if s.mask is None else s.mask for s in samples])[:, None])
    ids, labels = tuple(s.id for s in samples), tuple(s.label for s in samples)
    coded = Coded.of([s.image for s in samples])
    return Batch(coded, ids, labels, boxes, masks, donors, tuple(classes), on_grid=True)


def donors(dataset: Dataset, seed: int, count: int = 64) -> Donors:
    """The pool of other images that distractors and texture fills draw from: the same for every batch of a run.

    Samples are ranked by a hash of the seed and their id, so that the pool does not depend on the data's order. The
    first `count` that can be read are taken. In data with boxes a donor is the square round its largest
    box, so that a distractor shows another object and not what lies round it.

    Raises:
        HardgenError: if none can be read.
    """
    ids = dataset.ids()
    chosen: list[Sample] = []
    for index in sorted(range(len(ids)), key=lambda i: digest("donor", str(seed), ids[i])):
        if len(chosen) == count:
            break
        try:
            chosen.append(dataset[index])
        except UnreadableImage:
            continue
        _same_size(chosen[0], chosen[-1])
    if not chosen:
        raise HardgenError(f"none of the {len(ids)} images of {dataset.name!r} can be read")
    boxed = any(s.boxes is not None for s in chosen)
    images = [_object(s) if boxed else s.image for s in chosen]
    return Donors(from_bytes(images), tuple(s.label for s in chosen), tuple(s.id for s in chosen))


def _object(sample: Sample) -> NDArray[np.uint8]:
    """The square round the largest box, moved inside the image and enlarged to its short side, S x S x 3.

    Without a box it is the central square.
    """
    height, width = sample.image.shape[:2]
    short = min(height, width)
    box, side = np.array([0, 0, width, height], dtype=np.float32), short
    if sample.boxes is not None and len(sample.boxes):
        sides = sample.boxes[:, 2:] - sample.boxes[:, :2]
        largest = int(sides.prod(1).argmax())
        box, side = sample.boxes[largest], min(max(int(np.ceil(sides[largest].max())), 1), short)
    left, top = (
        min(max(round(float(box[a] + box[a + 2] - side) / 2), 0), size - side) for a, size in ((0, width), (1, height))
    )
    piece = Image.fromarray(sample.image[top : top + side, left : left + side])
    return np.asarray(piece.resize((short, short), Image.Resampling.BILINEAR))


def sample_photographs(side: int = 128) -> Donors:
    """Donors where there is no dataset: 12 square pieces of the two photographs that ship inside scikit-learn.

    Args:
        side: Of each piece, px.

    Returns:
        Labels are -1, ids empty.
    """
    from sklearn.datasets import load_sample_images  # its import takes half a second

    pieces = []
    for photograph in load_sample_images().images:
        half = photograph.shape[0] // 2
        for top in (0, half):
            for left in range(0, photograph.shape[1] - half + 1, half):
                piece = Image.fromarray(photograph[top : top + half, left : left + half])
                pieces.append(np.asarray(piece.resize((side, side), Image.Resampling.BILINEAR)))
    return Donors(from_bytes(pieces), (-1,) * len(pieces))


def _same_size(first: Sample, other: Sample) -> None:
    if first.image.shape != other.image.shape:
        (h, w), (height, width) = first.image.shape[:2], other.image.shape[:2]
        raise HardgenError(
            f"the images of a run must have one size: {first.id!r} is {w} x {h} pixels, {other.id!r} is {width} x "
            f"{height}; set data.resize and data.crop"
        )
