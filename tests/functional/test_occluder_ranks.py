"""Orders of covering: exact counts, nested masks, shapes."""

import numpy as np
import pytest
import scipy.ndimage
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from hardgen.functional import occlusion

EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True, database=None)
SIDES = st.integers(1, 60)


def rank_of(kind: str, height: int, width: int, seed: int) -> Tensor:
    draw = torch.rand(4000, generator=torch.Generator().manual_seed(seed))
    if kind == "rectangle":
        return occlusion.rectangle(height, width, draw[:2])
    if kind == "holes":
        return occlusion.holes(height, width, draw[: 2 * (1 + seed % 40)].reshape(-1, 2))
    if kind == "grid":
        cell = 0.05 + float(draw[0]) * 0.9
        return occlusion.grid(height, width, cell, draw[: occlusion.most_cells(height, width, cell)])
    return occlusion.bars(height, width, 0.05 + float(draw[0]) / 2, draw[1] * 180, draw[2])


@EXAMPLES
@given(
    st.sampled_from(["rectangle", "holes", "grid", "bars"]),
    SIDES,
    SIDES,
    st.integers(0, 10_000),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_counts_are_exact_and_masks_nested(kind: str, height: int, width: int, seed: int, a: float, b: float) -> None:
    rank = rank_of(kind, height, width, seed)
    assert rank.shape == (height, width)
    assert bool(rank.isfinite().all())
    few, many = sorted((a, b))
    target = torch.rand(height, width, generator=torch.Generator().manual_seed(seed + 1)) < 0.4
    target[height // 2, width // 2] = True
    for mask in (None, target):
        small, large = occlusion.cover(rank, few, mask), occlusion.cover(rank, many, mask)
        assert bool((small <= large).all())
        for fraction, covered in ((few, small), (many, large)):
            assert torch.equal(covered, occlusion.cover_torch(rank, fraction, mask))
            counted, total = (covered, height * width) if mask is None else (covered & mask, int(mask.sum()))
            assert int(counted.sum()) == round(fraction * total)


@EXAMPLES
@given(st.integers(12, 60), st.integers(12, 60), st.floats(0, 0.999), st.floats(0, 0.999), st.floats(0.1, 0.95))
def test_a_rectangle_keeps_the_windows_shape_within_it(h: int, w: int, x: float, y: float, fraction: float) -> None:
    covered = occlusion.cover(occlusion.rectangle(h, w, torch.tensor([x, y])), fraction)
    if covered.any():
        top, left, bottom, right = occlusion.window(covered)
        scale = fraction**0.5
        assert abs((bottom - top) - scale * h) <= 2
        assert abs((right - left) - scale * w) <= 2
        assert (bottom - top) * (right - left) - int(covered.sum()) <= (bottom - top) + (right - left)


def test_rectangles_ranks_are_the_scale() -> None:
    rank = occlusion.rectangle(200, 100, torch.tensor([0.25, 0.6]))
    for scale in (0.3, 0.7, 0.9):
        assert float((rank <= scale).float().mean()) == pytest.approx(scale**2, abs=0.02)


@pytest.mark.parametrize("count", [1, 2, 5, 8, 12, 63])
def test_holes_are_as_many_as_asked_and_of_equal_area(count: int) -> None:
    centres = torch.full((count, 2), 0.5)
    covered = occlusion.cover(occlusion.holes(120, 160, centres), 0.3).numpy()
    labels, found = scipy.ndimage.label(covered)
    assert found == count
    sizes = np.bincount(labels.ravel())[1:]
    assert sizes.sum() == round(0.3 * 120 * 160)
    side = (0.3 * 120 * 160 / count) ** 0.5
    assert np.abs(sizes - sizes.mean()).max() <= 2.5 * side + 4


def test_grid_covers_cell_by_cell() -> None:
    scores = torch.tensor([0.3, 0.1, 0.9, 0.5])
    rank = occlusion.grid(8, 8, 0.5, scores)
    covered = occlusion.cover(rank, 0.25 + 0.125)
    assert bool(covered[:4, 4:].all())  # the cell of lowest score
    assert bool(covered[:2, :4].all())  # and half of the next, its upper rows
    assert int(covered.sum()) == 24


def test_bars_are_parallel_to_their_angle_and_periodic() -> None:
    level = occlusion.bars(64, 64, 0.25, torch.tensor(0.0), torch.tensor(0.3))
    assert torch.allclose(level, level[:, :1].expand_as(level), atol=1e-5)
    assert torch.allclose(level[:48], level[16:], atol=1e-5)
    upright = occlusion.bars(64, 64, 0.25, torch.tensor(90.0), torch.tensor(0.3))
    assert torch.allclose(upright, upright[:1].expand_as(upright), atol=1e-4)
    rising = occlusion.bars(64, 64, 0.25, torch.tensor(45.0), torch.tensor(0.3))
    assert torch.allclose(rising[1:, :-1], rising[:-1, 1:], atol=1e-4)  # one step up and right, along the bar


def test_cells_never_outnumber_the_scores() -> None:
    for height, width, cell in ((1, 1, 0.01), (224, 224, 0.125), (17, 33, 0.07), (5, 300, 0.3)):
        scores = torch.arange(occlusion.most_cells(height, width, cell), dtype=torch.float32)
        for h, w in ((height, width), (1, width), (height, 1), (max(height // 3, 1), width)):
            assert occlusion.grid(h, w, cell, scores).shape == (h, w)
