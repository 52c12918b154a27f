"""PyTorch datasets of every shape and range come out right, or are refused by name."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import IterableDataset, Subset, TensorDataset

from hardgen.data.dataset import UnreadableImage
from hardgen.data.digits import Digits
from hardgen.data.loading import load
from hardgen.data.pixels import to_uint8
from hardgen.data.torchvision import Torchvision
from hardgen.data.wrapped import wrap
from hardgen.errors import HardgenError

PIXELS = np.random.default_rng(0).integers(0, 256, (6, 7, 3), dtype=np.uint8)
TENSOR = torch.from_numpy(PIXELS).permute(2, 0, 1)


@pytest.mark.parametrize(
    "image",
    [
        Image.fromarray(PIXELS),
        PIXELS,
        TENSOR,
        TENSOR.float() / 255,
        TENSOR.double() / 255,
        PIXELS.astype(np.float64) / 255,
        PIXELS.transpose(2, 0, 1),
        TENSOR.permute(1, 2, 0),
        PIXELS.astype(np.uint16) * 257,
        torch.from_numpy(PIXELS.astype(np.uint16) * 257).permute(2, 0, 1),
    ],
    ids=lambda image: f"{type(image).__name__}-{getattr(image, 'dtype', '')}",
)
def test_all_forms_of_one_image_agree(image: Any) -> None:
    np.testing.assert_array_equal(to_uint8(image, "x"), PIXELS)


@pytest.mark.parametrize("image", [PIXELS[:, :, 0], PIXELS[:, :, :1], TENSOR[:1], TENSOR[0]])
def test_grey_gets_three_equal_channels(image: Any) -> None:
    np.testing.assert_array_equal(to_uint8(image, "x"), np.repeat(PIXELS[:, :, :1], 3, 2))


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (TENSOR.float(), "must lie in .0, 1.*divide by 255"),
        ((TENSOR.float() / 255 - 0.5) / 0.2, "normalisation"),
        (TENSOR.float() / 255 * torch.nan, "must lie in"),
        (TENSOR.long(), "int64"),
        (TENSOR.int(), "int32"),
        (TENSOR > 100, "bool"),
        (torch.zeros(2, 5, 5), "shape"),
        (torch.zeros(1, 3, 5, 5), "shape"),
        (torch.zeros(3, 0, 5), "shape|channels"),
        ("x.png", "str"),
        (Image.new("F", (3, 3)), "mode F"),
    ],
)
def test_other_ranges_and_shapes_are_refused(image: Any, words: str) -> None:
    with pytest.raises(HardgenError, match=words) as caught:
        to_uint8(image, "mine[3]")
    assert "mine[3]" in str(caught.value)


class Items:
    """A dataset from a list; a string item is a broken file."""

    def __init__(self, items: list[Any], **attributes: Any) -> None:
        self.items = items
        self.__dict__.update(attributes)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Any:
        if isinstance(self.items[index], str):
            raise OSError("image file is truncated\nand more")
        return self.items[index]


def many(n: int) -> list[Any]:
    rng = np.random.default_rng(1)
    return [(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8), i % 3) for i in range(n)]


def test_pairs() -> None:
    data = wrap(Items(many(7)))
    assert data.classes == ("0", "1", "2")
    assert data.labels() == [0, 1, 2, 0, 1, 2, 0]
    assert len(set(data.ids())) == 7
    assert data.ids()[4].startswith("000004-")
    assert data.ids() == [data[i].id for i in range(7)]
    assert data.fingerprint() == wrap(Items(many(7))).fingerprint()
    changed = many(7)
    changed[2][0][0, 0, 0] ^= 1
    other = wrap(Items(changed))
    assert other.fingerprint() != data.fingerprint()
    assert [a == b for a, b in zip(other.ids(), data.ids(), strict=True)] == [True, True, False, *[True] * 4]


def test_ids_do_not_depend_on_the_frame() -> None:
    assert wrap(Items(many(4)), resize=4).ids() == wrap(Items(many(4))).ids()


def test_mappings_with_boxes_and_masks() -> None:
    mask = torch.zeros(1, 6, 7)
    mask[0, 1:3, 2:5] = 1
    item = {"image": TENSOR, "label": torch.tensor(1), "boxes": [[2, 1, 5, 3]], "mask": mask}
    sample = wrap(Items([item], classes=["a", "b"]), crop=4)[0]
    assert sample.boxes is not None
    assert sample.mask is not None
    np.testing.assert_array_equal(sample.boxes, [[1, 0, 4, 2]])
    np.testing.assert_array_equal(np.nonzero(sample.mask)[1], [1, 2, 3, 1, 2, 3])
    assert sample.label == 1


def test_names_come_from_the_dataset_and_below() -> None:
    assert wrap(Subset(Items(many(9), classes=["a", "b", "c"]), [4, 2])).classes == ("a", "b", "c")
    data = wrap(Subset(Items(many(9), classes=["a", "b", "c"]), [4, 2]))
    assert data.labels() == [1, 2]


def test_limit_workers_and_broken_items() -> None:
    items = many(30)
    items[4] = "broken"
    data = wrap(Items(items))
    assert data.labels()[4] == -1
    alone, two = list(load(data, range(30), 0)), list(load(data, range(30), 2))
    assert getattr(alone[4], "reason", None) == "image file is truncated"
    assert [getattr(r, "id", "") for r in alone] == [getattr(r, "id", "") for r in two]
    few = wrap(Items(items), limit=6)
    assert sorted(few.labels()) == [0, 0, 1, 1, 2, 2]
    assert [few[i].id for i in range(6)] == few.ids()


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ((PIXELS,), "image, label"),
        (PIXELS, "image, label"),
        ((PIXELS, "cat"), "label"),
        ((PIXELS, -1), "label"),
        ((PIXELS, 5), "0 to 1"),
        ((PIXELS, np.array([0, 1])), "label"),
        ((PIXELS, True), "label must be a whole number from 0 to 1; got True"),
        ((PIXELS, 0.7), "label must be a whole number from 0 to 1; got 0.7"),
        ({"image": PIXELS, "label": 0, "boxes": [[3, 0, 1, 2]]}, "boxes must be n x 4 .* x0 <= x1"),
        ({"image": PIXELS, "label": 0, "boxes": [["a", 0, 1, 2]]}, "boxes must be n x 4"),
        ({"image": PIXELS, "label": 0, "boxes": np.full((1, 4), np.nan)}, "boxes must be n x 4 finite"),
        ({"image": PIXELS, "label": 0, "mask": "a"}, r"mask must be bool of shape \(6, 7\); got 'a'"),
        ({"image": PIXELS}, "label is missing"),
        ({"image": PIXELS, "label": 0, "boxes": [1, 2, 3]}, "boxes must be n x 4"),
        ({"image": PIXELS, "label": 0, "mask": np.ones((3, 3))}, r"mask must be bool of shape \(6, 7\)"),
    ],
)
def test_bad_items_are_named(item: Any, words: str) -> None:
    with pytest.raises(HardgenError, match=words) as caught:
        wrap(Items([item], classes=["a", "b"]), name="mine").labels()
    assert "mine[0]" in str(caught.value)


def test_only_map_style_datasets() -> None:
    class Stream(IterableDataset):
        def __iter__(self) -> Iterator[int]:
            return iter(())

    with pytest.raises(HardgenError, match="len"):
        wrap(Stream())
    with pytest.raises(HardgenError, match="empty"):
        wrap(TensorDataset(torch.zeros(0, 3, 4, 4), torch.zeros(0)))


def test_own_datasets_come_back_unless_two_samples_have_one_id() -> None:
    data = Digits(limit=10).build()
    assert wrap(data) is data
    ids = data.ids()
    data.ids = lambda: [*ids[:9], ids[0]]  # type: ignore[method-assign]
    with pytest.raises(HardgenError, match=f"an id of its own; it gives sample '{ids[0]}' more than once"):
        wrap(data)


def test_the_mask_of_an_image_of_one_row_is_taken() -> None:
    item = {"image": PIXELS[:1], "label": 0, "mask": torch.arange(7)[None, None] > 3}
    mask = wrap(Items([item]))[0].mask
    assert mask is not None
    assert mask.tolist() == [[False] * 4 + [True] * 3]


def test_torchvision_by_name(tmp_path: Any) -> None:
    with pytest.raises(HardgenError, match=r"data\.name.*did you mean 'CIFAR10'"):
        Torchvision("CIFAR11", str(tmp_path)).build()
    with pytest.raises(HardgenError, match=r"data\.download=true") as caught:
        Torchvision("CIFAR10", str(tmp_path)).build()
    assert "\n" not in str(caught.value)
    with pytest.raises(HardgenError, match=r"data\.split.*'val'"):
        Torchvision("MNIST", str(tmp_path), split="val").build()
    data = Torchvision("FakeData", str(tmp_path), resize=16, crop=16, limit=20).build()
    assert data.name == "FakeData"
    assert data[0].image.shape == (16, 16, 3)


def test_an_item_that_raises_anything_is_one_unreadable_image() -> None:
    class Moody:
        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
            if index == 1:
                raise KeyError("no such row")
            return np.full((4, 4, 3), index, np.uint8), 0

    dataset = wrap(Moody())
    assert dataset.labels() == [0, -1, 0]
    with pytest.raises(UnreadableImage, match="no such row"):
        dataset[1]
