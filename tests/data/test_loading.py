"""Order, workers, broken files, batches, donors."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from hardgen.data.dataset import Sample, UnreadableImage
from hardgen.data.digits import Digits
from hardgen.data.image_folder import ImageFolder
from hardgen.data.loading import Failure, OnError, donors, load, sample_photographs, to_batch
from hardgen.errors import HardgenError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """40 small images in two classes; one is cut short."""
    rng = np.random.default_rng(0)
    for i in range(40):
        path = tmp_path / f"class{i % 2}" / f"{i:02d}.png"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (9, 11, 3), dtype=np.uint8)).save(path)
    broken = tmp_path / "class1" / "07.png"
    broken.write_bytes(broken.read_bytes()[:60])
    return tmp_path


def rows(found: list[Sample | Failure]) -> list[tuple[str, object]]:
    return [(r.id, r.image.tobytes()) if isinstance(r, Sample) else (r.sample_id, r.reason) for r in found]


def test_workers_change_nothing(folder: Path) -> None:
    data = ImageFolder(str(folder)).build()
    order = [*range(39, -1, -1), 3]
    alone = rows(list(load(data, order, 0)))
    assert [name for name, _ in alone] == [data.ids()[i] for i in order]
    assert rows(list(load(data, order, 2))) == alone
    assert rows(list(load(data, order, 2))) == alone


def test_torch_randomness_is_left_alone(folder: Path) -> None:
    before = torch.get_rng_state()
    list(load(ImageFolder(str(folder)).build(), range(5), 1))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("workers", [0, 1])
def test_broken_files_are_named_or_raised(folder: Path, workers: int) -> None:
    data = ImageFolder(str(folder)).build()
    failures = [r for r in load(data, range(40), workers) if isinstance(r, Failure)]
    assert [f.sample_id for f in failures] == ["class1/07.png"]
    with pytest.raises(UnreadableImage, match=r"class1/07\.png") as caught:
        list(load(data, range(40), workers, OnError["raise"]))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("workers", [0, 1])
def test_images_of_two_sizes_are_refused(folder: Path, workers: int) -> None:
    Image.new("RGB", (20, 9)).save(folder / "class1" / "99.png")
    with pytest.raises(HardgenError, match=r"class1/99.png' is 20 x 9; set data.resize and data.crop|20 x 9") as caught:
        list(load(ImageFolder(str(folder)).build(), range(41), workers))
    assert "data.crop" in str(caught.value)
    with pytest.raises(HardgenError, match=r"data\.crop=10") as caught:
        list(load(ImageFolder(str(folder), crop=10).build(), range(41), workers))
    assert "\n" not in str(caught.value)
    assert len(list(load(ImageFolder(str(folder), crop=8).build(), range(41), workers))) == 41


def test_batch_holds_the_pixels() -> None:
    data = Digits(limit=10).build()
    samples = [data[i] for i in range(10)]
    batch = to_batch(samples, data.classes)
    assert batch.images.shape == (10, 3, 64, 64)
    assert batch.images.is_contiguous(memory_format=torch.channels_last)
    np.testing.assert_array_equal((batch.images * 255).round().permute(0, 2, 3, 1).numpy(), [s.image for s in samples])
    assert batch.ids == tuple(data.ids())
    assert batch.labels == tuple(data.labels())
    assert batch.boxes is not None
    np.testing.assert_array_equal(batch.boxes[3].numpy(), samples[3].boxes)
    assert bool(batch.grey.all())
    with pytest.raises(HardgenError, match="at least one"):
        to_batch([])


def test_batch_with_some_masks_and_boxes() -> None:
    image, mask = np.zeros((4, 5, 3), dtype=np.uint8), np.ones((4, 5), dtype=np.bool_)
    boxes = np.array([[0, 0, 2, 2]], dtype=np.float32)
    batch = to_batch([Sample("a", image, 0, boxes, mask), Sample("b", image, 1)])
    assert batch.masks is not None
    assert batch.boxes is not None
    assert batch.masks.flatten(1).sum(1).tolist() == [20, 0]
    assert [len(b) for b in batch.boxes] == [1, 0]


class Reversed:
    """The same samples the other way round."""

    name, classes = "reversed", ("class0", "class1")

    def __init__(self, data: object) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> Sample:
        return self.data[len(self) - 1 - index]

    def ids(self) -> list[str]:
        return self.data.ids()[::-1]


def test_donors_are_fixed_by_the_seed_not_by_the_order(folder: Path) -> None:
    data = ImageFolder(str(folder)).build()
    pool = donors(data, seed=3, count=8)
    assert pool.images.shape == (8, 3, 9, 11)
    assert donors(Reversed(data), seed=3, count=8).ids == pool.ids
    assert donors(data, seed=4, count=8).ids != pool.ids
    everyone = donors(data, seed=3, count=100)
    assert len(everyone.ids) == 39
    assert "class1/07.png" not in everyone.ids
    assert everyone.ids[:8] == pool.ids
    assert all(data.labels()[data.ids().index(i)] == label for i, label in zip(pool.ids, pool.labels, strict=True))


def test_donors_with_boxes_show_the_object() -> None:
    data = Digits().build()
    pool = donors(data, seed=0, count=20)
    assert pool.images.shape == (20, 3, 64, 64)
    for image, name in zip(pool.images, pool.ids, strict=True):
        whole = torch.from_numpy(data[data.ids().index(name)].image)[:, :, 0] / 255
        assert (image[0] > 0.4).float().mean() > 2 * (whole > 0.4).float().mean()


def test_photographs_stand_in() -> None:
    pool = sample_photographs()
    assert pool.images.ndim == 4
    assert set(pool.labels) == {-1}
    assert 0 <= float(pool.images.min()) < float(pool.images.max()) <= 1
    assert float(pool.images.flatten(1).std(1).min()) > 0.02
