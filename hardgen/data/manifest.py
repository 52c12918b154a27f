"""Images listed in a CSV or Parquet file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from hardgen.data.framing import Frame
from hardgen.data.listed import Box, Entry, ListedFiles
from hardgen.data.table import Table, read_table
from hardgen.errors import HardgenError, shown
from hardgen.known import MOST_CLASSES

EDGES = ("x0", "y0", "x1", "y1")


@dataclass(frozen=True)
class Manifest:
    """A table with one row per image, or per box of an image.

    Columns: the path; the label, a whole number from 0 or a name (then the classes are the sorted different names);
    optionally `x0`, `y0`, `x1`, `y1`, a box in pixels of the file, its right and lower edge exclusive, all four empty
    where the image has none; optionally the class name that belongs to a whole number. Rows with the same path are
    boxes of one image.

    Attributes:
        path: The `.csv` or `.parquet` file.
        root: The folder that the paths are relative to; None: the manifest's own.
        path_column: The column of paths; None: `path`, or else `file`.
        label_column: The column of labels.
        name_column: The column of class names; None: `name`, if there is one and the labels are numbers.
        n_classes: How many classes there are, where not all of them occur; None: the greatest label + 1.
        resize: Short side in pixels after resizing; None: as it is.
        crop: Side of the central square that is kept, in pixels; None: all.
        limit: A class-balanced number of images; None: all.
    """

    path: str = "???"
    root: str | None = None
    path_column: str | None = None
    label_column: str = "label"
    name_column: str | None = None
    n_classes: int | None = None
    resize: int | None = None
    crop: int | None = None
    limit: int | None = None

    def build(self) -> ListedFiles:
        """Reads the table.

        Raises:
            HardgenError: if the file is missing or lacks a column, or for the first row that is wrong, by its number
                (1 is the first below the header).
        """
        table = read_table(Path(self.path).expanduser(), "data.path")
        path_column = table.column(self.path_column or ("file" if "path" not in table.columns else "path"))
        labels, classes = self._labels(table)
        boxes = _boxes(table)
        root = table.path.parent if self.root is None else Path(self.root).expanduser()
        if not root.is_dir():
            raise HardgenError(f"data.root: no such folder: {self.root!r}")
        found: dict[str, tuple[int, list[Box]]] = {}
        for i, (label, row_boxes) in enumerate(zip(labels, boxes, strict=True)):
            name = PurePosixPath(table.text(i, path_column).replace("\\", "/")).as_posix()
            if name not in found:
                found[name] = (i, list(row_boxes or ()))
                continue
            first = found[name][0]
            if labels[first] != label or row_boxes is None:
                reason = "with another label" if labels[first] != label else "and there are no boxes"
                raise table.wrong(i, f"{name!r} is already in row {first + 1}, {reason}")
            found[name][1].extend(row_boxes)
        entries = [
            Entry(name, root / name, labels[i], None if boxes[i] is None else tuple(own))
            for name, (i, own) in found.items()
        ]
        return ListedFiles(table.path.stem, classes, entries, Frame(self.resize, self.crop), self.limit)

    def _labels(self, table: Table) -> tuple[list[int], list[str]]:
        """Each row's label, and the classes."""
        column = table.column(self.label_column)
        texts = [table.text(i, column) for i in range(len(table))]
        whole = [_whole(text) for text in texts]
        for i, text in enumerate(texts):
            if whole[i] is None and _is_number(text):
                raise table.wrong(i, f"{column} must be a whole number or a name; got {shown(text)}")
        if all(label is None for label in whole):
            classes = sorted(set(texts))
            if self.n_classes is not None and self.n_classes != len(classes):
                raise HardgenError(f"data.n_classes={self.n_classes}, but {self.path} names {len(classes)} classes")
            place = {name: label for label, name in enumerate(classes)}
            return [place[text] for text in texts], classes
        labels = []
        for i, label in enumerate(whole):
            if label is None or not 0 <= label < MOST_CLASSES:
                allowed = f"a whole number from 0 to {MOST_CLASSES - 1}"
                raise table.wrong(i, f"{column} must be {allowed}, as in other rows; got {shown(texts[i])}")
            if self.n_classes is not None and label >= self.n_classes:
                raise table.wrong(i, f"{column} must be less than data.n_classes={self.n_classes}; got {label}")
            labels.append(label)
        return labels, self._names(table, labels)

    def _names(self, table: Table, labels: Sequence[int]) -> list[str]:
        """The class names that go with whole numbers; where there is none, the number itself."""
        names = [str(label) for label in range(self.n_classes or max(labels) + 1)]
        if self.name_column is None and "name" not in table.columns:
            return names
        column, first = table.column(self.name_column or "name"), dict[int, int]()
        for i, label in enumerate(labels):
            name = table.text(i, column)
            if label in first and names[label] != name:
                raise table.wrong(
                    i, f"label {label} is {name!r} here and {names[label]!r} in row {first[label] + 1} ({column})"
                )
            first.setdefault(label, i)
            names[label] = name
        return names


def _whole(text: str) -> int | None:
    """The whole number that a text spells, also as 2.0; None for any other text."""
    if not _is_number(text):
        return None
    value = float(text)
    return int(value) if value.is_integer() else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _boxes(table: Table) -> list[tuple[Box, ...] | None]:
    """Each row's box, if any: None for all rows if the table has no such columns."""
    present = [edge for edge in EDGES if edge in table.columns]
    if not present:
        return [None] * len(table)
    if len(present) < len(EDGES):
        raise HardgenError(f"{table.path}: boxes need the columns {', '.join(EDGES)}; got only {', '.join(present)}")
    return [_box(table, i, row) for i, row in enumerate(table.rows)]


def _box(table: Table, i: int, row: Mapping[str, Any]) -> tuple[Box, ...]:
    cells = [row[edge] for edge in EDGES]
    if all(cell is None or cell == "" for cell in cells):
        return ()
    try:
        x0, y0, x1, y1 = (float(cell) for cell in cells)
    except (TypeError, ValueError):
        raise table.wrong(i, f"{', '.join(EDGES)} must be four numbers or all empty; got {shown(cells)}") from None
    if not (x0 < x1 < float("inf") and y0 < y1 < float("inf") and min(x0, y0) > float("-inf")):
        raise table.wrong(i, f"a box needs x0 < x1 and y0 < y1; got {[x0, y0, x1, y1]}")
    return ((x0, y0, x1, y1),)
