"""Which files of a run are whole."""

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from hardgen.files import atomic_path
from hardgen.sweeps.sums import SUMS, file_sum, read_sums
from hardgen.tables import read_table, write_table


class Ledger:
    """The sums of a folder's files, for the one process that writes there.

    A file is written whole, then its line: what has no line, or another sum than its line says, was never finished or
    has been harmed since, and is made again.
    """

    def __init__(self, folder: Path) -> None:
        """Reads the lines; one that was cut off in the middle is dropped."""
        self._folder, self._sums = folder, read_sums(folder)
        self.keep()

    def whole(self, name: str) -> bool:
        """Whether a file, named relative to the folder, is there as it was written."""
        return name in self._sums and file_sum(self._folder / name) == self._sums[name]

    def read(self, name: str) -> pl.DataFrame | None:
        """A table as it was written; None where it is not whole."""
        return read_table(self._folder / name) if self.whole(name) else None

    def write(self, name: str, table: pl.DataFrame) -> None:
        """Writes a table and its line."""
        self._sums[name] = write_table(self._folder / name, table)
        with (self._folder / SUMS).open("a", encoding="utf-8") as stream:
            stream.write(f"{self._sums[name]}  {name}\n")

    def forget(self, names: Iterable[str]) -> None:
        """Takes files for not written."""
        for name in names:
            self._sums.pop(name, None)
        self.keep()

    def keep(self, names: Iterable[str] | None = None) -> None:
        """Writes the lines anew, sorted: of those files that are there, all or the named ones."""
        kept = self._sums if names is None else names
        self._sums = {n: self._sums[n] for n in sorted(kept) if n in self._sums and (self._folder / n).is_file()}
        with atomic_path(self._folder / SUMS) as temporary:
            temporary.write_text("".join(f"{value}  {name}\n" for name, value in self._sums.items()), encoding="utf-8")
