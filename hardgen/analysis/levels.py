"""The curve of an axis of which each image was asked at a few levels only (see `sweeps.design`).

Between two levels that an image was asked at, its answer is taken to turn at the same rate as the curve does: the
self-consistency of B. Efron (1967, Proc. 5th Berkeley Symposium 4) and B. W. Turnbull (1976, J. R. Stat. Soc. B 38) for
times that are known to lie between two visits, which needs no form of curve. Here images may also turn back; an answer
that turns from wrong to right between two levels is read in the same way. The rounds begin with straight lines between
answers and stop after sixteen: more of them would follow the noise.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardgen.analysis.intervals import Floats
from hardgen.analysis.isotonic import isotonic

ROUNDS = 16


@dataclass(frozen=True)
class Reading:
    """What is known of an axis, as sums over images: resampled images are then read as quickly as all.

    Attributes:
        columns: Images x sums. The first as many as there are levels are the right answers at each, the next one is 1
            for each image; then a pair for each gap, the right answers on its left and on its right.
        levels: How many there are, the clean one among them.
        gaps: The gaps between two levels that some image was asked at, and none between; the right end of the last one
            of an image is `levels`.
    """

    columns: NDArray[np.float32]
    levels: int
    gaps: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, right: NDArray[np.float32]) -> "Reading":
        """Lays out answers, images x levels, the clean one first: 1 right, 0 wrong, NaN not asked."""
        asked, zero, levels = ~np.isnan(right), np.nan_to_num(right), right.shape[1]
        spans: dict[tuple[int, int], NDArray[np.bool_]] = {}
        for pattern in np.unique(asked, axis=0):
            own = (asked == pattern).all(1)
            for gap in itertools.pairwise([*np.flatnonzero(pattern).tolist(), levels]):
                if gap[1] > gap[0] + 1:
                    spans[gap] = spans.get(gap, np.zeros_like(own)) | own
        sides = [own * (zero[:, end] if end < levels else 0) for gap, own in spans.items() for end in gap]
        return cls(np.stack([*zero.T, asked.any(1), *sides], 1).astype(np.float32), levels, tuple(spans))

    @property
    def images(self) -> int:
        """How many images were asked."""
        return int(self.columns[:, self.levels].sum())

    def curves(self, sums: Floats) -> Floats:
        """Accuracy at every level.

        Args:
            sums: Sets of images x sums of the columns.

        Returns:
            Sets of images x levels.
        """
        right, n, sides = sums[:, : self.levels], sums[:, self.levels, None], sums[:, self.levels + 1 :]
        n = np.maximum(n, 1)
        inside = [(k, a, b, level) for k, (a, b) in enumerate(self.gaps) for level in range(a + 1, b)]
        if not inside:
            return right / n
        gap, a, b, level = np.array(inside).T
        before, after, of_level = sides[:, 2 * gap], sides[:, 2 * gap + 1], np.eye(self.levels)[level]
        curve: Floats = np.ones_like(right)
        even = np.where(b == self.levels, 1.0, (b - level) / (b - a))
        for _ in range(ROUNDS):
            ends = np.pad(isotonic(curve, np.ones(self.levels)), [(0, 0), (0, 1)])
            fall, left = ends[:, a] - ends[:, b], ends[:, level] - ends[:, b]
            stays = np.where(fall > 1e-9, left / np.maximum(fall, 1e-9), even)
            curve = (right + (stays * before + (1 - stays) * after) @ of_level) / n
        return curve
