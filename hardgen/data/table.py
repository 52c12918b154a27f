"""A CSV or Parquet file as rows, with errors that name the row."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from hardgen.errors import HardgenError, near


@dataclass(frozen=True)
class Table:
    """Rows of named cells.

    Attributes:
        path: The file.
        columns: Their names.
        rows: One mapping per row; a cell is text, or what Parquet holds.
    """

    path: Path
    columns: Sequence[str]
    rows: Sequence[Mapping[str, Any]]

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> str:
        """The name itself, if there is such a column.

        Raises:
            HardgenError: if there is none.
        """
        if name not in self.columns:
            raise HardgenError(f"{self.path} has no column {name!r}{near(name, self.columns)}")
        return name

    def text(self, row: int, column: str) -> str:
        """A cell as text.

        Raises:
            HardgenError: if it is empty.
        """
        cell = self.rows[row][column]
        text = "" if cell is None else str(cell).strip()
        if not text:
            raise self.wrong(row, f"{column} is empty")
        return text

    def wrong(self, row: int, reason: str) -> HardgenError:
        """The error for a row; 1 is the first below the header."""
        return HardgenError(f"{self.path}, row {row + 1}: {reason}")


def read_table(path: Path, key: str) -> Table:
    """Reads a `.csv` (UTF-8, comma) or `.parquet` file.

    Args:
        path: The file.
        key: The config key that names it, for the errors.

    Raises:
        HardgenError: if it is missing, of another kind, broken or without rows.
    """
    if not path.is_file():
        raise HardgenError(f"{key}: no such file: {str(path)!r}")
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise HardgenError(f"{key} must be a .csv or .parquet file; got {path.name!r}")
    try:
        table = _csv(path) if suffix == ".csv" else _parquet(path)
    except (csv.Error, UnicodeDecodeError, PolarsError, OSError) as error:
        raise HardgenError(f"{key}: cannot read {str(path)!r}: {str(error).splitlines()[0]}") from error
    if not table.rows:
        raise HardgenError(f"{key}: {str(path)!r} has no rows")
    return table


def _csv(path: Path) -> Table:
    with path.open(newline="", encoding="utf-8-sig") as stream:
        reader = csv.reader(stream, strict=True)
        columns = [name.strip() for name in next(reader, [])]
        lines = [line for line in reader if line]
    table = Table(path, columns, [dict(zip(columns, line, strict=False)) for line in lines])
    for i, line in enumerate(lines):
        if len(line) != len(columns):
            raise table.wrong(i, f"has {len(line)} cells; the header has {len(columns)}")
    return table


def _parquet(path: Path) -> Table:
    frame = pl.read_parquet(path)
    return Table(path, frame.columns, frame.to_dicts())
