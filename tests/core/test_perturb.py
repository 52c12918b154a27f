"""`hardgen.perturb`: forms of images, and mistakes."""

from typing import Any

import numpy as np
import pytest
import torch

import hardgen
from hardgen.errors import HardgenError

RNG = np.random.default_rng(0)
PIXELS = RNG.integers(0, 256, (2, 12, 16, 3), dtype=np.uint8)
FORMS: dict[str, Any] = {
    "B x H x W x C uint8": PIXELS,
    "H x W x C uint8": PIXELS[0],
    "H x W uint8": PIXELS[0, :, :, 0],
    "H x W x 1 uint8": PIXELS[0, :, :, :1],
    "B x C x H x W uint8 tensor": torch.from_numpy(PIXELS).permute(0, 3, 1, 2),
    "C x H x W float tensor": torch.from_numpy(PIXELS[0]).permute(2, 0, 1) / 255,
    "float64 array": PIXELS / 255,
    "float16 tensor": (torch.from_numpy(PIXELS).permute(0, 3, 1, 2) / 255).half(),
    "read-only array": np.frombuffer(PIXELS.tobytes(), np.uint8).reshape(PIXELS.shape),
}


@pytest.mark.parametrize("images", FORMS.values(), ids=FORMS.keys())
def test_images_come_back_in_the_form_they_came_in(images: Any) -> None:
    before = images.clone() if isinstance(images, torch.Tensor) else images.copy()
    out = hardgen.perturb(images, "gaussian_noise", sigma=0.1)
    assert type(out) is type(images)
    assert out.dtype == images.dtype
    assert out.shape == images.shape
    assert (out != images).any()
    assert (before == images).all()


@pytest.mark.parametrize("images", FORMS.values(), ids=FORMS.keys())
def test_neutral_is_a_copy_bit_for_bit(images: Any) -> None:
    out = hardgen.perturb(images, "gaussian_blur", hardness=0)
    assert (out == images).all()
    assert out is not images


def test_all_forms_get_the_same_pixels() -> None:
    eight = hardgen.perturb(PIXELS, "gaussian_noise", sigma=0.1)
    tensor = hardgen.perturb(torch.from_numpy(PIXELS).permute(0, 3, 1, 2), "gaussian_noise", sigma=0.1)
    floats = hardgen.perturb(PIXELS / 255, "gaussian_noise", sigma=0.1)
    assert np.array_equal(eight, tensor.permute(0, 2, 3, 1).numpy())
    assert np.array_equal(eight, np.rint(floats * 255).astype(np.uint8))


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (PIXELS.astype(np.float32), r"float images must lie in \[0, 1\]; got values from 0 to 255"),
        (PIXELS.astype(np.uint16) * 257, "must be uint8, or float"),
        (PIXELS.astype(np.int64), "must be uint8, or float"),
        (torch.from_numpy(PIXELS).permute(0, 3, 1, 2).int(), "must be uint8, or float"),
        (PIXELS / 255 - 0.5, r"must lie in \[0, 1\]"),
        (np.full((4, 4, 3), np.nan), r"must lie in \[0, 1\]"),
        (np.zeros((4, 4, 4), np.uint8), "with 1 or 3 channels; got shape"),
        (torch.zeros(4, 4), "a tensor must be C x H x W"),
        (np.zeros((0, 4, 4, 3), np.uint8), "got shape"),
        ([[[0]]], "must be a tensor or an array; got list"),
        (None, "must be a tensor or an array; got NoneType"),
        (PIXELS.astype(">f4"), "must be uint8, or float"),
    ],
)
def test_other_types_and_ranges_are_refused_and_never_turned_into_zeros(images: Any, message: str) -> None:
    with pytest.raises(HardgenError, match=message):
        hardgen.perturb(images, "gaussian_blur", hardness=0.5)


def test_hardness_and_value_are_two_ways_to_say_it() -> None:
    assert np.array_equal(
        hardgen.perturb(PIXELS, "gaussian_blur", hardness=0.5), hardgen.perturb(PIXELS, "gaussian_blur", sigma=0.05)
    )
    with pytest.raises(HardgenError, match="hardness or sigma, not both"):
        hardgen.perturb(PIXELS, "gaussian_blur", hardness=0.5, sigma=0.05)


def test_seed_and_ids_key_the_draws() -> None:
    first = hardgen.perturb(PIXELS, "gaussian_noise", sigma=0.1, ids=["a", "b"])
    assert np.array_equal(first, hardgen.perturb(PIXELS, "gaussian_noise", sigma=0.1, ids=["a", "b"]))
    assert np.array_equal(first[1], hardgen.perturb(PIXELS[1], "gaussian_noise", sigma=0.1, ids=["b"]))
    assert not np.array_equal(first, hardgen.perturb(PIXELS, "gaussian_noise", sigma=0.1, ids=["a", "c"]))
    assert not np.array_equal(first, hardgen.perturb(PIXELS, "gaussian_noise", sigma=0.1, ids=["a", "b"], seed=1))


def test_donors_are_two_photographs_where_none_are_given() -> None:
    image = np.full((64, 64, 3), 128, np.uint8)
    assert (hardgen.perturb(image, "clutter", count=8) != image).any()
    assert (hardgen.perturb(image, "rectangle", fraction=0.5, fill="texture") != image).any()


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        ("gausian_blur", {}, "did you mean 'gaussian_blur'"),
        ("gaussian_blur", {"sigm": 0.1}, "did you mean 'sigma'"),
        ("gaussian_blur", {"sigma": 3}, r"must be in \[0, 0\.1\] of the short side; got 3"),
        ("rectangle", {"fraction": 0.5, "fill": "nois"}, "did you mean 'noise'"),
        ("rectangle", {"fraction": 0.5, "target": "object"}, "boxes or masks"),
    ],
)
def test_mistakes_name_the_nearest(name: str, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(HardgenError, match=message):
        hardgen.perturb(PIXELS, name, **fields)


def test_object_occlusion_takes_a_box() -> None:
    image = np.zeros((32, 32, 3), np.uint8)
    box = torch.tensor([[4.0, 8.0, 20.0, 24.0]])
    out = hardgen.perturb(image, "rectangle", fraction=0.5, target="object", colour=(1, 1, 1), boxes=[box])
    assert (out[8:24, 4:20] == 255).all(-1).sum() == 128
    assert (out == 255).all(-1).sum() == 128


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"boxes": [[1, 2, 3, 4]]}, "n x 4"),
        ({"boxes": [[[1, 2, 3]]]}, "n x 4"),
        ({"masks": np.ones((1, 3, 8, 8), bool)}, "masks must be bool of shape"),
        ({"masks": np.ones((1, 1, 4, 8), bool)}, "masks must be bool of shape"),
        ({"labels": [1, 2]}, "one of each per id"),
        ({"ids": ["a", "b"]}, "one of each per id"),
    ],
)
def test_what_is_said_of_an_image_must_fit_it(known: dict[str, Any], message: str) -> None:
    with pytest.raises(HardgenError, match=message):
        hardgen.perturb(np.zeros((8, 8, 3), np.uint8), "rectangle", fraction=0.5, **known)


def test_lists_and_arrays_do_for_boxes_masks_and_labels() -> None:
    image, mask = np.zeros((8, 8, 3), np.uint8), np.zeros((1, 1, 8, 8), np.uint8)
    mask[..., 2:6, 2:6] = 1
    fields = {"fraction": 0.5, "target": "object", "labels": np.array([3])}
    by_box = hardgen.perturb(image, "rectangle", boxes=[[[2, 2, 6, 6]]], **fields)
    by_mask = hardgen.perturb(image, "rectangle", masks=mask, **fields)
    assert np.array_equal(by_box, by_mask)
    assert (by_box > 0).any(-1).sum() == 8
