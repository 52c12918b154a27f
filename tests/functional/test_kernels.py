"""Kernels: sum, symmetry, exact size."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hardgen.functional import kernels

EXAMPLES = settings(max_examples=40, deadline=None, derandomize=True, database=None)
SIZES = st.floats(0.01, 40.0)


def moments(kernel: NDArray[np.float32]) -> tuple[float, float, float, float]:
    """Mean x, mean y, variance along x, variance along y, in pixels from the centre pixel."""
    weights = kernel.astype(np.float64)
    at = np.arange(len(kernel)) - len(kernel) // 2
    across, down = weights.sum(0), weights.sum(1)
    return float(across @ at), float(down @ at), float(across @ at**2), float(down @ at**2)


@EXAMPLES
@given(SIZES, st.floats(0.0, 180.0))
def test_every_kernel_sums_to_one_and_moves_nothing(size: float, angle: float) -> None:
    for kernel in (kernels.line(size, angle), kernels.disk(size), np.outer(*[kernels.gaussian(size / 4)] * 2)):
        assert kernel.shape[0] == kernel.shape[1]
        assert len(kernel) % 2 == 1
        assert np.array_equal(kernel, kernel[::-1, ::-1])
        assert kernel.sum(dtype=np.float64) == pytest.approx(1.0, abs=1e-5)
        assert kernel.min() >= 0
        assert moments(kernel)[:2] == pytest.approx((0.0, 0.0), abs=1e-5)


@EXAMPLES
@given(st.floats(0.5, 30.0), st.integers(3, 12), st.floats(0.0, 360.0))
def test_a_polygon_has_its_area_and_stays(radius: float, blades: int, angle: float) -> None:
    kernel = kernels.polygon(radius, blades, angle)
    assert len(kernel) % 2 == 1
    assert kernel.sum(dtype=np.float64) == pytest.approx(1.0, abs=1e-5)
    assert moments(kernel)[:2] == pytest.approx((0.0, 0.0), abs=0.01 * radius + 0.01)
    if radius > 6:
        assert 1 / kernel.max() == pytest.approx(np.pi * radius**2, rel=0.05)


@EXAMPLES
@given(st.integers(0, 2**31), st.floats(0.01, 30.0))
def test_a_path_is_centred_on_its_mean(seed: int, size: float) -> None:
    across, down = np.random.default_rng(seed).standard_normal((2, 40)).cumsum(1) * size / 10
    kernel = kernels.path(across, down)
    assert len(kernel) % 2 == 1
    assert kernel.sum(dtype=np.float64) == pytest.approx(1.0, abs=1e-5)
    assert moments(kernel)[:2] == pytest.approx((0.0, 0.0), abs=1e-4 * max(size, 1))
    assert moments(kernel)[2] >= across.var() - 1e-3


@pytest.mark.parametrize("width", [0.4, 1.0, 1.5, 2.0, 3.0, 4.7, 9.0])
def test_a_box_has_its_width(width: float) -> None:
    kernel = kernels.box(width)
    assert kernel.sum() == pytest.approx(1.0)
    assert 1 / kernel.max() == pytest.approx(max(width, 1.0))
    if width == int(width) and int(width) % 2:
        assert np.allclose(kernel, 1 / width)
        assert len(kernel) == width


@EXAMPLES
@given(st.floats(2.0, 40.0), st.floats(0.0, 180.0))
def test_a_line_has_its_length_and_direction(length: float, angle: float) -> None:
    _, _, across, down = moments(kernels.line(length, angle))
    # A uniform line has variance length^2 / 12; sharing points out among 2 x 2 pixels adds at most 1/4 along each axis.
    cos2 = np.cos(np.radians(angle)) ** 2
    assert 0 <= across - length**2 / 12 * cos2 + 1e-3 * length**2 <= 0.25 + 2e-3 * length**2
    assert 0 <= down - length**2 / 12 * (1 - cos2) + 1e-3 * length**2 <= 0.25 + 2e-3 * length**2


def test_a_line_turns_counter_clockwise() -> None:
    rising = kernels.line(9.0, 45.0)
    half = len(rising) // 2
    assert rising[half - 2, half + 2] > 0.05
    assert rising[half + 2, half + 2] == 0.0


@EXAMPLES
@given(st.floats(1.0, 40.0))
def test_a_disk_has_its_radius(radius: float) -> None:
    kernel = kernels.disk(radius)
    _, _, across, down = moments(kernel)
    assert across == pytest.approx(down, rel=1e-5)
    assert 0 <= across - radius**2 / 4 + 0.02 * radius**2 <= 0.25 + 0.04 * radius**2
    assert np.allclose(kernel, kernel.T, atol=1e-7)


@pytest.mark.parametrize("size", [0.01, 0.1, 0.5, 0.9])
def test_less_than_a_pixel_still_blurs(size: float) -> None:
    for kernel in (kernels.line(size, 30.0), kernels.disk(size)):
        assert kernel[len(kernel) // 2, len(kernel) // 2] < 1.0


def test_kernels_grow_smoothly() -> None:
    for make in (lambda s: kernels.line(s, 20.0), kernels.disk):
        sharpness = [make(s).max() for s in np.arange(0.1, 12.0, 0.3)]
        assert all(a >= b - 1e-4 for a, b in itertools.pairwise(sharpness))


def test_kernels_are_shared_and_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        kernels.gaussian(2.0)[0] = 1.0
