"""Means over zooms and turns: against SciPy, the device path against OpenCV's, known answers."""

import math

import numpy as np
import pytest
import scipy.ndimage
import torch
from numpy.typing import NDArray
from torch import Tensor

from hardgen.functional import filters, warps

SIZES = [(40, 40), (41, 41), (24, 60), (33, 17), (4, 4), (1, 1), (1, 9)]


def pictures(height: int, width: int, count: int = 2) -> Tensor:
    images = torch.rand(count, 3, height, width, generator=torch.Generator().manual_seed(height * 1000 + width))
    return filters.gaussian_blur(images, 1.0)


def off(a: Tensor, b: object) -> float:
    return float(np.abs(a.numpy() - np.asarray(b)).max())


def mean_view(image: Tensor, matrices: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The plain mean of views, by SciPy."""
    _, height, width = image.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    y, x = y - (height - 1) / 2, x - (width - 1) / 2
    total = np.zeros(image.shape)
    for m in matrices:
        at = (m[1, 0] * x + m[1, 1] * y + (height - 1) / 2, m[0, 0] * x + m[0, 1] * y + (width - 1) / 2)
        total += [scipy.ndimage.map_coordinates(c.double().numpy(), at, order=1, mode="nearest") for c in image]
    return total / len(matrices)


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.05), (0.9, 1.1), (0.83, 1.17), (1.0, 1.4)])
@pytest.mark.parametrize("size", [(40, 40), (24, 60)])
def test_zoom_mean_is_the_limit_of_many_zooms(
    size: tuple[int, int], low: float, high: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warps, "SMALL", 0)
    images = pictures(*size, count=1)
    zooms = low + (high - low) * (np.arange(400) + 0.5) / 400
    expected = mean_view(images[0], [np.array([[1 / z, 0.0], [0.0, 1 / z]]) for z in zooms])
    close = np.abs(warps.zoom_mean(images, low, high)[0].numpy() - expected) <= 1.5 / 255
    assert close.mean() >= 0.98


@pytest.mark.parametrize("degrees", [2.0, 12.0, 40.0])
@pytest.mark.parametrize("size", [(40, 40), (24, 60)])
def test_turn_mean_is_the_limit_of_many_turns(
    size: tuple[int, int], degrees: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warps, "SMALL", 0)
    images = pictures(*size, count=1)
    angles = np.radians(degrees) * ((np.arange(200) + 0.5) / 200 - 0.5)
    turns = [np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in angles]
    close = np.abs(warps.turn_mean(images, degrees)[0].numpy() - mean_view(images[0], turns)) <= 1.5 / 255
    assert close.mean() >= 0.98


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("small", [0, 128])
def test_paths_agree(size: tuple[int, int], small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warps, "SMALL", small)
    images = pictures(*size)
    here = [warps.zoom_mean(images, 0.9, 1.3), warps.turn_mean(images, 25.0)]
    monkeypatch.setattr(warps, "warp_mean_opencv", warps.warp_mean_torch)
    monkeypatch.setattr(warps, "crop_mean_opencv", crops_by_torch)
    for a, b in zip(here, [warps.zoom_mean(images, 0.9, 1.3), warps.turn_mean(images, 25.0)], strict=True):
        assert a.is_contiguous(memory_format=torch.channels_last)
        assert off(a, b) < 1e-5


def crops_by_torch(images: Tensor, crops: list[int], weights: NDArray[np.float64]) -> Tensor:
    """The same crops of the padded image, scaled by torch's own interpolation."""
    pad = max(-min(crops), 0)
    padded = torch.nn.functional.pad(images, (pad,) * 4, mode="replicate")
    total, side = torch.zeros_like(images), images.shape[-1]
    for crop, weight in zip(crops, weights, strict=True):
        window = slice(pad + crop, side + pad - crop)
        part = padded[:, :, window, window]
        view = torch.nn.functional.interpolate(part, (side, side), mode="bilinear", align_corners=False)
        total += view * float(weight)
    return total.contiguous(memory_format=torch.channels_last)


def test_crops_are_zooms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warps, "SMALL", 0)
    images = pictures(96, 96)
    crops = list(range(-4, 9))
    weights = np.full(len(crops), 1 / len(crops))
    zooms = [np.array([[(96 - 2 * j) / 96, 0.0, 0.0], [0.0, (96 - 2 * j) / 96, 0.0]]) for j in crops]
    a, b = warps.crop_mean_opencv(images, crops, weights), warps.warp_mean_torch(images, zooms, weights)
    assert off(a[:, :, 1:-1, 1:-1], b[:, :, 1:-1, 1:-1]) < 1e-5
    assert float(((a - b).abs() <= 1 / 255).float().mean()) > 0.99


def test_weights_integrate_linear_functions_exactly() -> None:
    nodes = np.array([0.9, 0.95, 1.0, 1.1, 1.25])
    for low, high in ((0.93, 1.2), (0.96, 0.97), (1.0, 1.001), (0.9, 1.25)):
        weights = warps.hat_weights(nodes, low, high)
        assert weights.sum() == pytest.approx(1.0)
        assert weights @ nodes == pytest.approx((low + high) / 2)
        assert weights.min() >= -1e-12


def test_a_centred_disk_survives_turning() -> None:
    y, x = np.mgrid[0:65, 0:65] - 32.0
    rings = torch.from_numpy(np.cos(np.hypot(x, y) / 4) / 2 + 0.5).float().expand(1, 3, 65, 65).contiguous()
    turned = warps.turn_mean(rings, 40.0)
    inside = torch.from_numpy(np.hypot(x, y) < 31)
    assert float((turned - rings)[..., inside].abs().max()) < 0.02


def test_device_paths_agree(device: str) -> None:
    images = pictures(64, 64)
    there = images.to(device)
    for make in (lambda i: warps.zoom_mean(i, 0.9, 1.3), lambda i: warps.turn_mean(i, 20.0)):
        assert float(((make(images) - make(there).cpu()).abs() <= 1 / 255).float().mean()) > 0.99
