"""Weather: exact covers, nested layers, transmission by the formula, known light."""

import dataclasses
import itertools
import math
from functools import partial
from typing import cast

import cv2
import numpy as np
import pytest
import torch

from hardgen.batch import Batch
from hardgen.functional.sheets import NONE, Grid
from hardgen.knobs import Setting
from hardgen.perturbation import Perturbation
from hardgen.perturbations.weather.air import Depth, Fog, Haze, Smoke, Underwater
from hardgen.perturbations.weather.coating import Coating
from hardgen.perturbations.weather.falling import Falling, Rain, Snow
from hardgen.perturbations.weather.glass import Condensation, Droplets, Frost
from hardgen.perturbations.weather.lens import Dirt, Mud, Spatter
from hardgen.perturbations.weather.light import InverseSparkles, Sparkles
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch

COATINGS = (Frost, Condensation, Dirt)
SHEETS = (Mud, Spatter, Rain, Snow)


def flat(value: float, size: int = 96, channels: int = 3) -> Batch:
    images = torch.full((3, channels, size, size), value).contiguous(memory_format=torch.channels_last)
    return Batch(images, ("a", "b", "c"))


def after(perturbation: Perturbation, batch: Batch) -> torch.Tensor:
    return perturbation(batch, SampleRng(3, "s", batch.ids)).batch.images


def changed(cls: type[Perturbation], fraction: float, batch: Batch) -> torch.Tensor:
    coating = Rain(fraction, veil=0.0) if cls is Rain else cls(fraction)  # type: ignore[call-arg]
    return (after(coating, batch) != batch.images).any(1)


@pytest.mark.parametrize("cls", COATINGS)
@pytest.mark.parametrize(("height", "width"), [(96, 96), (60, 150)])
def test_a_coating_changes_the_share_of_pixels_that_it_says(cls: type[Coating], height: int, width: int) -> None:
    black = Batch(torch.zeros(2, 3, height, width), ("a", "b"))
    shares = changed(cls, 0.3, black).float().mean((1, 2))
    assert bool(((shares > 0.29) & (shares <= 0.301)).all())
    doses = cls(0.3)(black, SampleRng(3, "s", black.ids)).doses
    assert doses["covered"].tolist() == pytest.approx([0.3, 0.3], abs=1e-3)


@pytest.mark.parametrize("cls", [*SHEETS, Droplets])
@pytest.mark.parametrize("fraction", [0.02, 0.4])
def test_what_is_scattered_covers_the_share_that_it_says(cls: type[Coating], fraction: float) -> None:
    white = Batch(torch.ones(2, 3, 96, 150), ("a", "b"))
    doses = cls(fraction)(white, SampleRng(3, "s", white.ids)).doses
    assert doses["covered"].tolist() == pytest.approx(
        [fraction, fraction], abs=1e-4 if cls.name == "droplets" else 6e-3
    )


def test_streaks_without_a_veil_take_the_scene_40_to_90_percent_of_the_way_to_the_sky_s_light() -> None:
    seen = after(Rain(0.2, veil=0.0), flat(0.0, 200))[:, 2] / 0.89
    assert float(seen.mean()) == pytest.approx(0.2 * 0.65, rel=0.1)
    assert 0.7 < float(seen.max()) <= 0.9


@pytest.mark.parametrize("cls", [*COATINGS, *SHEETS, Droplets])
def test_more_of_a_coating_keeps_all_that_less_of_it_covers(cls: type[Perturbation]) -> None:
    batch = flat(0.0)
    less, more = changed(cls, 0.1, batch), changed(cls, 0.35, batch)
    assert bool(less.any())
    assert not bool((less & ~more).any())


@pytest.mark.parametrize("cls", [*COATINGS, *SHEETS, Droplets])
def test_the_object_s_share_is_reported_where_the_object_is_known(cls: type[Coating]) -> None:
    batch = sample_batch()
    rng = SampleRng(3, "s", batch.ids)
    assert batch.masks is not None
    everywhere = dataclasses.replace(batch, masks=torch.ones_like(batch.masks))
    doses = cls(0.3)(everywhere, rng).doses
    assert torch.allclose(doses["target_covered"], doses["covered"])


def test_fog_keeps_the_contrast_that_it_reports() -> None:
    dark, light = flat(0.2), flat(0.6)
    kept = (after(Fog(0.3), light) - after(Fog(0.3), dark)).mean((1, 2, 3)) / 0.4
    doses = Fog(0.3)(dark, SampleRng(3, "s", dark.ids)).doses
    assert torch.allclose(kept, doses["transmission"], atol=1e-5)


def test_fog_without_patches_is_koschmieder_s_law() -> None:
    seen = after(Fog(0.3, patchiness=0.0, airlight=0.9), flat(0.2))
    assert torch.allclose(seen, torch.full_like(seen, 0.2 * 0.3 + 0.9 * 0.7), atol=1e-6)


def test_haze_is_even_in_uniform_depth_and_thins_out_toward_the_camera_on_a_plane() -> None:
    even = after(Haze(2.0, depth=Depth.uniform), flat(0.1))
    assert float(even.std((2, 3)).max()) < 1e-6
    rows = after(Haze(2.0), flat(0.1))[0, 1].mean(1)
    assert bool((rows.diff() <= 1e-7).all())
    assert float(rows[0] - rows[-1]) > 0.2


def test_smoke_takes_its_own_brightness_and_leaves_gaps() -> None:
    seen = after(Smoke(8.0, brightness=0.2), flat(0.9))
    assert float(seen.min()) == pytest.approx(0.2, abs=1e-3)
    assert float(seen.max()) == pytest.approx(0.9)


def test_water_takes_red_first() -> None:
    red, green, blue = after(
        Underwater(math.exp(-5 * 0.35)), Batch(torch.eye(3)[:, :, None, None] * 0.9, ("r", "g", "b"))
    )[:, :, 0, 0]
    clear = torch.tensor([0.04, 0.32, 0.38])
    for seen, channel, rate in ((red, 0, 0.35), (green, 1, 0.10), (blue, 2, 0.12)):
        t = math.exp(-5 * rate)
        assert float(seen[channel]) == pytest.approx(0.9 * t + float(clear[channel]) * (1 - t), abs=1e-5)


@pytest.mark.parametrize(("cls", "colour"), [(Mud, (0.34, 0.23, 0.13)), (Dirt, (0.46, 0.41, 0.34))])
def test_grey_images_get_the_brightness_of_brown(cls: type[Coating], colour: tuple[float, float, float]) -> None:
    single, grey = flat(0.0, channels=1), flat(0.0)
    seen = after(cls(0.7), single)
    assert torch.allclose(seen.expand(-1, 3, -1, -1), after(cls(0.7), grey), atol=1e-6)
    luma = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]
    # Dirt hides 0.85 of the scene where it has lain for long; mud is mottled about its colour.
    seen, strength = (seen.quantile(0.95), 0.85) if cls is Dirt else (seen[seen > 0].median(), 1.0)
    assert float(seen) == pytest.approx(luma * strength, rel=0.1)


def test_stars_come_one_by_one_and_only_brighten() -> None:
    batch = flat(0.3)
    one, five = after(Sparkles(1), batch), after(Sparkles(5), batch)
    assert bool((one >= batch.images - 1e-6).all())
    assert bool((five >= one - 1e-6).all())
    assert float(five.max()) == 1.0


def test_inverse_sparkles_leave_the_middle_of_the_star_and_bleach_the_rest() -> None:
    seen = after(InverseSparkles(2.6), flat(0.3))
    assert float(seen.min()) == pytest.approx(0.3, abs=1e-6)
    assert float(seen.amax((1, 2, 3)).min()) > 0.9


def test_a_drop_shows_the_same_alone_and_in_company_bit_for_bit() -> None:
    drops, generator = Droplets(0.5, view=2.0), torch.Generator().manual_seed(0)
    for height, width in ((64, 64), (24, 31), (17, 33)) * 5:
        images = torch.rand(3, 3, height, width, generator=generator)
        together = after(drops, Batch(images, ("a", "b", "c")))
        assert all(torch.equal(after(drops, Batch(images[i : i + 1], ("abc"[i],)))[0], together[i]) for i in range(3))


def declared(cls: type[Falling], name: str) -> Setting:
    return next(cast(Setting, f.metadata["setting"]) for f in dataclasses.fields(cls) if f.name == name)


ENDS = [
    (cls, dict(zip(settings, values, strict=True)))
    for cls, settings in ((Snow, ("size",)), (Rain, ("length", "width")))
    for values in itertools.product(*((f.low, f.high) for f in map(partial(declared, cls), settings)))
]


@pytest.mark.parametrize(("cls", "settings"), ENDS)
def test_at_the_ends_of_their_settings_things_cover_the_hardest_fraction_without_a_veil(
    cls: type[Falling], settings: dict[str, float]
) -> None:
    made = cls(1e-3, **settings)  # type: ignore[call-arg]
    for side in (16, 64):
        size = Grid.of(side, side).size
        for lean in {made.lean(k / 12)[0] for k in range(12)}:
            things = (made.sheet(size, lean) != NONE).astype(np.float64)
            sums = cv2.integral(things)
            n = size.side
            covered = (sums[n:, n:] - sums[:-n, n:] - sums[n:, :-n] + sums[:-n, :-n]) / n**2
            assert covered.min() > cls.knobs()["fraction"].hardest
