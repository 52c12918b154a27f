"""Scatter, medians and varying blur: against SciPy, scikit-image, definitions, and the device path."""

import numpy as np
import pytest
import scipy.ndimage
import torch
from torch import Tensor

from hardgen.functional import filters, medians
from hardgen.functional.scattering import scatter, wander
from hardgen.functional.varying import varying_blur


def pictures(height: int, width: int, channels: int = 3, count: int = 2) -> Tensor:
    generator = torch.Generator().manual_seed(height * 1000 + width)
    images = torch.rand(count, channels, height, width, generator=generator)
    return images.contiguous(memory_format=torch.channels_last)


def off(a: Tensor, b: object) -> float:
    return float(np.abs(a.numpy() - np.asarray(b)).max())


@pytest.mark.parametrize("size", [(12, 20), (1, 1), (5, 3)])
@pytest.mark.parametrize("reach", [0.3, 1.7, 9.0])
def test_scatter_takes_every_pixel_from_where_it_says(size: tuple[int, int], reach: float) -> None:
    images, shares = pictures(*size), torch.rand(2, 2, *size, generator=torch.Generator().manual_seed(1))
    got = scatter(images, shares, reach)
    for b in range(2):
        for i in range(size[0]):
            for j in range(size[1]):
                down, across = (reach * (2 * float(s) - 1) for s in shares[b, :, i, j])
                y = min(max(int(np.floor(i + down + 0.5)), 0), size[0] - 1)
                x = min(max(int(np.floor(j + across + 0.5)), 0), size[1] - 1)
                assert torch.equal(got[b, :, i, j], images[b, :, y, x])


@pytest.mark.parametrize("size", [(12, 20), (1, 1), (5, 3)])
def test_wandering_is_bilinear(size: tuple[int, int]) -> None:
    images, shares = pictures(*size), torch.rand(2, 2, *size, generator=torch.Generator().manual_seed(1))
    got = wander(images, shares, 2.5)
    y, x = np.mgrid[0 : size[0], 0 : size[1]]
    for b in range(2):
        way = (shares[b].double().numpy() * 2 - 1) * 2.5
        for c in range(3):
            expected = scipy.ndimage.map_coordinates(
                images[b, c].double().numpy(), (y + way[0], x + way[1]), order=1, mode="mirror"
            )
            assert off(got[b, c], expected) < 1e-4


def test_scatter_within_half_a_pixel_is_nothing() -> None:
    images = pictures(12, 12)
    assert torch.equal(scatter(images, torch.rand(2, 2, 12, 12), 0.49), images)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", [(30, 41), (4, 4), (1, 1), (1, 9)])
@pytest.mark.parametrize("window", [3, 5, 7, 15])
def test_medians_are_scipys_on_both_paths(window: int, size: tuple[int, int], channels: int) -> None:
    images = pictures(*size, channels)
    seen = images if window <= medians.EXACT else images.mul(255).round().div(255)
    expected = scipy.ndimage.median_filter(seen.numpy(), (1, 1, window, window), mode="nearest")
    assert off(medians.median_blur(images, float(window)), expected) < 1e-6
    assert off(medians.median_torch(images, window), expected) < 1e-6


def test_medians_between_odd_windows_are_mixed() -> None:
    images = pictures(20, 20)
    three, five, four = (medians.median_blur(images, w) for w in (3.0, 5.0, 4.0))
    assert torch.allclose(four, (three + five) / 2, atol=1e-6)
    assert torch.equal(medians.median_blur(images, 0.7), images)
    assert torch.equal(medians.median_blur(images, 29.4), medians.median_blur(images, 29.0))
    near = medians.median_blur(images, 1.01)
    assert 0 < off(near, images) < 0.01


def test_varying_blur_has_the_blur_asked_for() -> None:
    images = pictures(64, 64)
    for share, sigma in ((1.0, 8.0), (0.5, 4.0), (0.25, 2.0)):
        even = varying_blur(images, torch.full((1, 1, 64, 64), share), 8.0)
        assert off(even, filters.gaussian_blur(images, sigma)) < 1e-6
    assert torch.equal(varying_blur(images, torch.zeros(1, 1, 64, 64), 8.0), images)
    spot = torch.zeros(1, 1, 65, 65)
    spot[..., 32, 32] = 1.0
    at = torch.arange(65) - 32.0
    for share in (0.1, 0.3, 0.6, 0.85):
        spread = varying_blur(spot, torch.full((1, 1, 65, 65), share), 7.0)[0, 0].sum(0)
        assert float((spread * at.square()).sum()) == pytest.approx((share * 7.0) ** 2, rel=0.03)


def test_device_paths_agree(device: str) -> None:
    images = pictures(40, 40)
    shares = torch.rand(2, 2, 40, 40, generator=torch.Generator().manual_seed(2))
    assert torch.equal(scatter(images.to(device), shares.to(device), 3.3).cpu(), scatter(images, shares, 3.3))
    for width in (4.0, 8.0):
        assert off(medians.median_blur(images.to(device), width).cpu(), medians.median_blur(images, width)) < 1e-6
