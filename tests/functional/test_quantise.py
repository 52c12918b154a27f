"""Dots and palettes against known answers."""

import numpy as np
import torch

from hardgen.functional import quantise


def test_the_bayer_matrix_is_the_published_one() -> None:
    published = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]
    assert (quantise.bayer_thresholds(2) * 16 - 0.5).tolist() == published


def test_dither_keeps_the_mean() -> None:
    thresholds = quantise.bayer_thresholds(3)[None]
    assert sorted(thresholds.flatten().tolist()) == [(i + 0.5) / 64 for i in range(64)]
    for value in (0.0, 0.25, 0.5, 0.9, 1.0):
        flat = torch.full((2, 3, 8, 8), value)
        for levels in (2, 5, 256):
            got = quantise.dither(flat, levels, thresholds)
            assert abs(float(got.mean()) - value) < 1 / 64
            assert np.allclose(got * (levels - 1), (got * (levels - 1)).round(), atol=1e-4)


def test_dither_is_the_same_by_opencv_and_by_torch() -> None:
    made = torch.Generator().manual_seed(3)
    images, thresholds = torch.rand(2, 3, 30, 41, generator=made), torch.rand(2, 30, 41, generator=made)
    for levels in (2, 3, 17, 256):
        got, wanted = (f(images, levels, thresholds) for f in (quantise.dither, quantise.dither_torch))
        assert float(((got - wanted).abs() < 1e-6).float().mean()) > 0.999


def test_palettes_have_so_many_colours_and_keep_the_mean() -> None:
    images = torch.rand(1, 3, 40, 30, generator=torch.Generator().manual_seed(1))
    before = float("inf")
    for count in (1, 2, 7, 64):
        got = quantise.reduce_colours(images, count)
        assert len(torch.unique(got[0].flatten(1), dim=1).T) == count
        assert torch.allclose(got.mean((2, 3)), images.mean((2, 3)), atol=1e-5)
        error = float((got - images).square().sum())
        assert error < before
        before = error


def test_an_image_of_few_colours_keeps_them() -> None:
    colours = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [0.2, 0.9, 0.1]])
    images = colours[torch.arange(48) % 3].T.reshape(1, 3, 6, 8)
    assert torch.allclose(quantise.reduce_colours(images, 3), images)
