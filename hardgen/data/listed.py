"""A dataset of files that are listed with their labels: what image folders and manifests come to."""

import dataclasses
import functools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hardgen.data.dataset import Sample, check_ids
from hardgen.data.framing import Frame
from hardgen.data.read_image import read_image
from hardgen.data.subset import balanced
from hardgen.files import digest, file_digest, readable

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Entry:
    """One listed file.

    Attributes:
        id: The sample's id.
        path: Where the file lies.
        label: Index into the classes.
        boxes: In pixels of the file; None where the list has none.
    """

    id: str
    path: Path
    label: int
    boxes: tuple[Box, ...] | None = None


class ListedFiles:
    """Image files as a dataset."""

    def __init__(
        self, name: str, classes: Sequence[str], entries: Sequence[Entry], frame: Frame, limit: int | None
    ) -> None:
        """Keeps the entries that `limit` leaves.

        Args:
            name: Short name for tables and reports.
            classes: Class names by label.
            entries: The files, in order.
            frame: How they come to one size.
            limit: How many to keep, class-balanced; None: all.

        Raises:
            HardgenError: if two files have one name once what is no UTF-8 in it is spelt out.
        """
        self.name, self.classes, self.frame = readable(name), tuple(map(readable, classes)), frame
        kept = [entries[i] for i in balanced([e.label for e in entries], limit)]
        self._entries = [dataclasses.replace(e, id=readable(e.id)) for e in kept]
        check_ids(self.ids(), f"the data {self.name!r}")

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Sample:
        """Decodes one file."""
        entry = self._entries[index]
        boxes = None if entry.boxes is None else np.array(entry.boxes, dtype=np.float32).reshape(-1, 4)
        return self.frame(Sample(entry.id, read_image(entry.path, entry.id), entry.label, boxes))

    def ids(self) -> list[str]:
        """The paths, relative to the root."""
        return [e.id for e in self._entries]

    def labels(self) -> list[int]:
        """The labels, in order."""
        return [e.label for e in self._entries]

    def fingerprint(self) -> str:
        """Hash of ids, labels, boxes, file bytes and frame; a missing file counts as such."""
        return self._fingerprint

    @functools.cached_property
    def _fingerprint(self) -> str:
        with ThreadPoolExecutor(8) as threads:
            contents = list(threads.map(_content, (e.path for e in self._entries)))
        rows = [f"{e.id}\n{e.label}\n{e.boxes}\n{content}" for e, content in zip(self._entries, contents, strict=True)]
        return digest(repr(self.classes), repr(self.frame), *rows)


def _content(path: Path) -> str:
    try:
        return file_digest(path)
    except OSError:
        return "missing"
