"""What distractors share: the pixels they keep off, and whose picture they show."""

import enum
import itertools

import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.functional.sampling import boxes_to_mask
from hardgen.rng import SampleRng


class Similarity(enum.Enum):
    """Which donors may stand beside an image."""

    any = "any"
    other_class = "other_class"
    same_class = "same_class"


def protected(batch: Batch, centre: float) -> Tensor:
    """The pixels to keep in sight, B x 1 x H x W bool.

    Each image's mask, or else the union of its boxes; where the data give an image neither, the central rectangle that
    takes `centre` of each side.
    """
    height, width = batch.shape[-2:]
    h, w = max(round(centre * height), 1), max(round(centre * width), 1)
    top, left = (height - h) // 2, (width - w) // 2
    middle = torch.zeros(1, 1, height, width, dtype=torch.bool, device=batch.device)
    middle[:, :, top : top + h, left : left + w] = True
    if batch.masks is not None:
        target = batch.masks
    elif batch.boxes is not None:
        target = boxes_to_mask(batch.boxes, height, width).to(batch.device)
    else:
        return middle.expand(len(batch), -1, -1, -1)
    return torch.where(target.flatten(1).any(1)[:, None, None, None], target, middle)


def choose_donors(
    batch: Batch, rng: SampleRng, count: int, owner: str, similarity: Similarity = Similarity.any
) -> list[list[int]]:
    """Which donors each image gets: `count` of them in a drawn order, round and round if there are fewer.

    Raises:
        HardgenError: if an image has no donor but itself, or none of the class asked for.
    """
    donors = batch.donors
    assert donors is not None, "the base has checked it"
    ids = donors.ids or (None,) * len(donors.labels)
    chosen = []
    orders = rng.permutation("donors", len(donors.labels)).tolist()
    for sample, label, order in zip(batch.ids, batch.labels, orders, strict=True):
        if similarity is not Similarity.any and label < 0:
            raise HardgenError(f"{owner}.similarity={similarity.name} needs labelled data; sample {sample!r} has none")
        others = [i for i in order if ids[i] != sample]
        if similarity is Similarity.same_class:
            others = [i for i in others if donors.labels[i] == label]
        elif similarity is Similarity.other_class:
            others = [i for i in others if donors.labels[i] not in (-1, label)]
        if not others:
            raise HardgenError(f"{owner}.similarity={similarity.name}: no donor suits sample {sample!r}")
        chosen.append(list(itertools.islice(itertools.cycle(others), count)))
    return chosen
