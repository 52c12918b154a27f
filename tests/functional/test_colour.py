"""Colour matrices by hand, and the two ways to multiply by them."""

import pytest
import torch

from hardgen.functional import colour, tone
from hardgen.perturbations.colour.blindness import MATRICES

IMAGES = torch.rand(3, 3, 17, 33, generator=torch.Generator().manual_seed(1))


def test_opencv_and_torch_mix_alike() -> None:
    matrices = torch.randn(3, 3, 3, generator=torch.Generator().manual_seed(2))
    assert float((colour.mix_opencv(IMAGES, matrices) - colour.mix_torch(IMAGES, matrices)).abs().max()) < 1e-5


def test_the_grey_matrix_is_luma() -> None:
    grey = colour.mix(IMAGES, colour.toward(colour.grey_matrix(), 1.0).expand(3, 3, 3).contiguous())
    assert float((grey - tone.luminance(IMAGES)).abs().max()) < 1e-6


@pytest.mark.parametrize("degrees", [10.0, 90.0, 180.0])
def test_turned_hues_keep_luma_and_turn_back(degrees: float) -> None:
    there = colour.mix(IMAGES, colour.hue_matrix(torch.full((3,), degrees)))
    assert float((tone.luminance(there) - tone.luminance(IMAGES)).abs().max()) < 1e-5
    back = colour.mix(there, colour.hue_matrix(torch.full((3,), -degrees)))
    assert float((back - IMAGES).abs().max()) < 1e-4
    assert float((there - IMAGES).abs().max()) > 0.05


def test_a_stop_of_gain_doubles_light_by_the_power_law() -> None:
    gains = colour.gain_matrix(torch.tensor([[1.0, 0.0, -1.0]])).diagonal(dim1=1, dim2=2)
    assert gains.pow(2.2).flatten().tolist() == pytest.approx([2.0, 1.0, 0.5], rel=1e-5)


def test_planckian_stops_are_those_of_plancks_law() -> None:
    def planck(micrometres: float, kelvin: float) -> float:
        return 1 / float(torch.tensor(14388.0 / micrometres / kelvin, dtype=torch.float64).expm1())

    # 200 mired (5000 K) to 300 mired (3333 K); Wien's approximation is within 1% there.
    change = [planck(w, 1e6 / 300) / planck(w, 1e6 / 200) for w in colour.WAVELENGTHS]
    stops = colour.planckian_stops(torch.tensor([100.0]))[0]
    assert torch.exp2(stops).tolist() == pytest.approx([c / change[1] for c in change], rel=0.01)


def test_colour_blindness_keeps_greys() -> None:
    for matrix in MATRICES.values():
        assert torch.tensor(matrix).sum(1).tolist() == pytest.approx([1.0] * 3, abs=1e-5)
