"""Contrast, brightness and low light: the values that they must give."""

import pytest
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.perturbation import Perturbation
from hardgen.perturbations.contrast import Brightness, Contrast, Direction, LowLight
from hardgen.pipeline import rounded
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch

CONTRASTS = (0.9, 0.5, 0.1, 0.03, 0.0)


def eight_bit(perturbation: Perturbation, images: Tensor) -> list[int]:
    batch = Batch(images, ("a",))
    after = rounded(perturbation(batch, SampleRng(1, "s", batch.ids)).batch).images
    return sorted(set(after.mul(255).round().int().flatten().tolist()))


def test_a_tenth_of_the_contrast_of_black_and_white_is_115_and_140() -> None:
    halves = torch.zeros(1, 3, 8, 8)
    halves[..., 4:] = 1
    assert eight_bit(Contrast(0.1), halves) == [115, 140]
    assert eight_bit(Contrast(0.0), halves) in ([127], [128])


@pytest.mark.parametrize("channels", [1, 3])
def test_a_flat_image_keeps_its_grey_at_any_contrast(channels: int) -> None:
    for grey in (0, 1, 77, 128, 254, 255):
        for factor in CONTRASTS:
            assert eight_bit(Contrast(factor), torch.full((1, channels, 33, 17), grey / 255)) == [grey]


def test_contrasts_dose_is_the_spread_of_brightness() -> None:
    batch = sample_batch()
    rng = SampleRng(1, "s", batch.ids)
    half, tenth = (Contrast(c)(batch, rng).doses["rms_contrast"] for c in (0.5, 0.1))
    assert torch.allclose(half, 5 * tenth, rtol=1e-3)


def test_brightness_goes_where_it_is_told_or_where_each_image_draws() -> None:
    batch = Batch(torch.full((40, 3, 4, 4), 0.5), tuple(map(str, range(40))))
    rng = SampleRng(1, "s", batch.ids)
    for stops in (0.5, 2.0):
        darker, brighter, both = (
            Brightness(stops, direction=d)(batch, rng).batch.images[:, 0, 0, 0]
            for d in (Direction.darker, Direction.brighter, Direction.both)
        )
        assert bool((darker < 0.5).all())
        assert bool((brighter > 0.5).all())
        assert bool(((both == darker) | (both == brighter)).all())
        assert 10 <= int((both == darker).sum()) <= 30
        if stops == 0.5:
            first = both > 0.5
        assert torch.equal(both > 0.5, first)


def test_four_stops_brighter_keeps_black_and_fills_white() -> None:
    batch = Batch(torch.tensor([0.0, 0.4, 1.0]).reshape(1, 1, 1, 3), ("a",))
    after = Brightness(4.0, direction=Direction.brighter)(batch, SampleRng(1, "s", batch.ids))
    assert after.batch.images.flatten().tolist() == pytest.approx([0.0, 1.0, 1.0], abs=1e-6)
    assert after.doses["mean_luminance"].tolist() == pytest.approx([2 / 3], abs=1e-6)


def test_low_light_darkens_by_what_gain_does_not_give_back() -> None:
    batch = Batch(torch.full((1, 3, 100, 100), 0.5), ("a",))
    rng = SampleRng(1, "s", batch.ids)
    bright, middle, dark = (
        float(LowLight(100.0, gain=g)(batch, rng).doses["mean_luminance"]) for g in (1.0, 0.75, 0.0)
    )
    assert bright == pytest.approx(0.5, abs=0.02)
    assert bright > middle > dark
    # Linear light 0.214 x 0.01^0.25 = 0.0677, of which the sRGB curve makes 0.288.
    assert middle == pytest.approx(0.288, abs=0.02)


def test_low_light_is_the_same_noise_at_every_number_of_photons() -> None:
    batch = Batch(torch.full((1, 1, 64, 64), 0.5), ("a",))
    rng = SampleRng(1, "s", batch.ids)
    fields = [
        LowLight(photons, gain=1.0, read_noise=0.0)(batch, rng).batch.images.flatten() for photons in (5000.0, 50.0)
    ]
    assert float(torch.corrcoef(torch.stack(fields))[0, 1]) > 0.95
    assert float(fields[1].std()) > 5 * float(fields[0].std())


def test_low_light_is_continuous_at_neutral() -> None:
    batch = sample_batch()
    for hardness in (1e-4, 1e-3):
        doses = LowLight().at(hardness)(batch, SampleRng(1, "s", batch.ids)).doses
        assert float(doses["rmse"].max()) < 3e-3
