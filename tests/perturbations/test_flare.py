"""Sun flare and highlights: known light, exact areas, soft edges."""

import numpy as np
import pytest
import torch

from hardgen.batch import Batch
from hardgen.functional import flare, glints
from hardgen.perturbations.contrast.flare import Highlights, SunFlare
from hardgen.rng import SampleRng


def flat(value: float, height: int = 120, width: int = 90) -> Batch:
    images = torch.full((3, 3, height, width), value).contiguous(memory_format=torch.channels_last)
    return Batch(images, ("a", "b", "c"))


def after(perturbation: SunFlare | Highlights, batch: Batch) -> torch.Tensor:
    return perturbation(batch, SampleRng(3, "s", batch.ids)).batch.images


def test_a_flare_is_one_at_its_source_and_falls_by_its_formula() -> None:
    numbers = np.full(flare.NUMBERS, 0.5, np.float32)
    numbers[:2] = 0.0  # the source lies to the right of the middle by 0.2 of the width
    numbers[2::4] = 0.9  # and all ghosts on the other side
    light = flare.flare(201, 201, numbers).transpose(1, 2, 0)
    assert light[100, 100 + 40].tolist() == pytest.approx(list(flare.SUN), abs=0.01)
    for away in (20, 60):
        d = away / 201
        halo, veil = flare.HALO_SHARE / (1 + (d / flare.HALO) ** 2), flare.VEIL_SHARE * np.exp(-d / 2)
        core = flare.CORE_SHARE * np.exp(-0.5 * (d / flare.CORE) ** 2)
        assert float(light[100 - away, 140, 0]) == pytest.approx(core + halo + veil, abs=0.01)


def test_ghosts_lie_on_the_line_through_the_middle() -> None:
    numbers = np.full(flare.NUMBERS, 0.5, np.float32)
    numbers[0] = 0.25  # straight below the middle
    numbers[2::4] = np.linspace(0.4, 0.9, flare.GHOSTS)
    light = flare.flare(201, 201, numbers).transpose(1, 2, 0)
    left, right = light[:, :100], light[:, 101:][:, ::-1]
    assert np.abs(left - right).max() < 1e-3
    ghostly = light[..., 1] - light[..., 0]  # a hue of one half is cyan
    assert set(np.flatnonzero((ghostly > 0.02).any(0)).tolist()) <= set(range(88, 113))
    assert (ghostly > 0.02).any()


def test_a_flare_only_adds_light_and_says_how_much() -> None:
    dark = flat(0.0)
    weak, strong = after(SunFlare(0.1), dark), after(SunFlare(0.2), dark)
    assert torch.allclose(strong, 2 * weak, atol=1e-6)
    doses = SunFlare(0.1)(dark, SampleRng(3, "s", dark.ids)).doses
    assert torch.allclose(doses["light"], weak.mean((1, 2, 3)), atol=1e-6)


def test_the_flare_of_one_channel_is_that_of_a_grey_image() -> None:
    single = Batch(torch.zeros(3, 1, 120, 90), ("a", "b", "c"))
    assert torch.allclose(
        after(SunFlare(0.5), single).expand(-1, 3, -1, -1), after(SunFlare(0.5), flat(0.0)), atol=1e-6
    )


@pytest.mark.parametrize("fraction", [0.05, 0.3, 0.6])
def test_highlights_brighten_the_share_that_they_say(fraction: float) -> None:
    dark = flat(0.2)
    seen = after(Highlights(fraction), dark)
    assert (seen > 0.2).any(1).float().mean((1, 2)).tolist() == pytest.approx([fraction] * 3, abs=0.01)
    doses = Highlights(fraction)(dark, SampleRng(3, "s", dark.ids)).doses
    assert doses["covered"].tolist() == pytest.approx([fraction] * 3, abs=0.01)


def test_a_highlight_has_no_edge() -> None:
    seen = after(Highlights(0.3), flat(0.0, 400, 400))
    assert float(seen.max()) == 1.0
    assert float(seen.diff(dim=2).abs().max()) < 0.25


def test_a_blotch_is_an_oval_of_its_size() -> None:
    numbers = np.zeros((glints.BLOTCHES, 5), np.float32)
    numbers[:, :2] = 9.0  # all but the first lie outside
    numbers[0] = (0.5, 0.5, 0.5, 0.5, 0.0)
    rank = glints.blotches(192, 192, numbers)
    area = np.pi * (0.06 / 0.65) ** 2
    assert float((rank < 1.0).mean()) == pytest.approx(area, rel=0.05)
    rows, columns = np.flatnonzero((rank < 1).any(1)), np.flatnonzero((rank < 1).any(0))
    assert len(columns) / len(rows) == pytest.approx(1.6, rel=0.06)
