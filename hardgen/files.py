"""Files that are whole or absent, names made from content, and the folder of YAML files."""

import contextlib
import hashlib
import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from hardgen.errors import HardgenError

_TEMPORARY = ".tmp"
_LEFT = re.compile(rf"\..+\.[0-9a-f]{{8}}{re.escape(_TEMPORARY)}(\.\w+)?")
_inside, _beside = Path(__file__).parent / "conf", Path(__file__).parents[1] / "conf"
CONF = _inside if _inside.is_dir() else _beside
"""The folder of YAML files: inside the package when installed, beside it in a checkout."""


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yields a temporary path beside `path`; on success it is synced and takes the name, on failure it is removed.

    A reader so finds the old file, the new one or none, but never half of one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name}.{uuid.uuid4().hex[:8]}{_TEMPORARY}{path.suffix}"
    try:
        yield temporary
        with temporary.open("rb+") as stream:
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(temporary)):  # a full disk names no file
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds a folder, which is made if there is none, for this process; the system lets go when the process ends.

    What a killed process left unfinished in it is removed.

    Raises:
        HardgenError: if another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock")
    if (folder / ".lock").is_dir():
        raise HardgenError(f"cannot hold {folder}: its .lock is a folder")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise HardgenError(
            f"another process is writing to {folder}: wait until it has ended, or give another out="
        ) from error
    try:
        for path in folder.rglob(f".*{_TEMPORARY}*"):
            if _LEFT.fullmatch(path.name):
                path.unlink(missing_ok=True)
        yield
    finally:
        lock.release()


def digest(*parts: str | bytes) -> str:
    """A name for a sequence of texts: 32 hexadecimal characters of BLAKE2b, each part framed by its length."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def readable(name: str) -> str:
    """A file's name as text that can be written anywhere: a byte of it that is no UTF-8 is spelt out in ASCII."""
    return name.encode(errors="backslashreplace").decode()


def file_digest(path: Path) -> str:
    """BLAKE2b of a file's bytes, 32 hexadecimal characters."""
    state = hashlib.blake2b(digest_size=16)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            state.update(block)
    return state.hexdigest()
