"""Folders, manifests and the bundled digits: ids, labels, fingerprints, limits, mistakes."""

import collections
import os
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from hardgen.data import SOURCES
from hardgen.data.digits import Digits, Split
from hardgen.data.image_folder import ImageFolder
from hardgen.data.manifest import Manifest
from hardgen.data.subset import balanced
from hardgen.errors import HardgenError


def picture(path: Path, value: int, size: tuple[int, int] = (12, 8)) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (value, value, 0)).save(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "pets"
    for i, name in enumerate(["dog/b.png", "dog/a.PNG", "cat/x/deep.png", "cat/z.jpg"]):
        picture(root / name, i * 10)
    (root / "cat" / "notes.txt").write_text("no image")
    (root / "cat" / ".hidden.png").write_bytes(b"")
    picture(root / ".git" / "c.png", 1)
    return root


def test_folder_lists_in_order(folder: Path) -> None:
    data = ImageFolder(str(folder)).build()
    assert data.name == "pets"
    assert data.classes == ("cat", "dog")
    assert data.ids() == ["cat/x/deep.png", "cat/z.jpg", "dog/a.PNG", "dog/b.png"]
    assert data.labels() == [0, 0, 1, 1]
    assert [data[i].id for i in range(len(data))] == data.ids()
    assert data[3].image[0, 0].tolist() == [0, 0, 0]
    assert data[2].image[0, 0].tolist() == [10, 10, 0]


def test_folder_follows_links_but_not_in_circles(folder: Path, tmp_path: Path) -> None:
    picture(tmp_path / "elsewhere" / "e.png", 99)
    (folder / "cat" / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "cat" / "circle").symlink_to(folder / "cat")
    assert "cat/linked/e.png" in ImageFolder(str(folder)).build().ids()


def test_names_that_are_no_utf8_become_text_that_can_be_written(folder: Path) -> None:
    for name in (b"dog/a\xff.png", b"dog/a\xfe.png"):
        shutil.copy(folder / "dog/b.png", folder / os.fsdecode(name))
    (folder / "cat").rename(folder / os.fsdecode(b"c\xe9t"))
    data = ImageFolder(str(folder)).build()
    assert data.classes == (r"c\udce9t", "dog")
    assert data.ids()[3:5] == [r"dog/a\udcfe.png", r"dog/a\udcff.png"]
    assert data[4].image[0, 0].tolist() == data[5].image[0, 0].tolist()
    assert len(data.fingerprint()) == 32
    "".join([data.name, *data.classes, *data.ids()]).encode()


def test_fingerprint_is_of_content_not_of_place(folder: Path, tmp_path: Path) -> None:
    first = ImageFolder(str(folder)).build().fingerprint()
    moved = tmp_path / "other" / "name"
    shutil.copytree(folder, moved)
    assert ImageFolder(str(moved)).build().fingerprint() == first
    assert ImageFolder(str(moved), resize=8).build().fingerprint() != first
    data = bytearray((moved / "dog/b.png").read_bytes())
    data[-1] ^= 1
    (moved / "dog/b.png").write_bytes(bytes(data))
    assert ImageFolder(str(moved)).build().fingerprint() != first


def test_folder_mistakes_name_the_key(tmp_path: Path) -> None:
    for root, words in [("absent", "no such folder"), ("empty", "no class folders"), ("bare", "no images")]:
        (tmp_path / "bare" / "class").mkdir(parents=True, exist_ok=True)
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(HardgenError, match=rf"data\.root.*{words}"):
            ImageFolder(str(tmp_path / root)).build()


def test_limit_is_balanced_and_steady() -> None:
    labels = [i % 10 for i in range(5000)]
    chosen = balanced(labels, 64)
    assert len(chosen) == len(set(chosen)) == 64
    assert sorted(collections.Counter(labels[i] for i in chosen).values()) == [6] * 6 + [7] * 4
    assert chosen == balanced(labels, 64) == sorted(chosen)


def test_limit_takes_all_of_a_small_class() -> None:
    labels = [0] * 3 + [1] * 100 + [2] * 100
    assert collections.Counter(labels[i] for i in balanced(labels, 43)) == {0: 3, 1: 20, 2: 20}


def test_limit_spreads_over_many_classes() -> None:
    chosen = balanced(list(range(1000)), 10)
    assert np.diff(chosen).tolist() == [100] * 9
    assert balanced([0, 1], 5) == balanced([0, 1], None) == [0, 1]
    with pytest.raises(HardgenError, match=r"data\.limit.*0"):
        balanced([0, 1], 0)


def table(folder: Path, text: str) -> Manifest:
    for i in range(3):
        picture(folder / f"{i}.png", i * 20, (40, 20))
    (folder / "list.csv").write_text(text)
    return Manifest(str(folder / "list.csv"))


def test_manifest_with_numbers_and_names(tmp_path: Path) -> None:
    data = table(tmp_path, 'file,label,name\n0.png,2,"shark, white"\n1.png,0,tench\n').build()
    assert data.ids() == ["0.png", "1.png"]
    assert data.labels() == [2, 0]
    assert data.classes == ("tench", "1", "shark, white")
    assert data[0].boxes is None
    assert data[0].label == 2


def test_manifest_with_class_names(tmp_path: Path) -> None:
    data = table(tmp_path, "path,label\n0.png,dog\n1.png,cat\n2.png,dog\n").build()
    assert data.classes == ("cat", "dog")
    assert data.labels() == [1, 0, 1]


def test_manifest_states_its_classes(tmp_path: Path) -> None:
    settings = table(tmp_path, "path,label\n0.png,3\n")
    assert len(settings.build().classes) == 4
    assert len(Manifest(settings.path, n_classes=1000).build().classes) == 1000
    with pytest.raises(HardgenError, match=r"row 1: label must be less than data\.n_classes=3; got 3"):
        Manifest(settings.path, n_classes=3).build()


def test_manifest_rows_of_one_image_are_its_boxes(tmp_path: Path) -> None:
    text = "path,label,x0,y0,x1,y1\n0.png,1,0,0,10,10\n1.png,0,,,,\n0.png,1,20,10,40,20\n"
    settings = table(tmp_path, text)
    data = settings.build()
    assert len(data) == 2
    np.testing.assert_array_equal(data[0].boxes, [[0, 0, 10, 10], [20, 10, 40, 20]])
    assert data[1].boxes is not None
    assert data[1].boxes.shape == (0, 4)
    half = Manifest(settings.path, resize=10).build()[0]
    assert half.image.shape == (10, 20, 3)
    np.testing.assert_array_equal(half.boxes, [[0, 0, 5, 5], [10, 5, 20, 10]])


def test_manifest_from_parquet_equals_csv(tmp_path: Path) -> None:
    settings = table(tmp_path, "path,label,x0,y0,x1,y1\n0.png,1,0,0,10,10\n1.png,0,1,2,3,4\n")
    pl.read_csv(settings.path).write_parquet(tmp_path / "list.parquet")
    other = Manifest(str(tmp_path / "list.parquet")).build()
    assert other.fingerprint() == settings.build().fingerprint()
    assert Manifest(settings.path, root=str(tmp_path)).build().fingerprint() == other.fingerprint()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("file,lable\n0.png,1\n", "no column 'label'; did you mean 'lable'"),
        ("image,label\n0.png,1\n", "no column"),
        ("path,label\n0.png,1\n1.png,\n", "row 2: label is empty"),
        ("path,label\n0.png,1\n,2\n", "row 2: path is empty"),
        ("path,label\n0.png,1e300\n", "row 1: label must be a whole number from 0 to 999999.*; got '1e300'"),
        (f"path,label\n0.png,{10**400}\n", "row 1: label must be a whole number or a name; got '1000*…$"),
        ("path,label\n0.png,-1\n", "row 1: label must be a whole number from 0"),
        ("path,label\n0.png,1\n1.png,dog\n", "row 2: label must be a whole number from 0.*'dog'"),
        ("path,label\n0.png,1\n0.png,2\n", "row 2: '0.png' is already in row 1, with another label"),
        ("path,label\n0.png,1\n0.png,1\n", "row 2: '0.png' is already in row 1"),
        ("path,label\n0.png,1,2\n", "row 1: has 3 cells; the header has 2"),
        ("path,label,x0,y0\n0.png,1,2,3\n", "boxes need the columns x0, y0, x1, y1"),
        ("path,label,x0,y0,x1,y1\n0.png,1,5,0,5,9\n", "row 1: a box needs x0 < x1"),
        ("path,label,x0,y0,x1,y1\n0.png,1,5,0,nan,9\n", "row 1: a box needs x0 < x1"),
        ("path,label,x0,y0,x1,y1\n0.png,1,5,,7,9\n", "row 1: .*four numbers or all empty"),
        ("path,label,name\n0.png,1,a\n1.png,1,b\n", "row 2: label 1 is 'b' here and 'a' in row 1"),
        ("path,label\n", "has no rows"),
        ("", "has no rows"),
    ],
)
def test_manifest_mistakes_name_the_row(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(HardgenError, match=words):
        table(tmp_path, text).build()


def test_manifest_file_mistakes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("path,label\n")
    (tmp_path / "a.parquet").write_text("not parquet")
    for name, words in [("b.csv", "no such file"), ("a.txt", ".csv or .parquet"), ("a.parquet", "cannot read")]:
        with pytest.raises(HardgenError, match=rf"data\.path.*{words}"):
            Manifest(str(tmp_path / name)).build()


def test_digits_are_balanced_and_split_for_good() -> None:
    test, train = Digits().build(), Digits(Split.train).build()
    assert (len(test), len(train)) == (500, 1297)
    assert not set(test.ids()) & set(train.ids())
    assert set(collections.Counter(test.labels()).values()) == {50}
    assert collections.Counter(Digits(limit=30).build().labels()) == dict.fromkeys(range(10), 3)


def test_digits_boxes_hold_the_ink() -> None:
    data = Digits(limit=50).build()
    for i in range(len(data)):
        sample = data[i]
        assert sample.image.shape == (64, 64, 3)
        assert (sample.image == sample.image[:, :, :1]).all()
        assert sample.boxes is not None
        x0, y0, x1, y1 = sample.boxes[0].astype(int)
        ink = sample.image[:, :, 0] > 56
        assert ink.sum() == ink[y0:y1, x0:x1].sum() > 40
        assert ink[y0].any()
        assert ink[:, x1 - 1].any()
        assert (x1 - x0) * (y1 - y0) < 64 * 64 / 2


def test_digits_do_not_depend_on_the_limit() -> None:
    few, all_of_them = Digits(limit=20).build(), Digits().build()
    index = all_of_them.ids().index(few.ids()[7])
    np.testing.assert_array_equal(few[7].image, all_of_them[index].image)
    assert few.fingerprint() == Digits(limit=20).build().fingerprint() != all_of_them.fingerprint()


def test_every_source_builds_from_its_defaults_or_says_what_is_missing() -> None:
    assert set(SOURCES) == {"digits", "image_folder", "manifest", "torchvision"}
    for name, source in SOURCES.items():
        if name != "digits":
            with pytest.raises(HardgenError, match=r"^data\."):
                source().build()


@pytest.mark.parametrize("spelling", ["{}", "{}.0", "{}e0"])
def test_whole_labels_of_any_spelling_are_numbers(tmp_path: Path, spelling: str) -> None:
    rows = [f"{i}.png,{spelling.format(label)}" for i, label in enumerate((2, 5, 10))]
    (tmp_path / "m.csv").write_text("\n".join(["path,label", *rows]))
    assert Manifest(path=str(tmp_path / "m.csv")).build().labels() == [2, 5, 10]


@pytest.mark.parametrize("label", ["1.5", "inf", "nan", "-1"])
def test_a_number_that_is_no_label_is_refused_by_row(tmp_path: Path, label: str) -> None:
    (tmp_path / "m.csv").write_text(f"path,label\na.png,1\nb.png,{label}\n")
    with pytest.raises(HardgenError, match="row 2"):
        Manifest(path=str(tmp_path / "m.csv")).build()


def test_numbered_folders_go_by_value_and_a_link_to_the_root_is_not_followed(tmp_path: Path) -> None:
    for name in ("2", "10", "0"):
        (tmp_path / "root" / name).mkdir(parents=True)
        Image.new("RGB", (4, 4)).save(tmp_path / "root" / name / "a.png")
    (tmp_path / "root" / "10" / "loop").symlink_to(tmp_path / "root", target_is_directory=True)
    made = ImageFolder(root=str(tmp_path / "root")).build()
    assert made.classes == ("0", "2", "10")
    assert made.ids() == ["0/a.png", "2/a.png", "10/a.png"]
