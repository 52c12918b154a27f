"""Images that can be read at one time and not at another: a run is always of one set of images, and says which."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from polars.testing import assert_frame_equal

import hardgen
from hardgen.data.dataset import Sample, UnreadableImage
from hardgen.data.digits import Digits
from hardgen.errors import HardgenError
from hardgen.generate import generate
from hardgen.models.digits_cnn import DigitsCnn
from hardgen.pipeline import Pipeline, build
from hardgen.sweeps.axes import read_axes
from hardgen.sweeps.plan import plan
from hardgen.sweeps.settings import Settings
from hardgen.variant_files import Format


class Flaky:
    """A data set of digits, some of which cannot be read for now."""

    def __init__(self, broken: set[int], count: int = 12, resized: int | None = None) -> None:
        self._digits, self.broken, self._resized = Digits(limit=count).build(), broken, resized

    name, classes = "digits", Digits(limit=1).build().classes

    def __len__(self) -> int:
        return len(self._digits)

    def __getitem__(self, index: int) -> Sample:
        sample = self._digits[index]
        if index in self.broken:
            raise UnreadableImage(sample.id, "not today")
        if self._resized is not None and index >= self._resized:
            return Sample(sample.id, np.ascontiguousarray(cv2.resize(sample.image, (9, 9))), sample.label)
        return sample

    def ids(self) -> list[str]:
        return self._digits.ids()

    def labels(self) -> list[int]:
        return self._digits.labels()

    def fingerprint(self) -> str:
        return self._digits.fingerprint()


def sweep(out: Path, broken: set[int], slots: Any = ("gaussian_blur",), **settings: Any) -> hardgen.Run:
    data = Flaky(broken)
    return hardgen.sweep(DigitsCnn().build(), data, slots, hardness=[0.5, 1.0], out=out, report=False, **settings)


MORE = ("gaussian_blur", "contrast")


@pytest.mark.parametrize(
    ("first", "second", "slots"),
    [
        ({3}, set(), MORE[:1]),
        ({3, 4}, {3}, MORE[:1]),
        ({3}, {5}, MORE[:1]),
        (set(), {3}, MORE),
        ({3}, set(), MORE),
        ({3}, {5}, MORE),
    ],
)
def test_what_can_be_read_now_is_what_a_run_is_of(
    tmp_path: Path, first: set[int], second: set[int], slots: Any
) -> None:
    sweep(tmp_path / "a", first)
    again, fresh = sweep(tmp_path / "a", second, slots), sweep(tmp_path / "b", second, slots)
    assert_frame_equal(again.samples(), fresh.samples(), check_exact=True)
    assert_frame_equal(again.doses(), fresh.doses(), check_exact=True)
    assert again.failures == fresh.failures
    assert len(again.failures) == len(second)
    assert again.manifest["done"] == fresh.manifest["done"]


def test_a_finished_run_that_skipped_images_is_refused_when_nothing_may_be_skipped(tmp_path: Path) -> None:
    sweep(tmp_path, {3})
    with pytest.raises(HardgenError, match="not today"):
        sweep(tmp_path, {3}, on_error="raise")
    assert sweep(tmp_path, set(), on_error="raise").failures == []


def test_generate_makes_what_can_be_read_now(tmp_path: Path) -> None:
    pipeline = Pipeline({"blur": build("gaussian_blur", {})})
    laid = plan(pipeline, read_axes(pipeline, None, [1.0]))

    def made(broken: set[int]) -> set[str]:
        generate(laid, Flaky(broken), Settings(), tmp_path, Format.png, 95)
        return {path.name for path in tmp_path.rglob("*.png")}

    assert len(made({3})) == 11
    assert len(made(set())) == 12
    assert len(made(set())) == 12


@pytest.mark.parametrize("how", ["resumed", "shard"])
def test_an_image_of_another_size_is_refused_wherever_a_run_begins(tmp_path: Path, how: str) -> None:
    data = Flaky(set(), count=300, resized=256)
    ask: Callable[..., Any] = hardgen.sweep
    settings: dict[str, Any] = {"hardness": [1.0], "out": tmp_path, "report": False}
    for _ in range(2):
        with pytest.raises(HardgenError, match="9 x 9"):
            ask(DigitsCnn().build(), data, ["contrast"], shard="300/300" if how == "shard" else None, **settings)
