"""Gaussian bands against SciPy."""

import numpy as np
import pytest
import torch
from scipy.ndimage import gaussian_filter

from hardgen.functional import kernels
from hardgen.functional.bands import HALF, low_pass, padded_matrix, padded_opencv


def images(height: int, width: int, channels: int = 3) -> torch.Tensor:
    numbers = np.random.default_rng(3).random((2, channels, height, width), dtype=np.float32)
    return torch.from_numpy(numbers).contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.0, 7.0, 40.0])
@pytest.mark.parametrize(("height", "width"), [(48, 48), (33, 70), (2, 9)])
def test_low_pass_is_scipy_s_gaussian_in_a_grey_surround(sigma: float, height: int, width: int) -> None:
    x = images(height, width)
    wanted = gaussian_filter(x.numpy(), (0, 0, sigma, sigma), mode="constant", cval=0.4423)
    assert low_pass(x, sigma, 0.4423).numpy() == pytest.approx(wanted, abs=3e-6)


def test_without_pad_the_border_is_replicated() -> None:
    x = images(31, 20)
    wanted = gaussian_filter(x.numpy(), (0, 0, 2.5, 2.5), mode="nearest")
    assert low_pass(x, 2.5, None).numpy() == pytest.approx(wanted, abs=3e-6)


@pytest.mark.parametrize("channels", [1, 3])
def test_opencv_and_matrices_agree(channels: int) -> None:
    x = images(40, 33, channels)
    kernel = kernels.gaussian(2.0)
    assert padded_opencv(x, kernel, 0.3) == pytest.approx(padded_matrix(x, kernel, 0.3), abs=1e-6)


def test_an_endless_gaussian_leaves_the_surround() -> None:
    assert low_pass(images(8, 9), float("inf"), 0.25) == pytest.approx(torch.full((2, 3, 8, 9), 0.25), abs=2e-3)


def test_the_cut_off_halves_contrast() -> None:
    sigma, size = 5.0, 400
    frequency = HALF / sigma
    wave = 0.5 + 0.4 * np.cos(2 * np.pi * frequency * np.arange(size))
    row = torch.from_numpy(wave.astype(np.float32)).expand(1, 1, 40, size).contiguous()
    middle = low_pass(row, sigma, None)[0, 0, 20, 100:300]
    assert float(middle.max() - middle.min()) / 0.8 == pytest.approx(0.5, abs=5e-3)
