"""Images in one folder per class."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hardgen.data.framing import Frame
from hardgen.data.listed import Entry, ListedFiles
from hardgen.data.read_image import SUFFIXES
from hardgen.errors import HardgenError


@dataclass(frozen=True)
class ImageFolder:
    """`root/<class>/**`: every sub-folder of the root is a class, and the files below it are its images.

    Classes are in sorted order, by value where all names are whole numbers; a folder without an image is a class too.
    Hidden files and folders are left out, links are followed, and a sample's id is its path relative to the root.

    Attributes:
        root: The folder that holds the class folders.
        resize: Short side in pixels after resizing; None: as it is.
        crop: Side of the central square that is kept, in pixels; None: all.
        limit: A class-balanced number of images; None: all.
    """

    root: str = "???"
    resize: int | None = None
    crop: int | None = None
    limit: int | None = None

    def build(self) -> ListedFiles:
        """Lists the files.

        Raises:
            HardgenError: if the folder is missing, or holds no class folders or no images.
        """
        root = Path(self.root).expanduser()
        if not root.is_dir():
            raise HardgenError(f"data.root: no such folder: {self.root!r}")
        names = [p.name for p in root.iterdir() if p.is_dir() and not p.name.startswith(".")]
        classes = sorted(names, key=int) if all(n.isdecimal() for n in names) else sorted(names)
        if not classes:
            raise HardgenError(f"data.root: {self.root!r} holds no class folders; it must be root/<class>/<image>")
        entries = [
            Entry(path.relative_to(root).as_posix(), path, label)
            for label, name in enumerate(classes)
            for path in _images(root / name, frozenset({root.resolve()}))
        ]
        if not entries:
            known = ", ".join(sorted(SUFFIXES))
            raise HardgenError(f"data.root: no images in the {len(classes)} class folders of {self.root!r} ({known})")
        return ListedFiles(root.resolve().name, classes, entries, Frame(self.resize, self.crop), self.limit)


def _images(folder: Path, above: frozenset[Path]) -> Iterator[Path]:
    """The image files in a folder and below, sorted; a link back to a folder above is not followed."""
    real = folder.resolve()
    if real in above:
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _images(path, above | {real})
        elif path.suffix.lower() in SUFFIXES:
            yield path
