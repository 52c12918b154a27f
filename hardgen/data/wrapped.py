"""Any map-style PyTorch dataset as a hardgen dataset."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from torch.utils.data import IterableDataset

from hardgen import known
from hardgen.data.dataset import Dataset, Sample, UnreadableImage, check_ids
from hardgen.data.framing import Frame
from hardgen.data.pixels import to_uint8
from hardgen.data.read_image import one_line
from hardgen.data.subset import balanced
from hardgen.errors import HardgenError, shown
from hardgen.files import digest, readable


def wrap(
    dataset: Any,
    name: str | None = None,
    classes: Sequence[str] | None = None,
    resize: int | None = None,
    crop: int | None = None,
    limit: int | None = None,
) -> Dataset:
    """Takes a dataset for hardgen; one of hardgen's own comes back as it is.

    Args:
        dataset: With `len()` and `[index]`; items are (image, label) or a mapping with `image`, `label` and optionally
            `boxes` (n x 4, x0 y0 x1 y1 in pixels) and `mask` (H x W). `to_uint8` says which images are taken.
        name: Short name for tables; the dataset's class unless given.
        classes: Class names; the dataset's `classes` (or those of the dataset that it is a subset of), or else numbers.
        resize: Short side in pixels after resizing; None: as it is.
        crop: Side of the central square that is kept, in pixels; None: all.
        limit: A class-balanced number of images; None: all.

    Raises:
        HardgenError: if it is not map-style or is empty, or two samples of hardgen's own have one id.
    """
    if all(callable(getattr(dataset, method, None)) for method in ("ids", "labels", "fingerprint")):
        check_ids(dataset.ids(), f"the dataset {type(dataset).__name__}")
        return cast(Dataset, dataset)
    if isinstance(dataset, IterableDataset) or not (hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")):
        raise HardgenError(f"a dataset needs len() and [index]; {type(dataset).__name__} has not")
    if len(dataset) == 0:
        raise HardgenError(f"the dataset {type(dataset).__name__} is empty")
    return WrappedDataset(dataset, name or type(dataset).__name__, classes, Frame(resize, crop), limit)


class WrappedDataset:
    """A PyTorch dataset seen as samples.

    Ids are the index and the first 8 digits of a hash of the image, so they, the labels and the fingerprint need one
    pass over all images, made when first asked for.
    """

    def __init__(self, dataset: Any, name: str, classes: Sequence[str] | None, frame: Frame, limit: int | None) -> None:
        """Keeps the dataset; reads nothing yet unless `limit` is given."""
        self.name, self._dataset, self._frame = name, dataset, frame
        self._classes = tuple(readable(str(c)) for c in classes or _classes_of(dataset))
        self._indices = list(range(len(dataset)))
        if limit is not None:
            known = [row for row in zip(self._indices, self._scan, strict=True) if row[1][1] >= 0]
            kept = [known[i] for i in balanced([row[1] for _, row in known], limit)]
            self._indices, self._scan = [index for index, _ in kept], [row for _, row in kept]

    @property
    def classes(self) -> tuple[str, ...]:
        """Class names by label; numbers where the dataset has none."""
        return self._classes or tuple(str(i) for i in range(max(self.labels()) + 1))

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, index: int) -> Sample:
        """Reads one item."""
        sample = self._raw(self._indices[index])
        return self._frame(Sample(self.ids()[index], sample.image, sample.label, sample.boxes, sample.mask))

    def ids(self) -> list[str]:
        """`000123-1f3a90bc`: the index and a hash of the image."""
        return [id for id, _, _ in self._scan]

    def labels(self) -> list[int]:
        """The labels; -1 for an image that cannot be read."""
        return [label for _, label, _ in self._scan]

    def fingerprint(self) -> str:
        """Hash of pixels, labels, boxes, masks and frame."""
        return digest(repr(self.classes), repr(self._frame), *(content for _, _, content in self._scan))

    @functools.cached_property
    def _scan(self) -> list[tuple[str, int, str]]:
        """Of every sample: id, label, hash of all that is known."""
        rows = []
        for index in self._indices:
            try:
                raw = self._raw(index)
            except UnreadableImage as error:
                rows.append((error.id, -1, "unreadable"))
                continue
            pixels = digest(str(raw.image.shape), raw.image.tobytes())
            mask = b"" if raw.mask is None else raw.mask.tobytes()
            boxes = "" if raw.boxes is None else repr(raw.boxes.tolist())
            rows.append((f"{index:06d}-{pixels[:8]}", raw.label, digest(pixels, str(raw.label), boxes, mask)))
        return rows

    def _raw(self, index: int) -> Sample:
        """An item before the frame; its id is the index."""
        where = f"{index:06d}"
        try:
            item = self._dataset[index]
        except UnreadableImage as error:
            raise UnreadableImage(where, error.reason) from error
        except Exception as error:  # whatever the dataset runs into, it is this one image that is lost
            raise UnreadableImage(where, one_line(error)) from error
        owner = f"{self.name}[{index}]"
        boxes: NDArray[np.float32] | None = None
        mask: NDArray[np.bool_] | None = None
        if isinstance(item, Mapping):
            absent = [key for key in ("image", "label") if key not in item]
            if absent:
                raise HardgenError(f"{owner}: an item needs the keys image and label; {absent[0]} is missing")
            image, label = item["image"], item["label"]
            pixels = to_uint8(image, owner)
            boxes = _boxes(item.get("boxes"), owner)
            mask = _mask(item.get("mask"), pixels, owner)
        elif isinstance(item, (tuple, list)) and len(item) == 2:
            image, label = item
            pixels = to_uint8(image, owner)
        else:
            raise HardgenError(f"{owner}: an item must be (image, label) or a mapping; got {type(item).__name__}")
        return Sample(where, pixels, self._label(label, owner), boxes, mask)

    def _label(self, label: Any, owner: str) -> int:
        try:
            number = known.label(label)
        except (ValueError, RuntimeError):
            number = -1
        if number < 0 or (self._classes and number >= len(self._classes)):
            most = f" to {len(self._classes) - 1}" if self._classes else ""
            raise HardgenError(f"{owner}: a label must be a whole number from 0{most}; got {shown(label)}")
        return number


def _classes_of(dataset: Any) -> Sequence[str]:
    while not hasattr(dataset, "classes") and hasattr(dataset, "dataset"):
        dataset = dataset.dataset
    return list(getattr(dataset, "classes", None) or ())


def _boxes(boxes: Any, owner: str) -> NDArray[np.float32] | None:
    if boxes is None:
        return None
    return known.boxes(f"{owner}: boxes", [boxes])[0].cpu().numpy()


def _mask(mask: Any, pixels: NDArray[np.uint8], owner: str) -> NDArray[np.bool_] | None:
    if mask is None:
        return None
    shape = pixels.shape[:2]
    if hasattr(mask, "reshape") and [n for n in mask.shape if n != 1] == [n for n in shape if n != 1]:
        mask = mask.reshape(shape)
    return known.masks(f"{owner}: mask", mask, shape).numpy()
