"""Fourier spectra of images: phases shifted, amplitudes exchanged."""

import functools
import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

FAINT = 2e-5
"""Amplitude, over the square root of the number of pixels, below which a phase is rounding noise."""


def shift_phases(images: Tensor, noise: Tensor, degrees: float) -> Tensor:
    """Adds noise to the phase of every spatial frequency; amplitudes stay.

    Opposite frequencies get opposite shifts, so that the image stays real. The mean and, on even sides, the row and the
    column of the highest frequency keep their phase: they have no opposite.

    Args:
        images: B x C x H x W float32.
        noise: B x `frequencies(H, W)` float32 in [-1, 1), by rising frequency; the channels share it.
        degrees: What a noise of 1 shifts a phase by.

    Returns:
        The same shape, channels_last; values may leave [0, 1].
    """
    height, width = images.shape[-2:]
    ranks, signs = (torch.from_numpy(part).to(images.device) for part in _half_plane(height, width))
    out = torch.empty_like(images, memory_format=torch.channels_last)
    for i in _parts(images):
        angles = noise[i][:, ranks].mul_(signs).mul_(math.radians(degrees))[:, None]
        turn = torch.complex(angles.cos(), angles.sin())
        out[i] = torch.fft.irfft2(torch.fft.rfft2(images[i].contiguous()).mul_(turn), s=(height, width))
    return out


def frequencies(height: int, width: int) -> int:
    """How many pairs of opposite spatial frequencies an image has, at least 1."""
    return max(int(_half_plane(height, width)[0].max()) + 1, 1)


@functools.lru_cache(maxsize=16)
def _half_plane(height: int, width: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """For each frequency of a real image's half plane, H x (W // 2 + 1): its place by rising frequency, and its sign.

    Frequencies are counted in square rings round 0, each in the same order, so that the first n places are the same
    frequencies at every image size. The sign is 0 where a frequency is its own opposite and -1 for the second of
    a pair.
    """
    y = np.fft.fftfreq(height, 1 / height).round().astype(np.int64)[:, None]
    x = np.arange(width // 2 + 1)[None, :]
    y, x = np.broadcast_arrays(y, x)
    signs = np.where((x == 0) & (y < 0), -1.0, 1.0)
    highest = (2 * np.abs(y) == height) | (2 * x == width)
    signs[highest | ((x == 0) & (y == 0))] = 0.0
    own_y, own_x = np.where(signs < 0, -y, y).ravel(), x.ravel()
    ring = np.maximum(np.abs(own_y), own_x)
    counted = np.flatnonzero(signs.ravel() > 0)
    order = counted[np.lexsort((own_x[counted], own_y[counted], ring[counted]))]
    places = np.zeros((height, width // 2 + 1), dtype=np.int64)
    places.ravel()[order] = np.arange(len(order))
    second = signs < 0
    places[second] = places[-y[second], 0]
    return places, signs.astype(np.float32)


def amplitudes(images: Tensor) -> Tensor:
    """The mean amplitudes of several images, C x H x (W // 2 + 1) float32, of the transform as NumPy scales it."""
    total = torch.zeros(images.shape[1], images.shape[2], images.shape[3] // 2 + 1, device=images.device)
    for image in images:
        total += torch.fft.rfft2(image.contiguous()).abs()
    return total / len(images)


def with_amplitudes(images: Tensor, spectrum: Tensor) -> Tensor:
    """Gives every image the amplitudes of a spectrum and lets it keep its phases.

    Args:
        images: B x C x H x W float32.
        spectrum: C x H x (W // 2 + 1), or with a leading B: amplitudes as of `amplitudes`.

    Returns:
        The same shape, channels_last; values may leave [0, 1]. A frequency that an image does not have has no phase to
        keep: it stays away.
    """
    height, width = images.shape[-2:]
    faint = FAINT * math.sqrt(height * width)
    spectra = spectrum.expand(len(images), -1, -1, -1)
    out = torch.empty_like(images, memory_format=torch.channels_last)
    for i in _parts(images):
        own = torch.fft.rfft2(images[i].contiguous())
        gain = spectra[i] / (torch.view_as_real(own).square().sum(-1) + faint**2).sqrt_()
        out[i] = torch.fft.irfft2(own.mul_(gain), s=(height, width))
    return out


def pink(images: Tensor) -> Tensor:
    """Amplitudes that fall as 1 / frequency, with each image's and channel's own mean and energy.

    Returns:
        B x C x H x (W // 2 + 1) float32, as of `amplitudes`.
    """
    height, width = images.shape[-2:]
    y = torch.fft.fftfreq(height, 1 / height, device=images.device)[:, None] / height
    x = torch.arange(width // 2 + 1, device=images.device)[None, :] / width
    fall = (y.square() + x.square()).sqrt_()
    fall[0, 0] = 1.0
    fall.reciprocal_()
    fall[0, 0] = 0.0
    twice = torch.full((width // 2 + 1,), 2.0, device=images.device)
    twice[0] = 1.0
    if width % 2 == 0:
        twice[-1] = 1.0
    energy = (images.square().mean((2, 3)) - images.mean((2, 3)).square()).clamp_(min=0.0) * (height * width) ** 2
    scale = (energy / (fall.square() * twice).sum().clamp_(min=1e-12)).sqrt_()
    spectrum: Tensor = scale[:, :, None, None] * fall
    spectrum[:, :, 0, 0] = images.sum((2, 3))
    return spectrum


def _parts(images: Tensor) -> list[slice]:
    """One image at a time on the CPU: its pixels then do not depend on the batch by so much as a rounding."""
    step = 1 if images.device.type == "cpu" else len(images)
    return [slice(i, i + step) for i in range(0, len(images), step)]
