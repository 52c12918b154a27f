"""Holes by bisection over their scale are those of the ranks, pixel for pixel."""

import pytest
import torch

from hardgen.functional import occlusion
from hardgen.functional.holes import cover_holes


@pytest.mark.parametrize("size", [(1, 1), (4, 4), (17, 33), (64, 200), (56, 56)])
@pytest.mark.parametrize("count", [1, 3, 8, 40])
def test_bisection_covers_what_ranks_cover(size: tuple[int, int], count: int) -> None:
    centres = torch.rand(3, count, 2, generator=torch.Generator().manual_seed(count))
    for fraction in (0.001, 0.2, 0.5, 0.95, 1.0):
        covered = cover_holes(*size, centres, fraction)
        for own, mask in zip(centres, covered, strict=True):
            assert torch.equal(mask[0], occlusion.cover(occlusion.holes(*size, own), fraction))
            if count == 1:
                assert torch.equal(mask[0], occlusion.cover(occlusion.rectangle(*size, own[0]), fraction))
