"""Patches from near by, and another image's texture."""

import numpy as np
import pytest
import torch
from scipy.ndimage import gaussian_filter

from hardgen.functional.patchwork import patches, retexture, shift_patches


def photo(seed: int, side: int = 64) -> torch.Tensor:
    noise = np.random.default_rng(seed).random((1, 3, side, side))
    return torch.from_numpy((gaussian_filter(noise, (0, 0, 1, 1)) * 2 - 0.5).astype(np.float32)).contiguous(
        memory_format=torch.channels_last
    )


def test_patches_have_the_side_asked_for() -> None:
    assert patches(224, 224, 1 / 14) == (14, 14)
    assert patches(100, 200, 0.25) == (4, 8)
    assert patches(1, 1, 0.01) == (100, 100)


def test_every_patch_shows_what_lies_where_its_way_leads() -> None:
    x = photo(0)
    ways = torch.zeros(1, 2, 4, 4)
    ways[0, 0, 1, 2], ways[0, 1, 1, 2] = 7, -3
    out = shift_patches(x, ways)
    moved = torch.zeros(64, 64, dtype=torch.bool)
    moved[16:32, 32:48] = True
    assert out[0, :, ~moved] == pytest.approx(x[0, :, ~moved], abs=1e-5)
    assert out[0, :, 16:32, 32:48] == pytest.approx(x[0, :, 13:29, 39:55], abs=1e-5)


def test_an_image_in_its_own_texture_is_itself() -> None:
    x = photo(1)
    assert retexture(x, x) == pytest.approx(x, abs=1e-4)


def test_detail_is_the_donor_s_and_the_rest_the_image_s() -> None:
    x, donor = photo(1, 128), photo(2, 128)
    out = retexture(x, donor)
    coarse = [gaussian_filter(i.numpy(), (0, 0, 8, 8)) for i in (x, out)]
    assert np.abs(coarse[0] - coarse[1]).mean() < 0.1 * x.std()
    fine = [(i - gaussian_filter(i, (0, 0, 2, 2))).ravel() for i in (x.numpy(), donor.numpy(), out.numpy())]
    assert np.corrcoef(fine[2], fine[1])[0, 1] > 0.8
    assert abs(np.corrcoef(fine[2], fine[0])[0, 1]) < 0.2
    assert fine[2].std() == pytest.approx(fine[0].std(), rel=0.2)


def test_where_the_image_is_even_no_texture_comes() -> None:
    assert retexture(torch.full((1, 3, 64, 64), 0.5), photo(2)).std() < 0.02
