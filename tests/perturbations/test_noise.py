"""Noise: its size, its independence, its nesting, its published parameters."""

import numpy as np
import pytest
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.perturbation import Perturbation
from hardgen.perturbations.noise import GaussianNoise
from hardgen.perturbations.noise.camera import FilmGrain, IsoNoise, RowNoise, ShotNoise
from hardgen.perturbations.noise.coloured import ColouredNoise, PerlinNoise, PlasmaNoise
from hardgen.perturbations.noise.independent import ImpulseNoise, SpeckleNoise, UniformNoise
from hardgen.perturbations.noise.patterns import ConcentricWaves, Grating, VoronoiNoise
from hardgen.pipeline import Pipeline
from hardgen.rng import SampleRng

FLAT = Batch(torch.full((2, 3, 100, 100), 0.5), ("a", "b"))
COLOURED = Batch(torch.tensor([0.4, 0.5, 0.6])[None, :, None, None].expand(2, 3, 100, 100).contiguous(), ("a", "b"))


def added(pipeline: Pipeline) -> torch.Tensor:
    return pipeline(FLAT, pipeline.rngs(1, FLAT)).batch.images - 0.5


def change(perturbation: Perturbation, batch: Batch = COLOURED, seed: int = 1) -> Tensor:
    return perturbation(batch, SampleRng(seed, "a", batch.ids)).batch.images - batch.images


def test_sigma_is_the_standard_deviation() -> None:
    noise = added(Pipeline({"a": GaussianNoise(0.05)}))
    assert noise.std((1, 2, 3)).tolist() == pytest.approx([0.05, 0.05], rel=0.02)
    assert noise.mean((1, 2, 3)).tolist() == pytest.approx([0.0, 0.0], abs=0.002)


def test_variances_of_two_slots_add() -> None:
    two = added(Pipeline({"a": GaussianNoise(0.05), "b": GaussianNoise(0.05)}))
    assert two.std((1, 2, 3)).tolist() == pytest.approx([0.05 * 2**0.5] * 2, rel=0.02)


def test_two_images_get_uncorrelated_noise() -> None:
    a, b = added(Pipeline({"a": GaussianNoise(0.05)})).flatten(1)
    assert abs(float(torch.corrcoef(torch.stack((a, b)))[0, 1])) < 0.03


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (GaussianNoise(0.02), GaussianNoise(0.04)),
        (UniformNoise(0.1), UniformNoise(0.2)),
        (SpeckleNoise(0.05), SpeckleNoise(0.1)),
        (FilmGrain(0.02), FilmGrain(0.04)),
        (RowNoise(0.02), RowNoise(0.04)),
        (ColouredNoise(0.02), ColouredNoise(0.04)),
        (PerlinNoise(0.2), PerlinNoise(0.4)),
        (PlasmaNoise(0.2), PlasmaNoise(0.4)),
        (Grating(0.1), Grating(0.2)),
        (ConcentricWaves(0.1), ConcentricWaves(0.2)),
        (VoronoiNoise(0.1), VoronoiNoise(0.2)),
    ],
)
def test_the_same_field_grows(small: Perturbation, large: Perturbation) -> None:
    once, twice = change(small), change(large)
    assert float(once.abs().mean()) > 1e-3
    assert torch.allclose(twice, 2 * once, atol=1e-6)


def test_uniform_noise_fills_its_width() -> None:
    noise = change(UniformNoise(0.3))
    assert float(noise.max()) == pytest.approx(0.3, abs=1e-3)
    assert float(noise.min()) == pytest.approx(-0.3, abs=1e-3)
    assert float(noise.std()) == pytest.approx(0.3 / 3**0.5, rel=0.01)


def test_speckle_grows_with_the_value() -> None:
    noise = change(SpeckleNoise(0.1)).std((0, 2, 3))
    assert noise.tolist() == pytest.approx([0.04, 0.05, 0.06], rel=0.03)


@pytest.mark.parametrize("photons", [50.0, 5.0])
def test_shot_noise_is_poissons(photons: float) -> None:
    after = change(ShotNoise(photons)) + COLOURED.images
    counts = after * photons
    assert float((counts - counts.round()).abs().max()) < 1e-4
    assert after.mean((0, 2, 3)).tolist() == pytest.approx([0.4, 0.5, 0.6], rel=0.04 if photons > 10 else 0.1)
    if photons > 10:
        assert after.var((0, 2, 3)).tolist() == pytest.approx([v / photons for v in (0.4, 0.5, 0.6)], rel=0.05)


@pytest.mark.parametrize("fraction", [0.003, 0.1, 0.5, 0.6])
@pytest.mark.parametrize("unit", ["pixel", "value"])
def test_impulses_strike_exactly_their_share(fraction: float, unit: str) -> None:
    outcome = ImpulseNoise(fraction, unit=unit)(COLOURED, SampleRng(1, "a", COLOURED.ids))
    struck = outcome.batch.images != COLOURED.images
    assert struck.flatten(1).sum(1).tolist() == [round(fraction * 1e4) * 3] * 2
    assert outcome.doses["struck"].tolist() == pytest.approx([fraction] * 2, abs=1e-6)
    values = outcome.batch.images[struck]
    assert bool(((values == 0) | (values == 1)).all())
    whole = bool((struck.sum(1) % 3 == 0).all())
    assert whole is (unit == "pixel") or fraction == 0.003


def test_fewer_impulses_lie_among_more_and_keep_their_colour() -> None:
    few, more = (change(ImpulseNoise(f)) for f in (0.2, 0.6))
    assert torch.equal(more[few != 0], few[few != 0])
    white = (change(ImpulseNoise(0.5, salt=0.2)) > 0).float().mean() / 0.5
    assert float(white) == pytest.approx(0.2, abs=0.02)


def test_high_iso_keeps_brightness_and_colours_the_shadows() -> None:
    dark = Batch(torch.full((1, 3, 128, 128), 0.25), ("a",))
    bright = Batch(torch.full((1, 3, 128, 128), 0.8), ("a",))
    dark.__dict__["grey"] = bright.__dict__["grey"] = torch.zeros(1, dtype=torch.bool)
    deep, light = (change(IsoNoise(3200.0), batch) for batch in (dark, bright))
    assert float(deep.std()) > float(light.std()) > 0.02
    assert abs(float(light.mean())) < 0.01
    colour, mono = (change(IsoNoise(3200.0, colour=c), bright) for c in (0.8, 0.0))
    assert float(colour.std(1).mean()) > 0.02
    assert float(mono.std(1).mean()) < 1e-6


def test_iso_noise_has_the_variance_of_its_photons() -> None:
    from hardgen.functional import tone

    batch = Batch(torch.full((4, 3, 128, 128), 0.7), tuple("abcd"))
    after = change(IsoNoise(800.0, colour=0.0), batch) + batch.images
    light, photons = float(tone.to_light(batch.images[:1, :1, :1, :1])), 4000 / 8
    variance = light * (1 / photons - 1 / 4000) + 4 * (1 / photons**2 - 1 / 4000**2)
    assert float(tone.to_light(after).var()) == pytest.approx(variance, rel=0.05)


def test_film_grain_spares_black_and_white() -> None:
    greys = torch.tensor([0.0, 0.1, 0.5, 1.0]).repeat_interleave(40).expand(1, 3, 160, 160).contiguous()
    grain = change(FilmGrain(0.1), Batch(greys, ("a",)))[0, 0]
    spread = grain.reshape(160, 4, 40).std((0, 2)).tolist()
    assert spread[0] == spread[3] == 0.0
    assert spread[2] == pytest.approx(0.1, rel=0.15)
    assert 0.04 < spread[1] < spread[2]


@pytest.mark.parametrize("lines", ["rows", "columns", "both"])
def test_lines_have_offsets(lines: str) -> None:
    noise = change(RowNoise(0.05, lines=lines), FLAT)[:, 0]
    along_row, along_column = float(noise.std(2).max()), float(noise.std(1).max())
    assert (along_row > 0.01) is (lines != "rows")
    assert (along_column > 0.01) is (lines != "columns")
    assert float(noise.std()) == pytest.approx(0.05, rel=0.25)


@pytest.mark.parametrize("channels", ["independent", "shared"])
def test_coloured_noise_has_its_contrast(channels: str) -> None:
    noise = change(ColouredNoise(0.05, channels=channels))
    assert noise.square().mean((2, 3)).sqrt().flatten().tolist() == pytest.approx([0.05] * 6, abs=1e-4)
    assert (float(noise.std(1).mean()) < 1e-5) is (channels == "shared")


def test_folded_clouds_are_bright_and_plasma_with_a_floor_is_dark() -> None:
    signed, folded = (change(PerlinNoise(0.5, clouds=c)).mean() for c in ("signed", "folded"))
    assert float(folded) > float(signed) + 0.05
    dark, even = (change(PlasmaNoise(0.25, floor=f)).mean() for f in (-1.0, 0.0))
    assert float(dark) < float(even) - 0.05
    assert float(dark) == pytest.approx(-0.125, abs=0.06)


def test_amplitudes_are_of_full_scale() -> None:
    wave = change(Grating(0.3, frequency=5.0))
    assert float(wave.abs().max()) == pytest.approx(0.3, abs=0.01)
    assert float(wave.square().mean().sqrt()) == pytest.approx(0.3 / 2**0.5, rel=0.05)
    for profile, rms in (("sine", 0.5**0.5), ("ramp", 3**-0.5)):
        waves = change(ConcentricWaves(0.2, period=0.08, profile=profile))
        assert float(waves.square().mean().sqrt()) == pytest.approx(0.2 * rms, rel=0.08)
    for cells in ("flat", "domed"):
        assert 0.15 < float(change(VoronoiNoise(0.2, cells=cells)).abs().max()) <= 0.2 + 1e-6


def test_settings_take_the_place_of_draws() -> None:
    a, b = (change(Grating(0.3, frequency=4.0, angle=90.0), seed=seed) for seed in (1, 2))
    for wave in (a, b):
        assert float(wave.std(3).max()) < 1e-5
    assert int(np.abs(np.fft.rfft(a[0, 0, :, 0].numpy())).argmax()) == 4
    with pytest.raises(HardgenError, match=r"grating\.angle must be in \[0, 180\] degrees"):
        Grating(angle=-1.0)
