"""Randomness is handed in, and keyed by sample.

Every draw is a function of (seed, slot, sample id, draw name) and of nothing else: not of the knob, the batch, the
worker, the order or the device. So one image meets the same noise field and the same occluder place at every hardness,
and any batch size, worker count, shard or resume gives the same pixels.
"""

import functools
import hashlib
import numbers
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import special
from torch import Tensor

from hardgen.errors import HardgenError, shown
from hardgen.functional.parallel import spread


@functools.lru_cache(maxsize=1)
def _normals() -> NDArray[np.float32]:
    """The middles of 65536 equal shares of the normal distribution, scaled to variance 1."""
    quantiles = special.ndtri((np.arange(1 << 16) + 0.5) / (1 << 16))
    table: NDArray[np.float32] = (quantiles / quantiles.std()).astype(np.float32)
    return table


def _ranks(generator: np.random.Generator, count: int) -> NDArray[np.uint16]:
    """Whole numbers of 16 random bits, four from each word of the generator."""
    words: NDArray[np.uint64] = generator.bit_generator.random_raw((count + 3) // 4)
    return words.astype("<u8", copy=False).view("<u2")[:count]


def _fill_normal(generator: np.random.Generator, row: NDArray[Any]) -> None:
    _normals().take(_ranks(generator, row.size), mode="clip", out=row.reshape(-1))


def _fill_coarse(generator: np.random.Generator, row: NDArray[Any]) -> None:
    np.multiply(_ranks(generator, row.size), np.float32(1 / (1 << 16)), out=row.reshape(-1))


def _key(seed: int, slot: str, sample_id: str, name: str) -> NDArray[np.uint64]:
    text = f"{seed}\x1f{slot}\x1f{sample_id}\x1f{name}"
    return np.frombuffer(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest(), np.uint64)


def sample_generator(seed: int, slot: str, sample_id: str, name: str) -> np.random.Generator:
    """The generator of one draw: counter-based Philox, keyed by BLAKE2b of what the draw may depend on."""
    return np.random.Generator(np.random.Philox(key=_key(seed, slot, sample_id, name)))


class _Own(threading.local):
    """A thread's own generator: to set its state takes a third of the time that a new one takes."""

    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.Philox(0))
        self.start: dict[str, Any] = {
            "bit_generator": "Philox",
            "state": {"counter": np.zeros(4, np.uint64), "key": np.zeros(2, np.uint64)},
            "buffer": np.zeros(4, np.uint64),
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }

    def at_start(self, key: NDArray[np.uint64]) -> np.random.Generator:
        """The generator as a new one with this key; good until the thread asks for the next."""
        self.start["state"]["key"] = key
        self.generator.bit_generator.state = self.start
        return self.generator


_OWN = _Own()


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

    def __post_init__(self) -> None:
        """Checks the seed: another type, which would key other draws, is no number for the same ones."""
        if not isinstance(self.seed, numbers.Integral) or isinstance(self.seed, bool) or abs(self.seed) >= 1 << 63:
            raise HardgenError(f"seed must be a whole number, less than 9.2e+18 in size; got {shown(self.seed)}")

    def at(self, places: Sequence[int]) -> "SampleRng":
        """The draws of the samples at these places, as the whole batch has them."""
        return _Some(self.seed, self.slot, [self.ids[i] for i in places], self.device, whole=self, places=tuple(places))

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

    def coarse(self, name: str, *shape: int) -> Tensor:
        """Uniform multiples of 1/65536 in [0, 1), B x shape, float32: in less than half the time of `uniform`."""
        return self._draw(("coarse", name, *shape), shape, np.float32, _fill_coarse)

    def integers(self, name: str, high: int, *shape: int) -> Tensor:
        """Whole numbers in [0, high), B x shape, int64."""

        def fill(g: np.random.Generator, row: NDArray[Any]) -> None:
            # The same number, in a quarter of the time of an array of one.
            row[...] = g.integers(0, high) if row.size == 1 else g.integers(0, high, row.shape, dtype=np.int64)

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
                fill(_OWN.at_start(_key(self.seed, self.slot, self.ids[i], label)), rows[i, ...])

            spread(draw, len(self.ids), rows.size)
            self._kept[key] = torch.from_numpy(rows).permute(*order).to(self.device)
        return self._kept[key]


@dataclass(frozen=True, kw_only=True)
class _Some(SampleRng):
    """The draws of some samples of a batch."""

    whole: SampleRng
    places: tuple[int, ...]

    def _draw(
        self,
        key: tuple[object, ...],
        shape: tuple[int, ...],
        dtype: type,
        fill: Callable[[np.random.Generator, NDArray[Any]], object],
    ) -> Tensor:
        return self.whole._draw(key, shape, dtype, fill)[list(self.places)]
