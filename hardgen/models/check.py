"""Do the data's labels and the model's outputs speak of the same classes?"""

from collections.abc import Sequence

import torch

from hardgen.data.dataset import Dataset, UnreadableImage
from hardgen.errors import HardgenError
from hardgen.models.model import Model


def check_labels(model: Model, dataset: Dataset) -> list[int] | None:
    """Finds the model's output for each label.

    Names decide where both sides have them; numbers are names only where both sides are numbered, and of `tench, Tinca
    tinca` the first part counts if the whole does not fit. Two lists without a common name, of the same length, are
    taken to be in the same order, such as WordNet ids and English names. Where a side has no names the label is the
    output.

    Args:
        model: Asked about one image if it does not know how many outputs it has.
        dataset: With its labels.

    Returns:
        The output of each of the dataset's classes, in their order; None where the label itself is the output.

    Raises:
        HardgenError: naming the first label that is none of the model's classes.
    """
    outputs = model.outputs or _count(model, dataset)
    theirs = model.classes or ()
    if _names(dataset.classes, theirs) and _names(theirs, dataset.classes):
        columns = _by_name(dataset.classes, theirs)
        known = [column is not None for column in columns]
        if all(known):
            found = [column for column in columns if column is not None]
            return None if found == list(range(outputs)) else found
        if any(known) or len(dataset.classes) != outputs:
            name = dataset.classes[known.index(False)]
            raise HardgenError(f"the data's class {name!r} is none of the {outputs} classes of model {model.name!r}")
    labels = {label for label in dataset.labels() if label != -1}
    wrong = sorted(label for label in labels if not 0 <= label < outputs)
    if wrong:
        name = dataset.classes[wrong[0]] if wrong[0] < len(dataset.classes) else "?"
        raise HardgenError(
            f"the data's label {wrong[0]} ({name!r}) is none of the {outputs} outputs of model {model.name!r}, "
            f"0 to {outputs - 1}"
        )
    return None


def _names(classes: Sequence[str], others: Sequence[str]) -> bool:
    """Whether these are different names; numbers are names only beside other numbers."""
    different = len(set(classes)) == len(classes) > 0
    return different and (not _numbers(classes) or (len(others) > 0 and _numbers(others)))


def _numbers(classes: Sequence[str]) -> bool:
    return all(name.strip().isdecimal() for name in classes)


def _by_name(wanted: Sequence[str], offered: Sequence[str]) -> list[int | None]:
    whole, short = _places([_plain(n) for n in offered]), _places([_short(n) for n in offered])
    return [whole.get(_plain(name), short.get(_short(name))) for name in wanted]


def _places(names: Sequence[str]) -> dict[str, int]:
    """Where each name stands; one that stands at two places is left out."""
    return {name: place for place, name in enumerate(names) if names.count(name) == 1}


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())


def _short(name: str) -> str:
    return _plain(name.partition(",")[0])


def _count(model: Model, dataset: Dataset) -> int:
    """The number of outputs, from the answer to the first image that can be read."""
    for index in range(len(dataset)):
        try:
            sample = dataset[index]
        except UnreadableImage:
            continue
        image = torch.from_numpy(sample.image).permute(2, 0, 1)[None].float() / 255
        return int(model.log_probabilities(image).shape[1])
    raise HardgenError(f"none of the {len(dataset)} images of {dataset.name!r} can be read")
