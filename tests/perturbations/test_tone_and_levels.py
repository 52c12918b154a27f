"""Tone curves, uneven light and few levels: the values that they must give."""

import cv2
import pytest
import torch

from hardgen.batch import Batch
from hardgen.functional import tone
from hardgen.perturbation import Perturbation
from hardgen.perturbations.colour.negative import Invert
from hardgen.perturbations.contrast import About, Contrast
from hardgen.perturbations.contrast.curves import Gamma, Glare, Solarise
from hardgen.perturbations.contrast.light_fields import UnevenLight, Vignette
from hardgen.perturbations.digital.levels import Posterise
from hardgen.perturbations.digital.resolution import Pixelate
from hardgen.rng import SampleRng


def after(perturbation: Perturbation, images: torch.Tensor) -> torch.Tensor:
    batch = Batch(images, ("a",))
    return perturbation(batch, SampleRng(1, "s", batch.ids)).batch.images


@pytest.mark.parametrize(
    ("perturbation", "expected"),
    [
        (Glare(0.5), [0.5, 0.7, 1.0]),
        (Solarise(0.5), [0.0, 0.4, 0.0]),
        (Invert(1.0), [1.0, 0.6, 0.0]),
        (Posterise(2), [0.0, 0.0, 1.0]),
        (Posterise(3), [0.0, 0.5, 1.0]),
        (Contrast(0.5, about=About.grey), [0.25, 0.45, 0.75]),
    ],
)
def test_known_values(perturbation: Perturbation, expected: list[float]) -> None:
    images = torch.tensor([0.0, 0.4, 1.0]).reshape(1, 1, 1, 3)
    assert after(perturbation, images).flatten().tolist() == pytest.approx(expected, abs=1e-6)


def test_gamma_is_a_power_and_keeps_black_and_white() -> None:
    images = torch.tensor([0.0, 0.4, 1.0]).reshape(1, 1, 1, 3)
    black, middle, white = after(Gamma(1.0), images).flatten().tolist()
    assert (black, white) == pytest.approx((0.0, 1.0))
    assert middle == pytest.approx(0.16, abs=1e-5) or middle == pytest.approx(0.4**0.5, abs=1e-5)


def test_contrast_about_channels_keeps_each_channels_mean() -> None:
    images = torch.rand(1, 3, 9, 9, generator=torch.Generator().manual_seed(1))
    kept = after(Contrast(0.1, about=About.channel), images).mean((2, 3))
    assert torch.allclose(kept, images.mean((2, 3)), atol=1e-6)


def test_equalised_histograms_are_opencvs() -> None:
    image = torch.rand(1, 1, 64, 64, generator=torch.Generator().manual_seed(1)).square().mul(255).round().div(255)
    theirs = torch.from_numpy(cv2.equalizeHist(image[0, 0].mul(255).round().byte().numpy())) / 255
    assert float((tone.equalise(image, 1.0)[0, 0] - theirs).abs().max()) < 1 / 255
    flat = torch.full((1, 1, 4, 4), 0.3)
    assert torch.equal(tone.equalise(flat, 1.0), flat)


def test_vignette_spares_the_middle_and_halves_the_light_at_its_radius() -> None:
    image = after(Vignette(0.5), torch.ones(1, 1, 33, 65))[0, 0]
    assert float(image[16, 32]) == pytest.approx(1.0)
    assert float(image[8, 16]) ** 2.2 == pytest.approx(0.5, abs=1e-3)
    assert float(image[0, 0]) ** 2.2 == pytest.approx(1 / 16, abs=1e-3)


def test_uneven_light_takes_as_many_stops_from_one_end_as_it_says() -> None:
    light = after(UnevenLight(3.0), torch.ones(1, 1, 400, 400))[0, 0] ** 2.2
    assert float(light.max()) == pytest.approx(1.0, abs=0.02)
    assert float(light.min()) == pytest.approx(1 / 8, abs=0.01)
    assert float(light[200, 200]) == pytest.approx(2**-1.5, abs=0.01)


def test_many_levels_are_kept_apart_on_any_path() -> None:
    values = torch.linspace(0, 1, 4096).reshape(1, 1, 1, -1)
    for levels in (256, 257, 1000):
        steps = after(Posterise(levels), values).unique()
        assert len(steps) == levels
        assert torch.allclose(steps, torch.linspace(0, 1, levels), atol=1e-6)


def test_pixelate_shows_block_means() -> None:
    images = torch.rand(1, 1, 8, 8, generator=torch.Generator().manual_seed(1))
    means = images.reshape(1, 1, 4, 2, 4, 2).mean((3, 5))
    expected = means.repeat_interleave(2, 2).repeat_interleave(2, 3)
    assert torch.allclose(after(Pixelate(0.5), images), expected, atol=1e-6)
