"""Labels and outputs must speak of the same classes."""

import numpy as np
import pytest
import torch
from torch import Tensor

from hardgen.data.wrapped import wrap
from hardgen.errors import HardgenError
from hardgen.models.callable import wrap_callable
from hardgen.models.check import check_labels
from hardgen.models.model import Model, TorchModel


def dataset(labels: list[int], classes: list[str] | None) -> object:
    images = np.random.default_rng(0).integers(0, 256, (len(labels), 4, 4, 3), dtype=np.uint8)
    return wrap(Items([(image, label) for image, label in zip(images, labels, strict=True)]), "data", classes)


class Items(list):
    pass


def model(classes: list[str] | None, outputs: int | None = None) -> Model:
    return TorchModel("m", torch.nn.Identity(), torch.nn.Identity(), "", classes, outputs)


def test_the_same_names_need_no_mapping() -> None:
    assert check_labels(model(["cat", "dog"]), dataset([0, 1], ["Cat", "dog "])) is None


def test_names_in_another_order_are_mapped() -> None:
    assert check_labels(model(["dog", "cat", "snow_leopard"]), dataset([0, 1], ["cat", "snow leopard"])) == [1, 2]


def test_synonyms() -> None:
    found = check_labels(model(["goldfish", "tench"]), dataset([0, 1], ["tench, Tinca tinca", "goldfish, Carassius"]))
    assert found == [1, 0]


def test_a_name_that_is_missing() -> None:
    with pytest.raises(HardgenError, match=r"class 'cow' is none of the 2 classes of model 'm'"):
        check_labels(model(["cat", "dog"]), dataset([0, 1], ["cat", "cow"]))
    with pytest.raises(HardgenError, match="'cow'"):
        check_labels(model(["cat", "dog"]), dataset([0, 2], ["cow", "pig", "hen"]))


def test_other_vocabularies_of_one_length_go_by_order() -> None:
    assert check_labels(model(["tench", "goldfish"]), dataset([0, 1], ["n01440764", "n01443537"])) is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (["0", "1", "2"], ["cat", "dog", "cow"]),
        (["cat", "dog", "cow"], None),
        (["crane", "x", "crane"], ["a", "b", "c"]),
    ],
)
def test_numbers_and_doubled_names_are_no_names(ours: list[str], theirs: list[str] | None) -> None:
    assert check_labels(model(theirs, 3), dataset([0, 1, 2], ours)) is None


def test_labels_beyond_the_outputs() -> None:
    with pytest.raises(HardgenError, match=r"label 2 \('cow'\) is none of the 2 outputs of model 'm'"):
        check_labels(model(None, 2), dataset([0, 2], ["cat", "dog", "cow"]))
    assert check_labels(model(None, 1000), dataset([0, 2], ["cat", "dog", "cow"])) is None


def test_the_number_of_outputs_is_asked_for() -> None:
    def two(images: Tensor) -> Tensor:
        return images.mean((2, 3))[:, :2]

    with pytest.raises(HardgenError, match="label 2"):
        check_labels(wrap_callable(two, "m"), dataset([0, 2], None))
    assert check_labels(wrap_callable(two, "m"), dataset([0, 1], None)) is None


def test_numbers_on_both_sides_go_by_value() -> None:
    numbered = model([str(i) for i in range(10)])
    assert check_labels(numbered, dataset([0, 1], ["2", "7"])) == [2, 7]
    assert check_labels(numbered, dataset([0, 1], ["cat", "dog"])) is None
    assert check_labels(model(None, 10), dataset([0, 1], ["2", "7"])) is None
