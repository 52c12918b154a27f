"""Sharp filters against scipy's cosine transform and the known overshoot at an edge."""

import numpy as np
import pytest
import torch
from scipy.fft import dctn, idctn

from hardgen.functional.cosines import cosines, sharp_low_pass


@pytest.mark.parametrize("size", [(24, 24), (17, 40)])
def test_the_filter_is_a_circle_in_the_cosine_transform(size: tuple[int, int]) -> None:
    images = torch.rand(2, 3, *size, generator=torch.Generator().manual_seed(1))
    cycles = [np.arange(n) / 2 * min(size) / n for n in size]
    far = np.hypot(cycles[0][:, None], cycles[1][None, :])
    for cutoff in (0.3, 3.75, 9.0, 40.0):
        gain = np.clip((cutoff - far) * 2, 0, 1)
        gain[0, 0] = 1
        wanted = idctn(dctn(images.numpy(), axes=(2, 3)) * gain, axes=(2, 3))
        assert np.abs(sharp_low_pass(images, cutoff).numpy() - wanted).max() < 1e-5
        half = sharp_low_pass(images, cutoff, 0.5).numpy()
        assert np.abs(half - (images.numpy() + wanted) / 2).max() < 1e-5


def test_cosines_are_orthonormal() -> None:
    assert torch.allclose(cosines(9) @ cosines(9).T, torch.eye(9), atol=1e-6)


def test_an_edge_overshoots_by_nine_percent() -> None:
    edge = (torch.arange(512) >= 256).float().expand(1, 1, 512, 512).contiguous()
    low = sharp_low_pass(edge, 20.0)[0, 0, 0]
    assert float(low.max()) == pytest.approx(1.0895, abs=0.01)
    assert float(low.min()) == pytest.approx(-0.0895, abs=0.01)
    ripples = low[256:384] - 1
    crossings = int(((ripples[1:] > 0) != (ripples[:-1] > 0)).sum())
    assert crossings == pytest.approx(2 * 20.0 / 4, abs=1)  # half a cycle of the cutoff each, on a quarter of the image
