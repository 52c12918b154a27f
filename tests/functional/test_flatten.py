"""Kuwahara's filter and nested mosaics."""

import numpy as np
import pytest
import torch
from scipy.ndimage import uniform_filter
from torch import Tensor
from torch.nn.functional import avg_pool2d

from hardgen.functional.flatten import FINEST, _cells, _flat_torch, _tree, box_means, flat, kuwahara, mosaic


def images(height: int, width: int) -> Tensor:
    numbers = np.random.default_rng(4).random((2, 3, height, width), dtype=np.float32)
    return torch.from_numpy(numbers).contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_box_means_by_opencv_torch_and_scipy_agree(size: int) -> None:
    x = images(17, 12)
    got = box_means(x, size)
    assert got == pytest.approx(avg_pool2d(x, size, 1), abs=1e-5)
    middle = uniform_filter(x.numpy(), (1, 1, size, size))[..., size // 2 :, size // 2 :]
    assert got.numpy() == pytest.approx(middle[..., : got.shape[-2], : got.shape[-1]], abs=1e-5)


def test_kuwahara_takes_the_evenest_corner() -> None:
    """Written anew from the definition, pixel by pixel."""
    x, n = images(11, 9), 3
    padded = np.pad(x.numpy().astype(np.float64), ((0, 0), (0, 0), (n - 1, n - 1), (n - 1, n - 1)), mode="edge")
    wanted = np.zeros(x.shape)
    luma = np.array([0.299, 0.587, 0.114])
    for b, row, column in np.ndindex(2, 11, 9):
        corners = [
            padded[b, :, row + i : row + i + n, column + j : column + j + n] for i in (0, n - 1) for j in (0, n - 1)
        ]
        weights = np.array([(np.tensordot(luma, c, 1).var() + 1e-4) ** -4.0 for c in corners])
        means = np.array([c.mean((1, 2)) for c in corners])
        wanted[b, :, row, column] = (weights[:, None] * means).sum(0) / weights.sum()
    assert kuwahara(x, 3.0).numpy() == pytest.approx(wanted, abs=2e-3)


def test_kuwahara_keeps_edges_and_begins_at_the_image() -> None:
    halves = (torch.arange(32) >= 16).float().expand(1, 3, 32, 32).contiguous()
    assert kuwahara(halves, 6.0) == pytest.approx(halves, abs=1e-3)
    x = images(20, 20)
    assert kuwahara(x, 1.0) == pytest.approx(x, abs=1e-5)
    assert (kuwahara(x, 1.01) - x).abs().max() < 0.02


@pytest.mark.parametrize(("height", "width"), [(64, 64), (50, 90)])
def test_larger_cells_join_smaller_ones_and_their_number_is_right(height: int, width: int) -> None:
    previous = _cells(height, width, 400)
    for count in (399, 150, 37, 8, 1):
        cells = _cells(height, width, count)
        assert len({(a, b) for a, b in zip(previous, cells, strict=True)}) == len(set(previous))
        assert len(set(cells)) == count
        previous = cells


def test_cells_are_of_like_size() -> None:
    areas = np.bincount(_cells(128, 128, 100))
    assert areas.min() > 128 * 128 / 100 / 12
    assert areas.max() < 128 * 128 / 100 * 4


def test_mosaic_gives_each_cell_its_mean_and_both_ways_agree() -> None:
    x, cells = images(40, 40), _cells(40, 40, 30)
    tiled = np.stack([flat(i.permute(1, 2, 0).numpy(), cells) for i in x]).transpose(0, 3, 1, 2)
    assert _flat_torch(x, torch.from_numpy(cells)).numpy() == pytest.approx(tiled, abs=1e-6)
    values = x.numpy().reshape(2, 3, -1)
    for cell in set(cells):
        wanted = values[..., cells == cell].mean(-1, keepdims=True)
        assert tiled.reshape(2, 3, -1)[..., cells == cell] == pytest.approx(
            np.broadcast_to(wanted, (2, 3, sum(cells == cell))), abs=1e-5
        )
    assert mosaic(x, 2.0) == pytest.approx(x.mean((2, 3), keepdim=True).expand_as(x), abs=1e-5)


@pytest.mark.parametrize("size", [(1, 600), (2000, 2)])
def test_a_strip_has_no_more_seeds_than_one_of_sixteen_squares(size: tuple[int, int]) -> None:
    nearest, parents = _tree(*size)
    assert len(parents) <= 16 * FINEST**2
    assert nearest.max() < len(parents)
