"""Phases and amplitudes against NumPy's full complex transform."""

import numpy as np
import pytest
import torch
from torch import Tensor

from hardgen.functional.spectrum import amplitudes, frequencies, pink, shift_phases, with_amplitudes

SIZES = [(16, 16), (17, 17), (16, 17), (17, 12), (5, 40), (1, 1), (2, 2), (1, 8), (3, 2)]


def pictures(height: int, width: int, seed: int = 0) -> Tensor:
    numbers = np.random.default_rng(seed).random((2, 3, height, width), dtype=np.float32)
    return torch.from_numpy(numbers).contiguous(memory_format=torch.channels_last)


def noise(height: int, width: int) -> Tensor:
    numbers = np.random.default_rng(9).uniform(-1, 1, (2, frequencies(height, width)))
    return torch.from_numpy(numbers.astype(np.float32))


def spectra(images: Tensor) -> np.ndarray:  # type: ignore[type-arg]
    return np.fft.fft2(images.numpy().astype(np.float64))


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_amplitudes_and_the_mean_stay_under_phase_noise(height: int, width: int) -> None:
    images = pictures(height, width)
    before, after = (spectra(x) for x in (images, shift_phases(images, noise(height, width), 150.0)))
    assert np.abs(after) == pytest.approx(np.abs(before), abs=2e-4)
    assert after[..., 0, 0] == pytest.approx(before[..., 0, 0], abs=1e-4)


def test_shifts_are_those_asked_for_odd_in_frequency_and_shared_by_channels() -> None:
    images, field = pictures(15, 15), noise(15, 15)
    shifts = np.angle(spectra(shift_phases(images, field, 60.0)) / spectra(images))
    assert shifts[:, 0] == pytest.approx(shifts[:, 1], abs=1e-4)
    assert shifts == pytest.approx(-np.roll(shifts[..., ::-1, ::-1], (1, 1), (-2, -1)), abs=1e-4)
    rank = [np.sort(np.abs(one[0]).ravel())[1::2] for one in shifts]  # one of each pair; the mean has none
    assert np.stack(rank) == pytest.approx(np.sort(np.abs(field.numpy()) * np.pi / 3, axis=1), abs=1e-4)


def test_the_highest_frequency_of_even_sides_keeps_its_phase() -> None:
    images = pictures(12, 16)
    before, after = (spectra(x) for x in (images, shift_phases(images, noise(12, 16), 180.0)))
    assert after[..., 6, :] == pytest.approx(before[..., 6, :], abs=1e-4)
    assert after[..., :, 8] == pytest.approx(before[..., :, 8], abs=1e-4)
    assert np.abs(after - before)[..., 1, 2].min() > 0.1


def test_low_frequencies_meet_the_same_noise_at_every_size() -> None:
    long = torch.from_numpy(np.random.default_rng(1).uniform(-1, 1, (2, 9999)).astype(np.float32))
    shifts = []
    for side in (24, 49):
        images = pictures(side, side, side)
        moved = shift_phases(images, long[:, : frequencies(side, side)], 90.0)
        shifts.append(np.angle(spectra(moved) / spectra(images))[..., :11, :11])
    assert shifts[0] == pytest.approx(shifts[1], abs=1e-3)


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_given_amplitudes_are_taken_and_phases_stay(height: int, width: int) -> None:
    images, others = pictures(height, width), pictures(height, width, 5)
    wanted = np.abs(spectra(others)).mean(0)
    assert amplitudes(others).numpy() == pytest.approx(wanted[..., : width // 2 + 1], rel=1e-4, abs=1e-4)
    before, after = spectra(images), spectra(with_amplitudes(images, amplitudes(others)))
    assert np.abs(after) == pytest.approx(np.broadcast_to(wanted, after.shape), rel=1e-3, abs=1e-3)
    strong = np.abs(before) > 1e-3
    assert np.angle(after / np.where(strong, before, 1))[strong] == pytest.approx(0, abs=1e-2)


def test_a_frequency_that_is_not_there_stays_away() -> None:
    flat = torch.full((1, 1, 8, 8), 0.5)
    assert with_amplitudes(flat, amplitudes(pictures(8, 8)[:, :1])).std() < 1e-3


@pytest.mark.parametrize(("height", "width"), [(32, 32), (33, 32), (24, 51)])
def test_pink_falls_as_one_over_frequency_with_the_image_s_mean_and_energy(height: int, width: int) -> None:
    images = pictures(height, width)
    spectrum = pink(images)
    pixels = with_amplitudes(images, spectrum)
    assert pixels.mean((2, 3)) == pytest.approx(images.mean((2, 3)), abs=1e-4)
    assert pixels.std((2, 3)) == pytest.approx(images.std((2, 3)), rel=1e-3)
    assert spectrum[..., 0, 2] / spectrum[..., 0, 6] == pytest.approx(3, rel=1e-4)
    assert spectrum[..., 3, 0] / spectrum[..., 0, 3] == pytest.approx(height / width, rel=1e-4)
