"""Single steps of ImageNet-C against plain implementations."""

import numpy as np
import pytest
import torch
from skimage import color

from hardgen.functional.imagenet_c import blurs, tone, weather
from hardgen.functional.levels import to_grid, truncate
from hardgen.functional.noise import strike
from hardgen.testing import sample_batch


def test_copying_pixel_by_pixel_is_what_the_chains_lead_to() -> None:
    height, width, reach, rounds = 13, 17, 2, 3
    draws = torch.rand(2, 3, height, width, generator=torch.Generator().manual_seed(0))
    found = blurs.taken_from(draws, reach, rounds)
    for b in range(2):
        image = np.arange(height * width).reshape(height, width)
        for number in range(rounds):
            for h in range(height - reach, reach, -1):
                for w in range(width - reach, reach, -1):
                    choice = int(draws[b, number, h, w] * (2 * reach) ** 2)
                    image[h, w] = image[h + choice // (2 * reach) - reach, w + choice % (2 * reach) - reach]
        assert (found[b].reshape(height, width).numpy() == image).all()


@pytest.mark.parametrize(("centred", "least", "most"), [(True, 0.0, 0.6), (False, 2.0, 12.0)])
def test_only_the_published_trail_moves_a_point(centred: bool, least: float, most: float) -> None:
    image = torch.zeros(1, 3, 65, 65)
    image[:, :, 32, 32] = 1
    made = blurs.drag(image, [blurs.trail(10, 5, 30.0, centred)])[0, 0]
    y, x = torch.meshgrid(torch.arange(65.0), torch.arange(65.0), indexing="ij")
    way = float(torch.hypot((made * x).sum() - 32, (made * y).sum() - 32))
    assert float(made.sum()) == pytest.approx(1.0, abs=1e-5)
    assert least <= way <= most


def test_the_copies_of_a_trail_are_the_same_by_torch_and_opencv() -> None:
    images = sample_batch(40, 56).images
    trails = [blurs.trail(6, 3, 20.0 * i - 45, False) for i in range(len(images))]
    by_torch = torch.stack([blurs._drag_torch(x, t) for x, t in zip(images, trails, strict=True)])
    torch.testing.assert_close(blurs.drag(images, trails), by_torch, atol=1e-5, rtol=0)


def test_large_disks_by_fourier_transform_are_opencvs() -> None:
    import cv2

    images, kernel = sample_batch(50, 60).images, blurs.disk(8, 0.5)
    for image, made in zip(images, blurs.defocus(images, kernel), strict=True):
        expected = cv2.filter2D(image.permute(1, 2, 0).numpy(), -1, kernel, borderType=cv2.BORDER_REFLECT_101)
        np.testing.assert_allclose(made.permute(1, 2, 0).numpy(), expected, atol=1e-4)


def test_value_and_saturation_are_scikit_images() -> None:
    images = sample_batch().images[:5].clone()
    images[0, :, :4] = 0.0
    images[1, :, :4] = 0.4
    rgb = images.permute(0, 2, 3, 1).double().numpy()
    hsv = color.rgb2hsv(rgb)
    raised, fuller = hsv.copy(), hsv.copy()
    raised[..., 2] = (raised[..., 2] + 0.3).clip(0, 1)
    fuller[..., 1] = (fuller[..., 1] * 2 + 0.1).clip(0, 1)
    for made, expected in (
        (tone.add_value(images, 0.3), raised),
        (tone.scale_saturation(images, 2.0, 0.1), fuller),
    ):
        np.testing.assert_allclose(made.permute(0, 2, 3, 1), color.hsv2rgb(expected), atol=1e-5)


@pytest.mark.parametrize(("size", "side"), [((1, 1), 2), ((32, 32), 32), ((33, 20), 64), ((224, 224), 256)])
def test_the_fogs_map_holds_the_image(size, side) -> None:
    assert weather.map_side(*size) == side


def test_the_fogs_map_is_midpoint_displacement() -> None:
    rng = np.random.default_rng(0)
    steps = [rng.random((3, n, n), dtype=np.float32) for n in (1, 2, 4)]
    found = weather.plasma([tuple(torch.from_numpy(s)[:, None]) for s in steps], 2.0)[0]
    heights, size, step = np.zeros((8, 8)), 8, 1.0
    for level in steps:
        half = size // 2
        corners = heights[::size, ::size]
        centre = (corners + np.roll(corners, -1, 0) + np.roll(corners, -1, 1) + np.roll(corners, (-1, -1), (0, 1))) / 4
        centre = centre + (level[0] * 2 - 1) * step
        upper = (centre + np.roll(centre, 1, 0) + corners + np.roll(corners, -1, 1)) / 4 + (level[1] * 2 - 1) * step
        left = (centre + np.roll(centre, 1, 1) + corners + np.roll(corners, -1, 0)) / 4 + (level[2] * 2 - 1) * step
        heights[half::size, half::size], heights[::size, half::size], heights[half::size, ::size] = centre, upper, left
        size, step = half, step / 4
    np.testing.assert_allclose(found, (heights - heights.min()) / np.ptp(heights), atol=1e-5)


def test_truncation_is_a_cast_to_bytes() -> None:
    images = torch.rand(2, 3, 30, 40, generator=torch.Generator().manual_seed(0)) * 1.4 - 0.2
    expected = (images.clamp(0, 1).double() * 255 + 1e-3).floor() / 255
    torch.testing.assert_close(truncate(images).double(), expected, atol=1e-6, rtol=0)
    grid = to_grid(images.clamp(0, 1))
    assert torch.equal(truncate(grid), grid)


def test_impulses_strike_the_lowest_and_the_highest_draws() -> None:
    images, draws = sample_batch(20, 30).images, torch.rand(7, 3, 20, 30, generator=torch.Generator().manual_seed(0))
    made = strike(images, draws, 0.2)
    expected = torch.where(draws < 0.2, 0.0, torch.where(draws >= 0.8, 1.0, images))
    assert torch.equal(made, expected)
    whole = strike(images, draws[:, :1], 0.2)
    assert torch.equal(whole == 0.0, (draws[:, :1] < 0.2).expand_as(whole) | (images == 0) & (draws[:, :1] < 0.8))
