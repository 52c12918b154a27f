"""Film looks, colour maps, lost blocks, interlacing, mosaics and fringes against plain formulas."""

import cv2
import numpy as np
import pytest
import torch

import hardgen.perturbations  # noqa: F401  (fills the registry)
from hardgen.pipeline import build
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch
from hardgen.testing.samples import GREY

BATCH = sample_batch(56, 84)


def made(name: str, **fields: float):
    return build(name, fields)(BATCH, SampleRng(0, "s", BATCH.ids))


def pixels(images: torch.Tensor, i: int) -> np.ndarray:
    return images[i].permute(1, 2, 0).double().numpy()


def test_bleach_bypass_is_an_overlay_of_luma() -> None:
    image = pixels(BATCH.images, 0)
    luma = (image @ [0.299, 0.587, 0.114])[..., None]
    expected = np.where(luma < 0.5, 2 * luma * image, 1 - 2 * (1 - luma) * (1 - image)).clip(0, 1)
    np.testing.assert_allclose(pixels(made("bleach_bypass", blend=1.0).batch.images, 0), expected, atol=1e-5)


def test_two_colours_are_left_of_three() -> None:
    images = made("technicolor", blend=1.0).batch.images
    torch.testing.assert_close(images[:, 1], images[:, 2])
    torch.testing.assert_close(images[:, 0], BATCH.images[:, 0])
    torch.testing.assert_close(images[GREY], BATCH.images[GREY])


def test_pseudocolour_is_opencvs_map() -> None:
    image = pixels(BATCH.images, 1)
    luma = (image @ [0.299, 0.587, 0.114] * 255).round().astype(np.uint8)
    expected = cv2.applyColorMap(luma, cv2.COLORMAP_TURBO)[..., ::-1] / 255
    off = np.abs(pixels(made("pseudocolour", blend=1.0).batch.images, 1) - expected).max(-1)
    assert (off < 1e-3).mean() > 0.995  # a luma half way between two bytes may round either way
    torch.testing.assert_close(made("pseudocolour", blend=1.0).batch.images[GREY], BATCH.images[GREY])


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.8])
def test_blocks_are_lost_exactly(fraction: float) -> None:
    outcome = made("block_loss", fraction=fraction)
    np.testing.assert_allclose(outcome.doses["covered"], fraction, atol=0.5 / (56 * 84))
    changed = (outcome.batch.images != BATCH.images).any(1).float().mean((1, 2))
    assert bool((changed <= fraction + 1e-3).all())


@pytest.mark.parametrize("displacement", [3 / 56, 3.5 / 56])
def test_every_second_line_moves(displacement: float) -> None:
    images = made("interlace", displacement=displacement).batch.images
    assert torch.equal(images[:, :, ::2], BATCH.images[:, :, ::2])
    way = displacement * 56
    for moved, line in zip(images[:, :, 1::2], BATCH.images[:, :, 1::2], strict=True):
        sides = []
        for sign in (1, -1):
            whole = int(way)
            shifted = line.roll(sign * whole, 2).lerp(line.roll(sign * (whole + 1), 2), way - whole)
            sides.append(float((moved - shifted).abs().max()))
        assert min(sides) < 1e-5


def test_a_mosaic_cell_holds_four_samples() -> None:
    images = made("bayer", blend=1.0, cell=8 / 56).batch.images
    red, green, blue = (images[:, c].unfold(1, 8, 8).unfold(2, 8, 8)[:, :, :10] for c in range(3))
    for channel, spread in ((red, 0.0), (blue, 0.0)):
        assert float((channel.amax((3, 4)) - channel.amin((3, 4))).max()) == spread
    assert float((green[..., :4, :] - green[..., :1, :1]).abs().max()) == 0.0
    assert float(green.amax((3, 4)).sub(green.amin((3, 4))).max()) > 0.0


@pytest.mark.parametrize("depth", [0.3, 1.0])
def test_fringes_take_at_most_their_depth_of_light(depth: float) -> None:
    share = made("moire", depth=depth, fringes=20.0).batch.images / BATCH.images.clamp(min=1e-3)
    share = share[:6][BATCH.images[:6] > 0.05]
    assert float(share.min()) == pytest.approx(1 - depth, abs=0.02)
    assert float(share.max()) == pytest.approx(1.0, abs=0.02)
    assert float(share.mean()) == pytest.approx(1 - depth / 2, abs=0.03)


def test_red_and_blue_are_magnified_about_the_middle_and_green_stays() -> None:
    made_images = made("chromatic_aberration", displacement=0.05).batch.images
    assert torch.equal(made_images[:, 1], BATCH.images[:, 1])
    height, width = 56, 84
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    for image, clean in list(zip(made_images, BATCH.images, strict=True))[:4]:
        off = []
        for sign in (1, -1):
            for channel, side in ((0, -1), (2, 1)):
                scale = 1 + side * sign * 0.1
                at = [(v - (n - 1) / 2) * scale + (n - 1) / 2 for v, n in ((x, width), (y, height))]
                expected = cv2.remap(
                    clean[channel].numpy(), at[0], at[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
                )
                off.append(np.abs(image[channel].numpy() - expected).max())
        assert min(max(off[:2]), max(off[2:])) < 1e-4
    assert torch.equal(made_images[GREY], BATCH.images[GREY])
