"""Superpixels: nested, connected, following contours, each at its mean."""

import numpy as np
import pytest
import torch
from scipy.ndimage import label
from scipy.sparse.csgraph import connected_components as joined

from hardgen.functional import regions as module
from hardgen.functional.regions import regions, superpixels


def picture(height: int, width: int) -> np.ndarray:
    """Noise on two halves of very different brightness."""
    noise = np.random.default_rng(0).random((height, width, 3), np.float32) * np.float32(0.2)
    noise[:, width // 2 :] += 0.7
    return noise


def test_regions_are_as_many_as_asked_for_connected_and_made_of_those_before() -> None:
    image = picture(24, 32)
    before = np.arange(24 * 32).reshape(24, 32)
    for count in (700, 300, 101, 100, 17, 2, 1):
        labels = regions(image, count)
        assert len(set(labels.ravel())) == count
        assert len(set(zip(before.ravel(), labels.ravel(), strict=True))) == len(set(before.ravel()))
        assert all(label(labels == region)[1] == 1 for region in range(count))
        if count > 1:
            assert not set(labels[:, :16].ravel()) & set(labels[:, 16:].ravel()), "none crosses the contour"
        before = labels


def test_those_join_that_cost_least() -> None:
    row = np.array([0.0, 0.1, 0.5, 0.78, 0.9], np.float32).reshape(1, 5, 1)
    # In the first round 0 and 0.1 take one another, so do 0.78 and 0.9, and 0.5 is nearer to 0.78.
    parts = {count: regions(row, count)[0].tolist() for count in (5, 4, 3, 2, 1)}
    assert parts == {5: [0, 1, 2, 3, 4], 4: [0, 0, 1, 2, 3], 3: [0, 0, 1, 2, 2], 2: [0, 0, 1, 1, 1], 1: [0] * 5}


def test_every_region_has_its_mean_and_near_as_many_as_pixels_the_image_blends() -> None:
    image = picture(20, 20)
    batch = torch.from_numpy(image).permute(2, 0, 1)[None]
    for count, share in ((40, 1.0), (375, 0.5)):
        labels = regions(image, count)
        means = np.stack([image[labels == region].mean(0) for region in range(count)])[labels]
        made = superpixels(batch, count, 4096)[0].permute(1, 2, 0).numpy()
        assert made == pytest.approx(image + share * (means - image), abs=1e-5)


def test_as_many_regions_as_pixels_leave_the_image() -> None:
    batch = torch.from_numpy(picture(8, 8)).permute(2, 0, 1)[None]
    assert torch.equal(superpixels(batch, 64, 4096), batch)


@pytest.mark.parametrize("side", [(112, 112), (1, 3000)])
def test_even_images_and_slopes_join_in_few_rounds(side: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = []
    monkeypatch.setattr(module, "connected_components", lambda *a, **k: rounds.append(1) or joined(*a, **k))
    slope = np.cumsum(1.0005 ** np.arange(side[0] * side[1])).astype(np.float32).reshape(*side, 1)
    for image in (np.full((*side, 1), 0.5, np.float32), slope / slope.max()):
        rounds.clear()
        assert len(set(regions(image, 8).ravel())) == 8
        assert len(rounds) < 20
