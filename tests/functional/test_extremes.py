"""Erosion and dilation."""

import itertools

import numpy as np
import pytest
import torch
from scipy import ndimage

from hardgen.functional.extremes import extremes_opencv, extremes_torch

IMAGES = torch.rand(2, 3, 31, 44, generator=torch.Generator().manual_seed(1)).contiguous(
    memory_format=torch.channels_last
)


@pytest.mark.parametrize("how", [extremes_opencv, extremes_torch])
@pytest.mark.parametrize("radius", [0, 1, 4, 40])
def test_whole_radii_are_scipys_filters(how, radius: int) -> None:
    got = how(IMAGES, float(radius), [True, False]).numpy()
    side = 2 * radius + 1
    for i, wanted in enumerate((ndimage.maximum_filter, ndimage.minimum_filter)):
        for plane, image in zip(got[i], IMAGES[i].numpy(), strict=True):
            np.testing.assert_array_equal(plane, wanted(image, side, mode="nearest"))


@pytest.mark.parametrize("how", [extremes_opencv, extremes_torch])
def test_between_two_radii_lies_their_mix(how) -> None:
    bright = [True, False]
    low, high = (how(IMAGES, r, bright) for r in (2.0, 3.0))
    torch.testing.assert_close(how(IMAGES, 2.25, bright), low + 0.25 * (high - low), atol=1e-6, rtol=0)


def test_parts_only_grow() -> None:
    steps = [extremes_opencv(IMAGES, r, [True, False]) for r in (0.0, 0.4, 1.0, 1.7, 5.2)]
    for before, after in itertools.pairwise(steps):
        assert bool((after[0] >= before[0] - 1e-6).all())
        assert bool((after[1] <= before[1] + 1e-6).all())
    assert torch.equal(steps[0], IMAGES)
