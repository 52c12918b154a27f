"""Image files of variants: their names, their writing, and which of them are there and whole."""

import enum
import hashlib
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path, PurePosixPath

import cv2
import numpy as np
from numpy.typing import NDArray

from hardgen.errors import HardgenError
from hardgen.files import digest
from hardgen.tables import read_table

LONGEST = 100
"""Characters of a file's or folder's name, before a suffix that makes it unique."""


class Format(enum.Enum):
    """How images are written."""

    png = "png"
    """Lossless: what is on disk equals what a sweep shows its models."""
    jpeg = "jpeg"
    """Lossy, by choice; the codec then is part of the variant."""


def safe_names(names: Sequence[str]) -> list[str]:
    """A name for each text that every file system takes, that hides nothing and that no two share in any case."""
    made: list[str] = []
    taken: set[str] = set()
    for name in names:
        plain = "".join("_" if c in '/\\:*?"<>|' or not c.isprintable() else c for c in name)[:LONGEST].strip(". ")
        if not plain or plain.casefold() in taken:
            plain = f"{plain or 'unnamed'}-{digest(name, str(len(made)))[:8]}"
        taken.add(plain.casefold())
        made.append(plain)
    return made


def variant_names(ids: Sequence[str], labels: Sequence[int], classes: Sequence[str]) -> dict[str, str]:
    """`class/stem` for every sample id, so that each condition is itself an image folder."""
    folders = safe_names(classes)
    names: dict[str, str] = {}
    for label in sorted(set(labels)):
        own = [i for i, other in zip(ids, labels, strict=True) if other == label]
        stems = safe_names([PurePosixPath(i).stem for i in own])
        names |= {i: f"{folders[label]}/{stem}" for i, stem in zip(own, stems, strict=True)}
    return names


def write_image(path: Path, pixels: NDArray[np.uint8], image_format: Format, quality: int) -> str:
    """Encodes one image, H x W x 3 in blue, green, red, and writes it whole.

    Returns:
        The SHA-256 of the file.

    Raises:
        OSError: if it cannot be written; nothing is left then.
    """
    lossless = image_format is Format.png
    options = [cv2.IMWRITE_PNG_COMPRESSION, 3] if lossless else [cv2.IMWRITE_JPEG_QUALITY, quality]
    _, encoded = cv2.imencode(f".{image_format.name}", pixels, options)
    data = encoded.tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return hashlib.sha256(data).hexdigest()


def is_whole(part: Path, out: Path, threads: Executor) -> bool:
    """Whether a part's table is there and every file that it lists is as it was written."""
    if not part.exists():
        return False
    try:
        table = read_table(part)
    except HardgenError:
        return False
    if "sha256" not in table.columns:
        return True  # a part without a readable image lists nothing
    return table["sha256"].to_list() == list(threads.map(_sum, [out / file for file in table["file"]]))


def clear_others(out: Path, parts: Sequence[Path]) -> None:
    """Removes what another configuration wrote into the same folder: the files that its parts list, then the parts.

    So no folder of a condition ever mixes two configurations. Files that no part lists are left alone.
    """
    for other in sorted((out / "parts").glob("*.parquet")):
        if other in parts:
            continue
        try:
            listed = read_table(other)["file"].to_list()
        except HardgenError:
            listed = []
        for file in listed:
            (out / file).unlink(missing_ok=True)
        for folder in sorted({(out / file).parent for file in listed}):
            for empty in (folder, folder.parent):
                if empty.is_dir() and not any(empty.iterdir()):
                    empty.rmdir()
        other.with_suffix(".failures.json").unlink(missing_ok=True)
        other.unlink()


def _sum(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
