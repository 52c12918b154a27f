"""Covering whole images at once covers the pixels of lowest rank, pixel for pixel."""

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


@pytest.mark.parametrize("size", [(1, 1), (4, 4), (17, 33), (64, 200), (56, 56)])
@pytest.mark.parametrize("cell", [0.01, 0.125, 0.3, 1.0])
def test_whole_cells_cover_what_ranks_cover(size: tuple[int, int], cell: float) -> None:
    scores = torch.rand(3, occlusion.most_cells(*size, cell), generator=torch.Generator().manual_seed(1))
    for fraction in (0.0, 0.001, 0.2, 0.5, 0.95, 1.0):
        covered = occlusion.cover_grid(*size, cell, scores, fraction)
        for own, mask in zip(scores, covered, strict=True):
            assert torch.equal(mask[0], occlusion.cover(occlusion.grid(*size, cell, own), fraction))
