"""Shards: a data set shared out among runs, so that several machines ask one sweep, and its runs put together again."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hardgen.errors import HardgenError, shown

PART = 256
"""Images in one file of answers. Fixed, so that the files do not depend on the batch size."""


@dataclass(frozen=True)
class Shard:
    """The `index`-th of `of` shares of the images, counted from 1.

    The data set stays whole: its fingerprint, its labels and its pool of donors are those of all its images; a shard
    only says which of them a run asks about.
    """

    index: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str | None) -> "Shard":
        """Reads `2/4`; None is the whole.

        Raises:
            HardgenError: unless it is I/N with 1 <= I <= N.
        """
        if text is None:
            return WHOLE
        match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", str(text).strip())
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise HardgenError(f"shard must be I/N with I from 1 to N, as 1/4 to 4/4; got {shown(text)}")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def spans(self, count: int) -> list[range]:
        """The places of its images, one range for each file of answers.

        Where there are enough whole parts of 256 it takes every `of`-th of them, so that the files are those of a run
        that asks all; else every `of`-th image.

        Args:
            count: Images of the data set.

        Raises:
            HardgenError: if none is left for it.
        """
        if self.of > max(count, 1):
            raise HardgenError(f"shard={self}: the data has only {count} image{'s' * (count != 1)} to share out")
        whole = [range(count)[start : start + PART] for start in range(0, count, PART)]
        return whole[self.index - 1 :: self.of] if len(whole) >= self.of else [range(count)[self.index - 1 :: self.of]]

    def size(self, count: int) -> int:
        """How many of `count` images are its own."""
        return sum(map(len, self.spans(count)))


WHOLE = Shard()
"""All the images."""


def shared_out(data: Mapping[str, Any], shard: Shard) -> dict[str, Any]:
    """A manifest's `data` for one shard: `n` counts what is asked, `of` all images, `shards` says which it is."""
    count = data["n"]
    return dict(data) if shard == WHOLE else {**data, "n": shard.size(count), "of": count, "shards": [str(shard)]}


def put_together(data: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The `data` of runs on one data set as that of all of them; where every image is asked, that of the whole."""
    for whole in data:
        if "shards" not in whole:
            return dict(whole)
    first = {key: value for key, value in data[0].items() if key not in ("of", "shards")}
    shards = sorted({Shard.parse(name) for d in data for name in d["shards"]}, key=lambda s: (s.of, s.index))
    asked = {place for shard in shards for span in shard.spans(data[0]["of"]) for place in span}
    kept = {"of": data[0]["of"], "shards": [str(shard) for shard in shards]}
    return {**first, "n": len(asked), **(kept if len(asked) < data[0]["of"] else {})}
