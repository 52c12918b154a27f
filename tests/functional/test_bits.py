"""Flipped bits: each with the same probability, independent, nested."""

import numpy as np
import pytest
import torch
from torch import Tensor

from hardgen.functional.bits import flip_bits

SHAPE = (2, 3, 200, 200)


def draws(shape: tuple[int, ...] = SHAPE) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(3)
    return torch.rand(shape, generator=generator), torch.rand(shape, generator=generator)


def codes(images: Tensor) -> np.ndarray:
    return images.mul(255).round().to(torch.uint8).contiguous().numpy()


def flips(probability: float, level: int = 0) -> np.ndarray:
    """The flipped bits of images of one level, one row for each value."""
    images = torch.full(SHAPE, level / 255)
    after, shares = flip_bits(images, *draws(), probability)
    bits = np.unpackbits((codes(after) ^ level).reshape(-1, 1), axis=1)
    assert float(shares.mean()) == pytest.approx(bits.mean(), abs=1e-6)
    return bits


@pytest.mark.parametrize("probability", [0.01, 0.2, 0.7])
def test_every_bit_flips_with_the_probability_and_by_itself(probability: float) -> None:
    bits = flips(probability, 90)
    spread = np.sqrt(probability * (1 - probability) / len(bits))
    assert np.abs(bits.mean(0) - probability).max() < 5 * spread
    together = np.corrcoef(bits.T)[~np.eye(8, dtype=bool)]
    assert np.abs(together).max() < 5 / np.sqrt(len(bits))


def test_what_flips_stays_flipped_at_higher_probabilities() -> None:
    few, many = flips(0.05), flips(0.1)
    assert bool((few <= many).all())
    assert few.sum() < many.sum()


def test_certain_flips_give_the_negative_and_values_without_a_flip_stay_to_the_last_bit() -> None:
    images = torch.rand(1, 3, 20, 30, generator=torch.Generator().manual_seed(1))
    kept = images.clone()
    after, shares = flip_bits(images, *draws((1, 3, 20, 30)), 1.0)
    assert (codes(after) == 255 - codes(images)).all()
    assert shares.tolist() == [[1.0] * 3]
    after, _ = flip_bits(images, *draws((1, 3, 20, 30)), 0.02)
    same = codes(after) == codes(images)
    assert 0.7 < same.mean() < 0.95
    assert torch.equal(after[torch.from_numpy(same)], images[torch.from_numpy(same)])
    assert torch.equal(images, kept)
