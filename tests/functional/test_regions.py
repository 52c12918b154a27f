"""Superpixels: nested, connected, following contours, each at its mean."""

import itertools

import numpy as np
import pytest
import torch
from scipy.ndimage import label

from hardgen.functional.regions import partitions, superpixels


def picture(height: int, width: int) -> np.ndarray:
    """Noise on two halves of very different brightness."""
    noise = np.random.default_rng(0).random((height, width, 3), np.float32) * np.float32(0.2)
    noise[:, width // 2 :] += 0.7
    return noise


def test_partitions_are_nested_connected_and_follow_the_contour() -> None:
    found = list(partitions(picture(24, 32)))
    counts = [count for _, count in found]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 1
    for (fine, many), (coarse, few) in itertools.pairwise(found):
        assert [len(set(fine.ravel())), len(set(coarse.ravel()))] == [many, few]
        assert len(set(zip(fine.ravel(), coarse.ravel(), strict=True))) == many
        assert all(label(fine == region)[1] == 1 for region in range(many))
        assert not set(fine[:, :16].ravel()) & set(fine[:, 16:].ravel()), "no region crosses the contour before the end"


def test_a_round_joins_each_region_to_the_neighbour_that_costs_least() -> None:
    row = np.array([0.0, 0.1, 0.5, 0.8, 0.9], np.float32).reshape(1, 5, 1)
    rounds = [labels[0].tolist() for labels, _ in partitions(row)]
    # 0 - 0.1 and 0.8 - 0.9 take one another; 0.5 is nearer to 0.8. Then there are two, which join.
    assert rounds == [[0, 0, 1, 1, 1], [0, 0, 0, 0, 0]]


def test_at_a_partitions_number_every_region_has_its_mean_and_between_two_the_image_blends() -> None:
    image = picture(20, 20)
    (fine, many), (coarse, few) = list(partitions(image))[:2]
    batch = torch.from_numpy(image).permute(2, 0, 1)[None]

    def means(labels: np.ndarray) -> np.ndarray:
        return np.stack([image[labels == region].mean(0) for region in range(labels.max() + 1)])[labels]

    at_fine, at_coarse = (superpixels(batch, n, 4096)[0].permute(1, 2, 0).numpy() for n in (many, few))
    assert at_fine == pytest.approx(means(fine), abs=1e-5)
    assert at_coarse == pytest.approx(means(coarse), abs=1e-5)
    middle = superpixels(batch, (many * few) ** 0.5, 4096)[0].permute(1, 2, 0).numpy()
    assert middle == pytest.approx((at_fine + at_coarse) / 2, abs=1e-5)


def test_as_many_regions_as_pixels_leave_the_image() -> None:
    batch = torch.from_numpy(picture(8, 8)).permute(2, 0, 1)[None]
    assert torch.equal(superpixels(batch, 64, 4096), batch)
