"""Resize and crop move everything that is tied to the pixels."""

import numpy as np
import pytest

from hardgen.data.dataset import Sample
from hardgen.data.framing import Frame
from hardgen.errors import HardgenError


def scene(height: int, width: int, box: tuple[int, int, int, int]) -> Sample:
    """A white rectangle on black, its box and its mask."""
    x0, y0, x1, y1 = box
    mask = np.zeros((height, width), dtype=np.bool_)
    mask[y0:y1, x0:x1] = True
    image = np.repeat((mask * np.uint8(255))[:, :, None], 3, axis=2)
    return Sample("a.png", image, 0, np.array([box], dtype=np.float32), mask)


def extent(mask: np.ndarray) -> list[int]:
    ys, xs = np.nonzero(mask)
    return [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1]


def test_nothing_asked_nothing_changed() -> None:
    sample = scene(20, 30, (3, 4, 9, 12))
    framed = Frame()(sample)
    assert framed.image is sample.image
    np.testing.assert_array_equal(framed.boxes, sample.boxes)


@pytest.mark.parametrize(("height", "width"), [(60, 100), (100, 60), (64, 64)])
def test_boxes_and_masks_stay_on_the_object(height: int, width: int) -> None:
    framed = Frame(resize=32, crop=28)(scene(height, width, (24, 26, 40, 36)))
    assert framed.image.shape == (28, 28, 3)
    assert framed.mask is not None
    assert framed.boxes is not None
    seen = extent(framed.image[:, :, 0] > 127)
    np.testing.assert_allclose(framed.boxes[0], seen, atol=1)
    np.testing.assert_allclose(extent(framed.mask), seen, atol=1)


def test_the_short_side_is_resized_and_the_shape_kept() -> None:
    assert Frame(resize=32)(scene(50, 100, (1, 1, 5, 5))).image.shape == (32, 64, 3)
    assert Frame(resize=32)(scene(100, 50, (1, 1, 5, 5))).image.shape == (64, 32, 3)


def test_crop_is_central_and_exact() -> None:
    framed = Frame(crop=10)(scene(20, 30, (10, 5, 20, 15)))
    assert (framed.image == 255).all()
    np.testing.assert_array_equal(framed.boxes, [[0, 0, 10, 10]])


def test_boxes_are_cut_at_the_edge_and_lost_outside() -> None:
    half = Frame(crop=10)(scene(20, 20, (0, 8, 10, 12))).boxes
    np.testing.assert_array_equal(half, [[0, 3, 5, 7]])
    gone = Frame(crop=10)(scene(20, 20, (0, 0, 4, 4))).boxes
    assert gone is not None
    assert gone.shape == (0, 4)


def test_downsizing_is_antialiased() -> None:
    stripes = np.tile(np.array([0, 255], dtype=np.uint8), (64, 32))
    small = Frame(resize=8)(Sample("a", np.repeat(stripes[:, :, None], 3, 2), 0)).image[2:-2, 2:-2]
    assert np.abs(small.astype(int) - 127).max() <= 8


@pytest.mark.parametrize(
    ("resize", "crop", "words"), [(0, None, "data.resize"), (None, -1, "data.crop"), (20, 30, "data.resize=20")]
)
def test_impossible_sizes_are_named(resize: int | None, crop: int | None, words: str) -> None:
    with pytest.raises(HardgenError, match=words):
        Frame(resize, crop)


def test_a_crop_is_never_padded() -> None:
    with pytest.raises(HardgenError, match=r"'a.png' is 30 x 20 pixels, smaller than data.crop=24"):
        Frame(crop=24)(scene(20, 30, (1, 1, 5, 5)))
