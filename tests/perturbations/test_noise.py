"""Noise: its size, its independence, its nesting."""

import pytest
import torch

from hardgen.batch import Batch
from hardgen.perturbations.noise import GaussianNoise
from hardgen.pipeline import Pipeline
from hardgen.rng import SampleRng

FLAT = Batch(torch.full((2, 3, 100, 100), 0.5), ("a", "b"))


def added(pipeline: Pipeline) -> torch.Tensor:
    return pipeline(FLAT, pipeline.rngs(1, FLAT)).batch.images - 0.5


def test_sigma_is_the_standard_deviation() -> None:
    noise = added(Pipeline({"a": GaussianNoise(0.05)}))
    assert noise.std((1, 2, 3)).tolist() == pytest.approx([0.05, 0.05], rel=0.02)
    assert noise.mean((1, 2, 3)).tolist() == pytest.approx([0.0, 0.0], abs=0.002)


def test_variances_of_two_slots_add() -> None:
    two = added(Pipeline({"a": GaussianNoise(0.05), "b": GaussianNoise(0.05)}))
    assert two.std((1, 2, 3)).tolist() == pytest.approx([0.05 * 2**0.5] * 2, rel=0.02)


def test_two_images_get_uncorrelated_noise() -> None:
    a, b = added(Pipeline({"a": GaussianNoise(0.05)})).flatten(1)
    assert abs(float(torch.corrcoef(torch.stack((a, b)))[0, 1])) < 0.03


def test_the_same_field_grows() -> None:
    rng = SampleRng(1, "a", FLAT.ids)
    small, large = (GaussianNoise(s)(FLAT, rng).batch.images - 0.5 for s in (0.02, 0.04))
    assert torch.allclose(large, 2 * small, atol=1e-6)
