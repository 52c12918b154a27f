"""Texture and shape: what stays and what goes."""

import dataclasses

import numpy as np
import pytest
import torch
from scipy.ndimage import gaussian_filter

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.perturbation import Outcome, Perturbation
from hardgen.perturbations.texture.eidolons import Eidolon
from hardgen.perturbations.texture.exchange import BagOfPatches, TextureTransfer
from hardgen.perturbations.texture.passes import HighPass, LowPass
from hardgen.perturbations.texture.silhouette import Silhouette
from hardgen.perturbations.texture.spectra import PhaseScramble, PowerEqualise, Spectrum
from hardgen.rng import SampleRng
from hardgen.testing.samples import sample_batch


def shown(perturbation: Perturbation, batch: Batch) -> Outcome:
    return perturbation(batch, SampleRng(3, "s", batch.ids))


def quiet(height: int = 40, width: int = 40) -> Batch:
    """Sample pictures of so little contrast that no value is cut."""
    batch = sample_batch(height, width, pick=(0, 1, 2))
    return dataclasses.replace(batch, images=(batch.images - 0.5) * 0.2 + 0.5)


def test_phase_scrambling_keeps_the_power_of_every_frequency_and_moves_the_shapes() -> None:
    batch = quiet()
    after = shown(PhaseScramble(180.0), batch).batch.images
    before, now = (np.abs(np.fft.fft2(x.numpy())) for x in (batch.images, after))
    assert now == pytest.approx(before, abs=2e-3)
    a, b = ((x - x.mean((2, 3), keepdim=True)).flatten(1) for x in (batch.images, after))
    assert float(torch.nn.functional.cosine_similarity(a, b).abs().max()) < 0.6


def test_phase_shifts_reach_the_whole_width() -> None:
    batch = quiet()
    spectra = [
        np.fft.fft2(x[:, 0].numpy().astype(np.float64))
        for x in (batch.images, shown(PhaseScramble(60.0), batch).batch.images)
    ]
    strong = np.abs(spectra[0]) > 0.05
    strong[:, 20] = strong[:, :, 20] = strong[:, 0, 0] = False
    shifts = np.degrees(np.angle(spectra[1][strong] / spectra[0][strong]))
    assert np.abs(shifts).max() < 61
    assert shifts.std() == pytest.approx(60 / np.sqrt(3), rel=0.25)


@pytest.mark.parametrize("spectrum", list(Spectrum))
def test_power_equalisation_gives_all_images_one_spectrum(spectrum: Spectrum) -> None:
    noise = np.random.default_rng(0).random((3, 3, 32, 32)) * [[[[0.01]]], [[[0.02]]], [[[0.04]]]]
    images = torch.from_numpy((0.4 + noise).astype(np.float32)).contiguous(memory_format=torch.channels_last)
    batch = dataclasses.replace(sample_batch(32, 32, pick=(0, 1, 2)), images=images)
    equal = PowerEqualise(1.0, spectrum=spectrum)
    assert equal.needs_donors == (spectrum is Spectrum.donors)
    after, _ = equal.apply(batch, SampleRng(0, "s", batch.ids))
    amplitudes = np.abs(np.fft.fft2(after.images.numpy()))
    if spectrum is Spectrum.pink:
        fall = amplitudes[:, :, 0, 1:16] * np.arange(1, 16)
        assert fall == pytest.approx(np.broadcast_to(fall[..., :1], fall.shape), rel=0.02)
    else:
        assert amplitudes[1] == pytest.approx(amplitudes[0], rel=0.02, abs=0.02)
        assert amplitudes[2] == pytest.approx(amplitudes[0], rel=0.02, abs=0.02)


def test_power_without_donors_is_an_error_unless_pink() -> None:
    batch = dataclasses.replace(sample_batch(), donors=None)
    with pytest.raises(HardgenError, match="takes its pixels from other images"):
        shown(PowerEqualise(0.5), batch)
    assert shown(PowerEqualise(0.5, spectrum=Spectrum.pink), batch).doses["rmse"].min() > 0


def test_the_passes_are_scipy_s_and_add_up_to_the_image() -> None:
    batch = quiet(48, 60)
    low = shown(LowPass(0.05, pad=0.4423), batch)
    wanted = gaussian_filter(batch.images.numpy(), (0, 0, 2.4, 2.4), mode="constant", cval=0.4423)
    assert low.batch.images.numpy() == pytest.approx(wanted, abs=2e-6)
    high = shown(HighPass(0.05, mean=0.5, pad=0.4423), batch).batch.images
    sums = high + low.batch.images - batch.images
    assert sums.std((2, 3)).max() < 1e-6
    assert high.mean((2, 3)) == pytest.approx(torch.full((3, 3), 0.5), abs=1e-5)
    assert low.doses["cutoff"].tolist() == pytest.approx([0.18739 / 0.05] * 3)


def test_a_high_pass_keeps_each_channel_s_mean_unless_told() -> None:
    batch = quiet()
    after = shown(HighPass(0.02), batch).batch.images
    assert after.mean((2, 3)) == pytest.approx(batch.images.mean((2, 3)), abs=1e-5)


def test_an_eidolon_of_full_coherence_keeps_the_image_s_values_and_moves_them() -> None:
    y, x = np.mgrid[0:96, 0:96] / 96
    ramp = torch.from_numpy(np.stack((x, y, 0 * x)).astype(np.float32))[None] * 0.5 + 0.25
    batch = Batch(ramp.contiguous(memory_format=torch.channels_last), ("a",))
    reach = 0.05
    after = shown(Eidolon(reach, coherence=1.0), batch).batch.images
    moved = (after - ramp)[:, :2, 20:-20, 20:-20] / 0.5
    assert float(moved.square().mean().sqrt()) == pytest.approx(reach, rel=0.2)
    assert after[:, 2] == pytest.approx(ramp[:, 2], abs=1e-5)


def test_the_reach_that_is_published_is_an_octave_to_a_tenth() -> None:
    reaches = [Eidolon().at(h).reach * 224 for h in (0.3, 0.4, 0.7, 1.0)]
    assert reaches == pytest.approx([1, 2, 16, 128])


def test_a_silhouette_is_the_mask_else_the_box_else_a_guess() -> None:
    batch = sample_batch()
    assert batch.masks is not None
    masked = shown(Silhouette(1.0), batch)
    assert torch.equal(masked.batch.images, (~batch.masks).float().expand(-1, 3, -1, -1))
    assert masked.doses["guessed"].tolist() == [0.0] * 7
    boxed = shown(Silhouette(1.0), dataclasses.replace(batch, masks=None))
    assert torch.equal(boxed.batch.images, masked.batch.images)
    some = batch.masks.clone()
    some[2] = False
    guessed = shown(Silhouette(1.0), dataclasses.replace(batch, masks=some, boxes=None))
    assert guessed.doses["guessed"].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert 0 < guessed.doses["figure"][2] < 1
    assert set(guessed.batch.images.unique().tolist()) == {0.0, 1.0}


def test_patches_come_from_within_the_radius_and_further_on_the_same_way() -> None:
    y, x = np.mgrid[0:112, 0:112] / 112
    ramp = torch.from_numpy(np.stack((x, y, 0 * x)).astype(np.float32))[None]
    batch = Batch(ramp.contiguous(memory_format=torch.channels_last), ("a",))
    near, far = (shown(BagOfPatches(r), batch).batch.images - ramp for r in (0.05, 0.1))
    inner = (slice(None), slice(0, 2), slice(16, -16), slice(16, -16))
    ways = near[inner].square().sum(1).sqrt()
    assert float(ways.max()) == pytest.approx(0.05, abs=0.003)
    assert float(ways.mean()) == pytest.approx(0.05 * 2 / 3, rel=0.15)
    assert far[inner] == pytest.approx(2 * near[inner], abs=1e-3)


def test_texture_comes_from_another_image() -> None:
    batch = sample_batch(64, 64)
    assert batch.donors is not None
    only = dataclasses.replace(batch.donors, images=batch.donors.images[:1], labels=(0,), ids=(batch.ids[0],))
    with pytest.raises(HardgenError, match="no donor but itself for sample"):
        shown(TextureTransfer(1.0), dataclasses.replace(batch, donors=only))
