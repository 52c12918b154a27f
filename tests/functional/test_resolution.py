"""Fewer pixels: both paths agree; block means are known."""

import pytest
import torch

from hardgen.functional import resolution


@pytest.mark.parametrize("back", [resolution.NEAREST, resolution.LINEAR, resolution.CUBIC])
@pytest.mark.parametrize(("size", "small"), [((48, 48), (12, 12)), ((17, 33), (5, 10)), ((64, 200), (40, 125))])
def test_both_paths_agree(back: str, size: tuple[int, int], small: tuple[int, int]) -> None:
    images = torch.rand(2, 3, *size, generator=torch.Generator().manual_seed(1))
    images = images.contiguous(memory_format=torch.channels_last)
    off = (resolution.coarsen_opencv(images, *small, back) - resolution.coarsen_torch(images, *small, back)).abs()
    assert float((off <= 1 / 255).float().mean()) >= 0.999


def test_blocks_take_their_mean() -> None:
    images = torch.rand(1, 3, 8, 12, generator=torch.Generator().manual_seed(1))
    expected = images.reshape(1, 3, 2, 4, 3, 4).mean((3, 5)).repeat_interleave(4, 2).repeat_interleave(4, 3)
    assert torch.allclose(resolution.coarsen(images, 2, 3, resolution.NEAREST), expected, atol=1e-6)


def test_smaller_never_grows() -> None:
    assert resolution.smaller(64, 200, 16.0) == (16, 50)
    assert resolution.smaller(4, 4, 100.0) == (4, 4)
