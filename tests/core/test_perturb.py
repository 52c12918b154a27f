"""`hardgen.perturb`: forms of images, and mistakes."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import hardgen
from hardgen.errors import HardgenError
from hardgen.perturbations.occlusion.shapes import Rectangle

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
        (np.full((4, 4, 3), np.nan), r"must lie in \[0, 1\]; got values that are no numbers \(NaN\)$"),
        (np.full((4, 4, 3), np.inf), r"must lie in \[0, 1\]; got values from inf to inf$"),
        (torch.zeros(3, 4, 4).to(torch.float8_e4m3fn), "must be uint8, or float"),
        (torch.zeros(3, 4, 4).to_sparse(), "must be a plain tensor"),
        (torch.zeros(3, 4, 4, device="meta"), "must be a plain tensor"),
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
        ("gaussian_blur", {"hardnes": 0.1}, "has no field 'hardnes'; did you mean 'hardness'"),
        (None, {}, "perturbation must be a registered name or a perturbation; got None"),
        (3, {"sigma": 1}, "perturbation must be a registered name or a perturbation; got 3"),
        (Rectangle, {"hardness": 0.5}, "perturbation must be a registered name .* got <class"),
        ("gaussian_noise", {"sigma": 0.1, "seed": "a"}, "seed must be a whole number, .*; got 'a'"),
        ("gaussian_noise", {"sigma": 0.1, "seed": 1.0}, "seed must be a whole number, .*; got 1.0"),
        ("gaussian_noise", {"sigma": 0.1, "seed": True}, "seed must be a whole number, .*; got True"),
        (
            "gaussian_noise",
            {"sigma": 0.1, "seed": 1 << 63},
            r"seed must be .* less than 9\.2e\+18 in size; got 92233720",
        ),
        (
            "gaussian_noise",
            {"sigma": 0.1, "seed": 10**5000},
            "seed must be .*; got a whole number of about 5000 digits",
        ),
        ("gaussian_noise", {"sigma": 0.1, "slot": 3}, "slots must be texts that name perturbations; got 3: Gauss"),
        ("watermark", {"opacity": 0.5, "text": "w" * 101}, "watermark.text must be at most 100 characters"),
        ("x" * 5000, {}, "unknown perturbation 'x{78}…; choose from"),
        ("gaussian_blur", {"sigma": 3}, r"must be in \[0, 0\.1\] of the short side; got 3"),
        ("rectangle", {"fraction": 0.5, "fill": "nois"}, "did you mean 'noise'"),
        ("rectangle", {"fraction": 0.5, "target": "object"}, "boxes or masks"),
    ],
)
def test_mistakes_name_the_nearest(name: Any, fields: dict[str, Any], message: str) -> None:
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
        ({"labels": [1, 2]}, r"one of each per id \(1\); got 2 labels"),
        ({"ids": ["a", "b"]}, r"one of each per id \(2\); got 1 images"),
        ({"ids": "a"}, "ids must be a list of texts; got 'a'"),
        ({"ids": 3}, "ids must be a list of texts; got 3"),
        (
            {"labels": ["cat"]},
            "labels must be a list of whole numbers from 0, or -1 where unknown; got 'cat' at place 0",
        ),
        ({"labels": [None]}, "labels must be a list of whole numbers"),
        ({"labels": [1.5]}, "labels must be a list of whole numbers"),
        ({"labels": [True]}, "labels must be a list of whole numbers .*; got True at place 0"),
        ({"labels": np.array([True])}, "labels must be a list of whole numbers"),
        ({"labels": [-2]}, "labels must be a list of whole numbers from 0"),
        ({"labels": [10**400]}, "labels must be a list of whole numbers"),
        ({"ids": [b"a"]}, "ids must be a list of texts; got b'a' at place 0"),
        ({"ids": {"a"}}, "ids must be a list of texts; got {'a'}"),
        ({"ids": [None]}, "ids must be a list of texts; got None at place 0"),
        ({"classes": "cat"}, "classes must be a list of texts; got 'cat'"),
        ({"boxes": ["a"]}, r"boxes must be n x 4 finite numbers for each image \(x0, .*; got 'a' at place 0"),
        ({"masks": "a"}, r"masks must be bool of shape \(1, 1, 8, 8\); got 'a'"),
        ({"donors": torch.zeros(2, 3, 8, 8)}, "donors must be a hardgen.Donors; got Tensor"),
    ],
)
def test_what_is_said_of_an_image_must_fit_it(known: dict[str, Any], message: str) -> None:
    with pytest.raises(HardgenError, match=message):
        hardgen.perturb(np.zeros((8, 8, 3), np.uint8), "rectangle", fraction=0.5, **known)


IMAGE = torch.zeros(1, 3, 8, 8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: hardgen.Batch(IMAGE.numpy(), ("a",)), "images must be a tensor, B x C x H x W float32; got ndarray"),
        (lambda: hardgen.Batch(IMAGE, "a"), "ids must be a list of texts; got 'a'"),
        (lambda: hardgen.Batch(IMAGE, ("a",), labels=3), "labels must be a list of whole numbers .*; got 3"),
        (lambda: hardgen.Batch(IMAGE, ("a",), boxes=3), "boxes must be n x 4 .*; got 3"),
        (lambda: hardgen.Batch(IMAGE, ("a",), boxes=([[1, 2, 3]],)), r"n x 4 .*; got \[\[1, 2, 3\]\] at place 0"),
        (lambda: hardgen.Batch(IMAGE, ("a",), masks=3), "masks must be bool of shape .*; got 3"),
        (lambda: hardgen.Batch(IMAGE, ("a",), donors=IMAGE), "donors must be a hardgen.Donors; got Tensor"),
        (lambda: hardgen.Donors(IMAGE.byte(), (0,)), r"donors must be .* float32 .*; got torch.uint8 \(1, 3, 8, 8\)"),
        (lambda: hardgen.Donors(IMAGE[0], (0,)), r"donors must be D x C x h x w .*; got torch.float32 \(3, 8, 8\)"),
        (lambda: hardgen.Batch(IMAGE.to_sparse(), ("a",)), "images must be a plain tensor"),
        (lambda: hardgen.Batch(IMAGE, ("a",), boxes=(torch.zeros(1, 4).to_sparse(),)), "boxes must be n x 4"),
        (lambda: hardgen.Batch(IMAGE, ("a",), boxes=(torch.zeros(1, 4, device="meta"),)), "boxes must be n x 4"),
        (lambda: hardgen.Batch(IMAGE, ("a",), masks=IMAGE[:, :1].to("meta")), "masks must be bool"),
        (lambda: hardgen.Batch(IMAGE, ("a",), torch.zeros(1, device="meta")), "labels must be a list"),
        (lambda: hardgen.Batch(IMAGE, np.array("a")), "ids must be a list of texts"),
        (lambda: hardgen.Donors(IMAGE[:0], ()), r"donors must be .*; got torch.float32 \(0, 3, 8, 8\)"),
        (lambda: hardgen.Donors(IMAGE.to("meta"), (0,)), "donors must be D x C x h x w"),
        (lambda: hardgen.Donors(3, (0,)), "donors must be .*; got 3"),
        (lambda: hardgen.Donors(IMAGE, ()), "donors need a label .* for each of the 1; got 0 labels, 0 ids"),
        (lambda: hardgen.Donors(IMAGE, None), "donors: labels must be a list of whole numbers .*; got None"),
        (lambda: hardgen.Donors(IMAGE, (0,), 3), "donors: ids must be a list of texts; got 3"),
        (lambda: hardgen.Donors(IMAGE, (0,), np.array(["a", "b"])), "for each of the 1; got 1 labels, 2 ids"),
    ],
)
def test_a_batch_says_what_it_takes(make: Callable[[], object], message: str) -> None:
    with pytest.raises(HardgenError, match=message):
        make()


def test_images_without_boxes_are_taken_and_all_of_them_named_where_boxes_are_needed() -> None:
    images = np.zeros((5, 8, 8, 3), np.uint8)
    hardgen.perturb(images, "rectangle", fraction=0.5, boxes=[[]] * 5)
    with pytest.raises(HardgenError, match=r"samples '0', '1', '2' and 2 more: none$"):
        hardgen.perturb(images, "rectangle", fraction=0.5, boxes=[[]] * 5, target="object")


def test_a_whole_number_of_any_kind_is_the_same_seed_and_gradients_are_left_behind() -> None:
    images = torch.rand(1, 3, 8, 8)
    one = hardgen.perturb(images, "gaussian_noise", sigma=0.1, seed=1)
    two = hardgen.perturb(images.clone().requires_grad_(), "gaussian_noise", sigma=0.1, seed=np.int64(1))
    assert torch.equal(one, two)
    for sigma in (0, 0.1):
        assert not hardgen.perturb(images.clone().requires_grad_(), "gaussian_blur", sigma=sigma).requires_grad


@pytest.mark.parametrize("make", [list, np.array, torch.tensor])
def test_lists_and_arrays_do_for_all_that_is_known(make: Callable[[Any], Any]) -> None:
    mask, box = np.zeros((1, 1, 8, 8), int), [[1, 2, 3, 4]]
    mask[..., 2:6, 2:6] = 1
    given: Any = (IMAGE, make([7]), make([3.0]), [make(box)], make(mask.tolist()))
    batch = hardgen.Batch(*given, classes=np.array(["a", "b"]))  # type: ignore[arg-type]
    assert (batch.ids, batch.labels, batch.classes) == (("7",), (3,), ("a", "b"))
    assert type(batch.labels[0]) is int
    assert batch.boxes is not None
    assert torch.equal(batch.boxes[0], torch.tensor(box).float())
    assert batch.masks is not None
    assert batch.masks.dtype == torch.bool
    assert np.array_equal(batch.masks, mask)
    donors = hardgen.Donors(IMAGE, make([3]), make([7]))
    assert (donors.labels, donors.ids) == ((3,), ("7",))


@pytest.mark.parametrize(
    "box",
    [
        [4, 2, 1, 6],
        [1, 6, 4, 2],
        [math.nan, 0, 1, 1],
        [0, 0, math.inf, 1],
        [-math.inf, 0, 1, 1],
        [0, 0, 1e300, 1],
        [0, 0, 10**400, 1],
        ["0", "0", "1", "1"],
        [False, False, True, True],
    ],
)
def test_a_box_has_finite_corners_in_order(box: list[Any]) -> None:
    words = "boxes must be n x 4 finite numbers .* x0 <= x1 and y0 <= y1; got .* at place 1$"
    good, images = [[0, 0, 0, 0], [-3.0, 1.0, 1e6, 1.0]], torch.zeros(2, 3, 8, 8)
    with pytest.raises(HardgenError, match=words):
        hardgen.Batch(images, ("a", "b"), boxes=[good, [box]])  # type: ignore[arg-type]
    with pytest.raises(HardgenError, match=words):
        hardgen.perturb(images, "rectangle", fraction=0.5, boxes=[good, [box]])


def test_what_is_known_is_looked_at_once() -> None:
    batch = hardgen.Batch(IMAGE, ["a"], [3], classes=["x"])  # type: ignore[arg-type]
    again = batch.replace(IMAGE)
    assert all(getattr(again, name) is getattr(batch, name) for name in ("ids", "labels", "classes"))
    with pytest.raises(HardgenError, match=r"labels must be a list of whole numbers .*; got 'a' at place 0"):
        hardgen.Batch(IMAGE, batch.ids, batch.ids)  # type: ignore[arg-type]


def test_lists_and_arrays_do_for_boxes_masks_and_labels() -> None:
    image, mask = np.zeros((8, 8, 3), np.uint8), np.zeros((1, 1, 8, 8), np.uint8)
    mask[..., 2:6, 2:6] = 1
    fields = {"fraction": 0.5, "target": "object", "labels": np.array([3])}
    by_box = hardgen.perturb(image, "rectangle", boxes=[[[2, 2, 6, 6]]], **fields)
    by_mask = hardgen.perturb(image, "rectangle", masks=mask, **fields)
    assert np.array_equal(by_box, by_mask)
    assert (by_box > 0).any(-1).sum() == 8
