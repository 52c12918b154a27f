"""Filters against SciPy, scikit-image, Kornia, Albumentations, and against each other."""

import warnings

import numpy as np
import pytest
import scipy.ndimage
import skimage.filters
import torch
from torch import Tensor

from hardgen.functional import convolutions, filters, kernels, sources

SIZES = [(64, 200), (200, 64), (17, 33), (4, 4), (1, 1), (1, 9)]


def pictures(height: int, width: int, channels: int = 3, count: int = 2) -> Tensor:
    generator = torch.Generator().manual_seed(height * 1000 + width)
    images = torch.rand(count, channels, height, width, generator=generator)
    return images.contiguous(memory_format=torch.channels_last)


def directly(images: Tensor, each: list[kernels.Kernel]) -> Tensor:
    making = convolutions.convolving(each)
    assert making is not None
    return sources.make(images, making)


def off(a: Tensor, b: object) -> float:
    return float(np.abs(a.numpy() - np.asarray(b)).max())


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", SIZES)
def test_gaussian_is_scipys_on_both_paths(size: tuple[int, int], channels: int) -> None:
    images = pictures(*size, channels)
    for sigma in (0.05, 0.4, 1.0, 3.3, 21.0):
        expected = scipy.ndimage.gaussian_filter(
            images.double().numpy(), (0, 0, sigma, sigma), mode="nearest", truncate=4
        )
        kernel = kernels.gaussian(sigma)
        assert off(filters.separable_opencv(images, kernel), expected) < 2e-6
        assert off(filters.separable_matrix(images, kernel), expected) < 2e-6
        assert off(filters.gaussian_blur(images, sigma), expected) < (2e-6 if sigma < 3 else 1 / 255)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("size", SIZES)
def test_convolution_is_scipys_on_both_paths(size: tuple[int, int], channels: int) -> None:
    images = pictures(*size, channels)
    each = [kernels.line(17.3, 30.0), kernels.line(17.3, 117.0)]
    expected = [
        scipy.ndimage.convolve(image.double().numpy(), kernel[None].astype(float), mode="nearest")
        for image, kernel in zip(images, each, strict=True)
    ]
    assert off(directly(images, each), expected) < 5e-6
    assert off(convolutions.convolve_fourier(images, each), expected) < 5e-6
    for radius in (0.3, 2.2, 6.0):
        disk = [kernels.disk(radius)]
        assert off(directly(images, disk), convolutions.convolve_fourier(images, disk)) < 5e-6


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("width", [0.5, 1.0, 2.2, 3.0, 8.0, 25.0, 60.6])
def test_box_is_scipys_on_both_paths(size: tuple[int, int], width: float) -> None:
    images, kernel = pictures(*size), kernels.box(width).astype(np.float64)
    expected = images.double().numpy()
    for axis in (2, 3):
        expected = scipy.ndimage.correlate1d(expected, kernel, axis, mode="nearest")
    assert off(sources.make(images, filters.box_blurring(width)), expected) < 5e-6
    assert off(filters.separable_matrix(images, kernels.box(width)), expected) < 5e-6


def test_each_image_may_have_a_kernel_of_its_own_size() -> None:
    images = pictures(40, 50)
    small, large = kernels.disk(1.5), kernels.path(np.array([0.0, 9.0, 11.0]), np.array([0.0, -3.0, 8.0]))
    both = convolutions.convolve(images, [small, large])
    for i, kernel in enumerate((small, large)):
        expected = scipy.ndimage.correlate(images[i].double().numpy(), kernel[None].astype(float), mode="nearest")
        assert off(both[i], expected) < 5e-6
        assert off(convolutions.convolve(images[i : i + 1], [kernel])[0], expected) < 5e-6


@pytest.mark.parametrize("sigma", [3.0, 3.7, 6.3, 13.0, 30.0])
def test_wide_gaussians_are_close_on_hard_edges_and_noise(sigma: float) -> None:
    images = pictures(63, 90, count=1)
    images[:, 0], images[:, 1] = (torch.arange(90) > 40).float(), (images[:, 1] > 0.5).float()
    assert (
        off(filters.gaussian_blur(images, sigma), filters.separable_matrix(images, kernels.gaussian(sigma))) < 1 / 255
    )


def test_gaussian_is_scikit_images_and_kornias() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import kornia

    images = pictures(40, 56)
    ours = filters.gaussian_blur(images, 2.5)
    assert off(ours[0], skimage.filters.gaussian(images[0].numpy(), 2.5, mode="nearest", channel_axis=0)) < 2e-6
    theirs = kornia.filters.gaussian_blur2d(images, (21, 21), (2.5, 2.5), border_type="replicate")
    assert off(ours, theirs) < 2e-6
    disk = kernels.disk(4.0)
    theirs = kornia.filters.filter2d(images, torch.from_numpy(disk.copy())[None], border_type="replicate")
    assert off(convolutions.convolve(images, [disk]), theirs) < 5e-6


def test_gaussian_is_albumentations_away_from_the_border() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        albumentations = pytest.importorskip("albumentations")
        blur = albumentations.GaussianBlur(blur_limit=(25, 25), sigma_limit=(3.0, 3.0), p=1.0)
        images = pictures(64, 64, count=1)
        theirs = blur(image=images[0].permute(1, 2, 0).numpy())["image"]
    ours = filters.gaussian_blur(images, 3.0)[0].permute(1, 2, 0)
    assert off(ours[16:-16, 16:-16], theirs[16:-16, 16:-16]) < 2e-3


@pytest.mark.parametrize("size", [(32, 32), (100, 60)])
def test_filters_neither_change_nor_depend_on_layout_or_batch(size: tuple[int, int]) -> None:
    images = pictures(*size, count=3)
    kept = images.clone()
    for sigma in (1.0, 12.0):
        whole = filters.gaussian_blur(images, sigma)
        assert whole.is_contiguous(memory_format=torch.channels_last)
        assert torch.equal(whole, filters.gaussian_blur(images.contiguous(), sigma))
        assert torch.equal(whole[1:2], filters.gaussian_blur(images[1:2], sigma))
    turned = convolutions.convolve(images, [kernels.disk(2.0)])
    assert turned.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(turned[1:2], convolutions.convolve(images[1:2], [kernels.disk(2.0)]))
    assert torch.equal(images, kept)


def test_a_flat_image_stays_flat() -> None:
    flat = torch.full((1, 3, 20, 31), 128 / 255)
    for blurred in (filters.gaussian_blur(flat, 9.0), convolutions.convolve(flat, [kernels.line(13.0, 10.0)])):
        assert off(blurred, flat) < 1e-6


def test_device_paths_agree(device: str) -> None:
    images = pictures(48, 70)
    there = images.to(device)
    for sigma in (0.7, 8.0):
        assert off(filters.gaussian_blur(images, sigma), filters.gaussian_blur(there, sigma).cpu()) < 1e-5
    each = [kernels.line(11.0, 20.0), kernels.line(11.0, 90.0)]
    assert off(convolutions.convolve(images, each), convolutions.convolve(there, each).cpu()) < 1e-5
