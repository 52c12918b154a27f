"""Tone against Kornia and by hand."""

import warnings

import pytest
import torch

from hardgen.functional import tone

VALUES = torch.linspace(0, 1, 3 * 50 * 50).reshape(1, 3, 50, 50)


def test_light_is_kornias_and_comes_back() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import kornia

    light = tone.to_light(VALUES)
    assert float((light - kornia.color.rgb_to_linear_rgb(VALUES)).abs().max()) < 1e-6
    assert float((tone.from_light(light) - VALUES).abs().max()) < 1e-6
    assert float((tone.from_light(VALUES) - kornia.color.linear_rgb_to_rgb(VALUES)).abs().max()) < 1e-5


def test_black_and_white_are_fixed() -> None:
    ends = torch.tensor([0.0, 1.0]).reshape(1, 1, 1, 2)
    assert tone.to_light(ends).flatten().tolist() == pytest.approx([0.0, 1.0], abs=1e-6)
    assert tone.from_light(ends).flatten().tolist() == pytest.approx([0.0, 1.0], abs=1e-6)


def test_a_stop_doubles_the_light() -> None:
    images = torch.full((2, 3, 4, 4), 0.5)
    light = tone.to_light(tone.expose(images, torch.tensor([1.0, -1.0])))
    assert light[:, 0, 0, 0].tolist() == pytest.approx([0.2140411 * 2, 0.2140411 / 2], abs=1e-6)


def test_luminance_weighs_channels() -> None:
    colours = torch.eye(3)[:, :, None, None]
    assert tone.luminance(colours).flatten().tolist() == pytest.approx([0.299, 0.587, 0.114])
    assert torch.equal(tone.luminance(colours[:, :1]), colours[:, :1])


@pytest.mark.parametrize("factor", [0.9, 0.5, 0.1, 0.0])
def test_contrast_keeps_the_mean_and_scales_the_deviation(factor: float) -> None:
    images = VALUES.square()
    after = tone.scale_contrast(images, factor)
    assert float(after.mean()) == pytest.approx(float(images.mean()), abs=1e-6)
    assert float(after.std()) == pytest.approx(factor * float(images.std()), abs=1e-6)
