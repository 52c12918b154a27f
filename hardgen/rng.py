"""Randomness is handed in, and keyed by sample.

Every draw is a function of (seed, slot, sample id, draw name) and of nothing else: not of the knob, the batch, the
worker, the order or the device. So one image meets the same noise field and the same occluder place at every hardness,
and any batch size, worker count, shard or resume gives the same pixels.
"""

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray
from scipy import special
from torch import Tensor

from hardgen.functional.parallel import spread


@functools.lru_cache(maxsize=1)
def _normals() -> NDArray[np.float32]:
    """The middles of 65536 equal shares of the normal distribution, scaled to variance 1."""
    quantiles = special.ndtri((np.arange(1 << 16) + 0.5) / (1 << 16))
    table: NDArray[np.float32] = (quantiles / quantiles.std()).astype(np.float32)
    return table


def _fill_normal(generator: np.random.Generator, row: NDArray[Any]) -> None:
    words = generator.integers(0, 2**64 - 1, (row.size + 3) // 4, dtype=np.uint64, endpoint=True)
    choices = words.astype("<u8", copy=False).view("<u2")[: row.size]
    np.take(_normals(), choices, mode="clip", out=row.reshape(-1))


class _Key(ISeedSequence):
    """Hands Philox its key as it is, three times as fast as `Philox(key=...)`, which asks the system for entropy."""

    def __init__(self, text: str) -> None:
        self.key = hashlib.blake2b(text.encode(), digest_size=16).digest()

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        """The first words of the key."""
        return np.frombuffer(self.key, dtype)[:n_words]


def sample_generator(seed: int, slot: str, sample_id: str, name: str) -> np.random.Generator:
    """The generator of one draw: counter-based Philox, keyed by BLAKE2b of what the draw may depend on."""
    key: Any = _Key(f"{seed}\x1f{slot}\x1f{sample_id}\x1f{name}")
    return np.random.Generator(np.random.Philox(key))


@dataclass(frozen=True)
class SampleRng:
    """The draws of one slot for the samples of one batch.

    Each method gives a tensor whose first dimension runs over the samples. A draw is made once and kept, so that the
    conditions of a sweep share it; treat what you get as read-only. Neither the name nor the shape of a draw may depend
    on a knob.

    Attributes:
        seed: The run's seed.
        slot: The slot's name in the pipeline.
        ids: Sample ids, one per image of the batch.
        device: Where the tensors go; the numbers are the same on every device.
    """

    seed: int
    slot: str
    ids: Sequence[str]
    device: torch.device | str = "cpu"
    _kept: dict[tuple[object, ...], Tensor] = field(default_factory=dict, repr=False, compare=False)

    def normal(self, name: str, *shape: int) -> Tensor:
        """Standard normal numbers, B x shape, float32.

        16 random bits choose one of 65536 evenly likely values, at most 4.3 from 0 and of variance 1: eight times as
        fast as numbers of full precision.
        """
        return self._draw(("normal", name, *shape), shape, np.float32, _fill_normal)

    def uniform(self, name: str, *shape: int) -> Tensor:
        """Uniform numbers in [0, 1), B x shape, float32."""
        return self._draw(
            ("uniform", name, *shape), shape, np.float32, lambda g, row: g.random(out=row, dtype=np.float32)
        )

    def integers(self, name: str, high: int, *shape: int) -> Tensor:
        """Whole numbers in [0, high), B x shape, int64."""

        def fill(g: np.random.Generator, row: NDArray[Any]) -> None:
            row[...] = g.integers(0, high, row.shape, dtype=np.int64)

        return self._draw(("integers", name, high, *shape), shape, np.int64, fill)

    def permutation(self, name: str, n: int) -> Tensor:
        """An order of 0..n-1 for each sample, B x n, int64."""

        def fill(g: np.random.Generator, row: NDArray[Any]) -> None:
            row[...] = g.permutation(n)

        return self._draw(("permutation", name, n), (n,), np.int64, fill)

    def _draw(
        self,
        key: tuple[object, ...],
        shape: tuple[int, ...],
        dtype: type,
        fill: Callable[[np.random.Generator, NDArray[Any]], object],
    ) -> Tensor:
        if key not in self._kept:
            label = "/".join(map(str, key[:2]))
            # Fields for colour images (3 x H x W) lie in memory as these do, channels last: adding is twice as fast.
            last = len(shape) == 3 and shape[0] == 3
            rows: NDArray[Any] = np.empty((len(self.ids), *(shape[1:] + shape[:1] if last else shape)), dtype)
            order = (0, 3, 1, 2) if last else tuple(range(rows.ndim))

            def draw(i: int) -> None:
                fill(sample_generator(self.seed, self.slot, self.ids[i], label), rows[i, ...])

            spread(draw, len(self.ids), rows.size)
            self._kept[key] = torch.from_numpy(rows).permute(*order).to(self.device)
        return self._kept[key]
