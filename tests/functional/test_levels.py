"""Bytes and floats: exact in both directions."""

import numpy as np
import pytest
import torch

from hardgen.functional.levels import from_bytes, to_grid


def test_a_byte_is_its_255th() -> None:
    image = np.arange(256 * 3, dtype=np.uint8).reshape(16, 16, 3)
    made = from_bytes([image, image[::-1].copy()])
    assert made.is_contiguous(memory_format=torch.channels_last)
    expected = torch.from_numpy(np.stack([image, image[::-1]])).permute(0, 3, 1, 2).float() / 255
    assert torch.equal(made, expected)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(1, 1), (17, 33), (300, 200)])
def test_the_grid_is_rounding_to_the_bit(channels: int, size: tuple[int, int]) -> None:
    images = torch.rand(3, channels, *size, generator=torch.Generator().manual_seed(0))
    half_way = (torch.arange(255) + 0.5) / 255
    images.view(-1)[: min(255, images.numel())] = half_way[: min(255, images.numel())]
    made = to_grid(images)
    assert torch.equal(made, images.mul(255).round().div(255))
    assert torch.equal(to_grid(made), made)
