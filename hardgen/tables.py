"""Tables as Parquet files: written whole or not at all, read back or named as damaged."""

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from hardgen.errors import HardgenError
from hardgen.files import atomic_path, readable


def write_table(path: Path, table: pl.DataFrame) -> str:
    """Writes a table; equal tables give equal bytes.

    Returns:
        The SHA-256 of the file.

    Raises:
        OSError: if the disk is full or the folder cannot be written to.
    """
    buffer = io.BytesIO()
    table.write_parquet(buffer, compression="zstd", statistics=False)
    with atomic_path(path) as temporary:
        temporary.write_bytes(buffer.getbuffer())
    return hashlib.sha256(buffer.getbuffer()).hexdigest()


def read_table(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Reads a table, or some of its columns; the path is taken as it is, brackets and stars too.

    Raises:
        HardgenError: if it cannot be read, naming the file.
    """
    try:
        utf8 = readable(str(path)) == str(path)  # polars opens no others
        source = path if utf8 else io.BytesIO(path.read_bytes())
        return pl.read_parquet(source, columns=None if columns is None else list(columns), glob=False)
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:160]
        raise HardgenError(f"{path} is damaged: {type(error).__name__}: {reason}") from error


def rows_of(path: Path) -> int:
    """How many rows a table has."""
    with path.open("rb") as stream:
        return int(pl.scan_parquet(stream).select(pl.len()).collect().item())
