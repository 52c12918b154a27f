"""Lines, shading, and figure from ground."""

import numpy as np
import pytest
import torch
from skimage.filters import threshold_otsu

from hardgen.functional.lines import outline, pencil
from hardgen.functional.segment import figure, otsu


def halves(low: float, high: float, side: int = 64) -> torch.Tensor:
    return torch.where(torch.arange(side) >= side / 2, high, low).expand(1, 3, side, side).contiguous()


def test_a_step_of_the_contrast_is_drawn_black_where_it_is_and_nowhere_else() -> None:
    line = outline(halves(0.3, 0.5), sigma=2.0, contrast=0.2)[0, 0]
    assert float(line[:, 31:33].min()) > 0.7
    assert float(line[:, :24].max()) < 0.02
    assert float(line[:, 40:].max()) < 0.02
    weak = outline(halves(0.3, 0.4), sigma=2.0, contrast=0.2)[0, 0]
    assert float(weak.max()) == pytest.approx(0.25 * float(outline(halves(0.3, 0.5), 2.0, 0.2001).max()), rel=0.1)


def test_lines_lie_along_an_edge_of_any_direction() -> None:
    y, x = np.mgrid[0:101, 0:101] - 50.0
    disc = torch.from_numpy((np.hypot(y, x) < 30).astype(np.float32)).expand(1, 3, 101, 101).contiguous()
    line = outline(disc, sigma=2.0, contrast=1.0)[0, 0].numpy()
    radius = np.hypot(y, x)
    assert (line * radius).sum() / line.sum() == pytest.approx(30, abs=0.6)
    assert line[np.abs(radius - 30) < 0.3].min() > 0.5


def test_even_areas_stay_white_under_the_pencil_whatever_their_brightness() -> None:
    for value in (0.0, 0.2, 1.0):
        assert pencil(torch.full((1, 3, 32, 32), value), 3.0, 2.0) == pytest.approx(1.0, abs=1e-4)
    drawn = pencil(halves(0.2, 0.9), 3.0, 2.0)[0, 0, 32]
    assert drawn[31] < 0.5
    assert drawn[33] > 0.99


@pytest.mark.parametrize("seed", range(4))
def test_otsu_is_scikit_image_s(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.where(
        rng.random((40, 50)) < 0.2 + 0.1 * seed, rng.normal(0.3, 0.05, (40, 50)), rng.normal(0.7, 0.1, (40, 50))
    )
    levels = (values.clip(0, 1) * 255).round().astype(np.uint8)
    plane = torch.from_numpy(levels.astype(np.float32) / 255)
    assert np.array_equal((plane > otsu(plane)).numpy(), levels > threshold_otsu(levels))


@pytest.mark.parametrize("dark", [True, False])
def test_the_figure_is_the_side_that_touches_the_frame_less(dark: bool) -> None:
    y, x = np.mgrid[0:60, 0:80]
    disc = np.hypot(y - 30, x - 40) < 15
    image = np.where(disc, 0.2, 0.8) if dark else np.where(disc, 0.8, 0.2)
    found = figure(torch.from_numpy(image.astype(np.float32)).expand(1, 3, 60, 80).contiguous())
    assert (found[0, 0].numpy() != disc).mean() < 0.01
