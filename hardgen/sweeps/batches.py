"""The samples of a part in batches: as large as the memory suffices for, and as many as keep every lane at work."""

import itertools
import warnings
from collections.abc import Sequence

from hardgen.batch import Batch, Donors
from hardgen.data.dataset import Sample
from hardgen.data.loading import to_batch
from hardgen.models.memory import free
from hardgen.models.model import CHUNK
from hardgen.sweeps.settings import Settings, moved


class Batches:
    """The samples of a part, in batches that the memory suffices for."""

    def __init__(self, classes: Sequence[str], pool: Donors | None, settings: Settings, lanes: int) -> None:
        """Begins with the batch size of the settings.

        Args:
            classes: Class names by label.
            pool: The donors to send along.
            settings: How to run.
            lanes: How many work at a time.
        """
        self._classes, self._pool, self._settings = classes, pool, settings
        self._size, self._lanes = settings.batch_size, lanes
        self.take([])

    def take(self, samples: Sequence[Sample]) -> None:
        """Goes on to the samples of another part."""
        self._samples, self._made = samples, list[Batch]()

    def made(self) -> list[Batch]:
        """All of them, on the run's device."""
        if not self._made:
            pieces = shares(len(self._samples), self._size, self._lanes)
            self._made = [
                moved(to_batch(self._samples[piece.start : piece.stop], self._classes, self._pool), self._settings)
                for piece in pieces
            ]
        return self._made

    def halve(self) -> bool:
        """Makes them half as large from now on; false where they hold one image already."""
        self._made = []
        free()
        if self._size == 1:
            return False
        warnings.warn(f"out of memory with batch_size={self._size}; going on with {self._size // 2}", stacklevel=2)
        self._size //= 2
        return True


def shares(count: int, size: int, lanes: int) -> list[range]:
    """Places of images, in batches of at most `size` that come out even among the lanes.

    Where it can be a batch is a number of whole chunks, since a network is asked about no less.

    Args:
        count: Of the images.
        size: The most in a batch.
        lanes: How many batches are worked on at a time.
    """
    unit = CHUNK if lanes > 1 and size >= CHUNK else size
    units, most = -(-count // unit), size // unit
    batches = min(-(-units // (most * lanes)) * lanes, units) if lanes > 1 else -(-units // most)
    if not batches:
        return []
    ends = [min(-(-units * k // batches) * unit, count) for k in range(batches + 1)]
    return [range(start, end) for start, end in itertools.pairwise(ends)]
