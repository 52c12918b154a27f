"""Images as bytes and tables, and floats that are cut off late, against plain arithmetic on floats."""

import numpy as np
import pytest
import torch

from hardgen.functional.coded import GRID, Coded
from hardgen.functional.measures import rmse
from hardgen.functional.sources import Unclamped

BYTES = np.random.default_rng(0).integers(0, 256, (5, 40, 70, 3), dtype=np.uint8)
FLOATS = torch.from_numpy(BYTES).permute(0, 3, 1, 2) / 255
BENT = torch.stack([GRID[0] ** (1 + i / 4) for i in range(15)])


@pytest.mark.parametrize("size", [1, 7, 40])
def test_bytes_are_what_files_hold(size: int) -> None:
    coded = Coded.of(list(BYTES[:, :size]))
    assert torch.equal(coded.decoded(), FLOATS[:, :, :size])
    assert coded.decoded().is_contiguous(memory_format=torch.channels_last)
    assert coded.shape == (5, 3, size, 70)


@pytest.mark.parametrize("tables", [BENT[:1, None], BENT[:5, None], BENT.reshape(5, 3, 1, 256)])
def test_tables_change_each_value(tables: torch.Tensor) -> None:
    tables = tables.reshape(-1, tables.shape[1] if tables.shape[1] == 3 else 1, 1, 256)
    plain = Coded.of(BYTES)
    coded = plain.recoded(tables)
    values = tables.expand(5, 3, 1, 256).flatten(0, 2).numpy()
    planes = BYTES.transpose(0, 3, 1, 2).reshape(15, -1)
    expected = torch.from_numpy(np.stack([v[p] for v, p in zip(values, planes, strict=True)])).view(5, 3, 40, 70)
    assert torch.equal(coded.decoded(), expected)
    torch.testing.assert_close(coded.rounded().decoded(), expected.mul(255).round() / 255)
    torch.testing.assert_close(coded.means(), expected.mean((2, 3)))
    distance = coded.distance(plain)
    assert distance is not None
    torch.testing.assert_close(distance, rmse(expected, FLOATS))


def test_other_bytes_have_a_distance_where_both_are_files() -> None:
    a, b = Coded.of(BYTES), Coded.of(BYTES[::-1])
    distance = a.distance(b)
    assert distance is not None
    torch.testing.assert_close(distance, rmse(FLOATS, FLOATS.flip(0)))
    assert a.distance(b.recoded(GRID / 2)) is None


@pytest.mark.parametrize("side", [5, 70])
@pytest.mark.parametrize("channels", [1, 3])
def test_what_leaves_the_range_is_cut_off_once(side: int, channels: int) -> None:
    wild = torch.rand(3, channels, side, side, generator=torch.Generator().manual_seed(0)) * 3 - 1
    before, inside = wild.clone(), wild.clamp(0, 1)
    source = Unclamped(wild)
    rounded = source.rounded()
    assert isinstance(rounded, Coded)
    assert torch.equal(source.decoded(), inside)
    assert source.decoded().is_contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(rounded.decoded(), inside.mul(255).round() / 255)
    assert torch.equal(wild, before)
