"""The sums of a folder's files: `SHA256SUMS`, a line for each, as `sha256sum -c` reads it."""

import hashlib
import re
from pathlib import Path

SUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def read_sums(folder: Path) -> dict[str, str]:
    """The sums that a folder's `SHA256SUMS` holds, by file; none where there is no such file."""
    path = folder / SUMS
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    found = [_LINE.fullmatch(line) for line in lines]
    return {match[2]: match[1] for match in found if match}


def file_sum(path: Path) -> str | None:
    """The SHA-256 of a file; None where there is none."""
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
