"""Each kind of model answers log-probabilities, and says in one line what is wrong with its files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from hardgen.data.digits import Digits
from hardgen.data.loading import load, to_batch
from hardgen.errors import HardgenError
from hardgen.models import KINDS
from hardgen.models.digits_cnn import DigitsCnn
from hardgen.models.extras import need
from hardgen.models.litert import Litert
from hardgen.models.model import Outputs, as_log_probabilities
from hardgen.models.module import Module
from hardgen.models.onnx import Onnx
from hardgen.models.preprocessing import Preprocess, raw_pixels
from hardgen.models.timm import Timm
from hardgen.models.torchvision import Torchvision

FACTORY = """
import torch
from torch import nn

def tiny():
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5))

def soft():
    return nn.Sequential(tiny(), nn.Softmax(1))

def broken():
    raise ValueError("no such depth\\nmore")

def text():
    return "net"
"""


@pytest.fixture
def images() -> Tensor:
    return torch.rand(20, 3, 16, 18, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def factory(tmp_path: Path) -> Callable[[str], str]:
    (tmp_path / "net.py").write_text(FACTORY)
    return lambda name: f"{tmp_path / 'net.py'}:{name}"


def check_answers(answers: Tensor, rows: int, columns: int) -> None:
    assert answers.shape == (rows, columns)
    assert answers.dtype == torch.float32
    assert not answers.requires_grad
    torch.testing.assert_close(answers.exp().sum(1), torch.ones(rows))


def test_the_bundled_model_reads_clean_digits() -> None:
    data = Digits().build()
    batch = to_batch(list(load(data, range(len(data)))), data.classes)
    model = DigitsCnn().build()
    answers = model.log_probabilities(batch.images)
    check_answers(answers, 500, 10)
    assert (answers.argmax(1) == torch.tensor(batch.labels)).float().mean() >= 0.98
    assert model.classes == data.classes
    flat = batch.images.mean((1, 2, 3), keepdim=True).expand(-1, 3, 64, 64)
    assert (model.log_probabilities(flat).argmax(1) == torch.tensor(batch.labels)).float().mean() < 0.2


@pytest.mark.parametrize("sizes", [1, 7, 16])
def test_answers_do_not_depend_on_the_batch(sizes: int) -> None:
    data = Digits(limit=40).build()
    images = to_batch([data[i] for i in range(40)]).images
    model = DigitsCnn().build()
    whole = model.log_probabilities(images)
    parts = torch.cat([model.log_probabilities(images[i : i + sizes]) for i in range(0, 40, sizes)])
    assert torch.equal(parts, whole)
    order = torch.randperm(40, generator=torch.Generator().manual_seed(1))
    assert torch.equal(model.log_probabilities(images[order]), whole[order])


def test_module_from_a_file(factory: Callable[[str], str], images: Tensor) -> None:
    model = Module(factory("tiny")).build("tiny")
    before = torch.get_rng_state()
    again = Module(factory("tiny")).build("tiny")
    assert torch.equal(torch.get_rng_state(), before)
    check_answers(model.log_probabilities(images), 20, 5)
    assert torch.equal(model.log_probabilities(images), again.log_probabilities(images))
    assert model.fingerprint() == again.fingerprint()
    settings = [{"mean": [0.5]}, {"std": [0.1, 0.2, 0.3]}, {"resize": 8}, {"seed": 1}, {"classes": list("abcde")}]
    prints = {Module(factory("tiny"), **s).build("x").fingerprint() for s in settings}
    assert len(prints | {model.fingerprint()}) == 6


def test_module_from_a_package(images: Tensor) -> None:
    model = Module("hardgen.models.digits_cnn:DigitsNet").build("x")
    check_answers(model.log_probabilities(images), 20, 10)


def test_probabilities_are_told_from_logits(factory: Callable[[str], str], images: Tensor) -> None:
    logits = Module(factory("tiny")).build("x").log_probabilities(images)
    soft = Module(factory("soft"), outputs=Outputs.probabilities).build("x").log_probabilities(images)
    torch.testing.assert_close(soft, logits, atol=1e-5, rtol=1e-4)
    with pytest.raises(HardgenError, match=r"model\.outputs=logits"):
        Module(factory("tiny"), outputs=Outputs.probabilities).build("x").log_probabilities(images)
    torch.testing.assert_close(as_log_probabilities(logits - 3, Outputs.log_probabilities, "x"), logits)


@pytest.mark.parametrize("form", ["safetensors", "pt", "state_dict", "model", "DataParallel"])
def test_weights_in_every_form(factory: Callable[[str], str], images: Tensor, tmp_path: Path, form: str) -> None:
    source = Module(factory("tiny"), seed=7).build("x")
    state = source._module.state_dict()
    path = tmp_path / ("w.safetensors" if form == "safetensors" else "w.pth")
    if form == "safetensors":
        save_file(state, path)
    elif form == "DataParallel":
        old = {f"module.{k}": v for k, v in state.items() if "num_batches" not in k}
        torch.save({"state_dict": old, "epoch": 3}, path)
    else:
        torch.save(state if form == "pt" else {form: state}, path)
    model = Module(factory("tiny"), str(path)).build("x")
    assert torch.equal(model.log_probabilities(images), source.log_probabilities(images))
    assert model.fingerprint() == source.fingerprint()


def test_weights_that_do_not_fit(factory: Callable[[str], str], tmp_path: Path) -> None:
    state = Module(factory("tiny")).build("x")._module.state_dict()
    cases = {
        "lacks 1 of 9": {k: v for k, v in state.items() if k != "0.weight"},
        "unknown 1 of 9 entries, first extra": {**state, "extra": torch.zeros(1)},
        r"4.bias is \[6\], wanted \[5\]": {**state, "4.bias": torch.zeros(6)},
        "holds no state dict": [1, 2],
        "more than tensors": {"state_dict": Path("x")},
    }
    for words, content in cases.items():
        torch.save(content, tmp_path / "w.pt")
        with pytest.raises(HardgenError, match=rf"model\.weights.*{words}") as caught:
            Module(factory("tiny"), str(tmp_path / "w.pt")).build("x")
        assert "\n" not in str(caught.value)
    for name in ("w.pt", "w.safetensors"):
        (tmp_path / name).write_bytes(b"rubbish")
        with pytest.raises(HardgenError, match=r"model\.weights: cannot read"):
            Module(factory("tiny"), str(tmp_path / name)).build("x")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tinny", "no function 'tinny'; did you mean 'tiny'"),
        ("broken", r"broken\(\) failed: ValueError: no such depth$"),
        ("text", "must give a torch.nn.Module; got str"),
    ],
)
def test_factories_that_fail(factory: Callable[[str], str], name: str, words: str) -> None:
    with pytest.raises(HardgenError, match=rf"^model\.factory: .*{words}"):
        Module(factory(name)).build("x")


def test_factories_that_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import nothing_of_this_name")
    cases = {
        "noplace": "package.module:function",
        "nothing_of_this_name:net": "cannot import 'nothing_of_this_name': ModuleNotFoundError",
        f"{tmp_path}/bad.py:net": "ModuleNotFoundError",
        f"{tmp_path}/absent.py:net": "no such file",
    }
    for text, words in cases.items():
        with pytest.raises(HardgenError, match=rf"^model\.factory.*{words}"):
            Module(text).build("x")


def test_missing_files_name_their_key(factory: Callable[[str], str], tmp_path: Path) -> None:
    absent = str(tmp_path / "absent.pt")
    for model in (Module(factory("tiny"), absent), Torchvision("resnet18", absent), Timm("resnet18", weights=absent)):
        with pytest.raises(HardgenError, match=r"^model\.weights: no such file"):
            model.build("x")
    for kind in (Onnx, Litert):
        with pytest.raises(HardgenError, match=r"^model\.path: no such file"):
            kind(absent).build("x")
        (tmp_path / "bad").write_bytes(b"rubbish")
        with pytest.raises(HardgenError, match=r"^model\.path: cannot open") as caught:
            kind(str(tmp_path / "bad")).build("x")
        assert "\n" not in str(caught.value)


def test_torchvision_and_timm_with_random_weights(images: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Torchvision("squeezenet1_1", None, n_classes=7), Timm("resnet10t", False, n_classes=7)):
        model = kind.build("x")
        check_answers(model.log_probabilities(images[:2]), 2, 7)
        assert model.fingerprint() == kind.build("y").fingerprint()
    with pytest.raises(HardgenError, match=r"^model\.arch.*did you mean 'resnet50'"):
        Torchvision("resnet5O").build("x")
    with pytest.raises(HardgenError, match=r"^model\.arch: timm"):
        Timm("resnet_none").build("x")
    with pytest.raises(HardgenError, match=r"^model\.weights.*IMAGENET1K_V1"):
        Torchvision("resnet18", "IMAGENET1K_V9").build("x")

    def offline(*_: object, **__: object) -> None:
        raise OSError("<urlopen error Name or service not known>\nmore")

    monkeypatch.setattr("torchvision.models._api.WeightsEnum.get_state_dict", offline)
    with pytest.raises(HardgenError, match=r"^model\.weights: cannot download resnet18 DEFAULT: <urlopen.*known>$"):
        Torchvision("resnet18").build("x")


def test_an_extra_that_is_not_installed() -> None:
    with pytest.raises(HardgenError, match=r"^litert models need the extra: pip install 'hardgen\[litert\]'$"):
        need("ai_edge_litert_absent", "litert")


def test_raw_pixels() -> None:
    images = torch.tensor([0, 1 / 255, 0.5, 1]).reshape(1, 1, 2, 2)
    assert raw_pixels(images, np.uint8).ravel().tolist() == [0, 1, 128, 255]
    assert raw_pixels(images, np.int8).ravel().tolist() == [-128, -127, 0, 127]


def test_preprocessing() -> None:
    images = torch.rand(2, 3, 40, 60, generator=torch.Generator().manual_seed(0))
    assert Preprocess(20, 16)(images).shape == (2, 3, 16, 16)
    assert Preprocess(20)(images).shape == (2, 3, 20, 30)
    assert Preprocess(exact=(9, 7))(images).shape == (2, 3, 9, 7)
    square = images[..., :40]
    assert torch.equal(Preprocess(50, 40)(square), square)
    with pytest.raises(HardgenError, match=r"model\.crop=50.*60 x 40"):
        Preprocess(crop=50)(images)
    with pytest.raises(HardgenError, match=r"model\.std"):
        Preprocess(std=(0.0,))
    with pytest.raises(HardgenError, match=r"model\.mean"):
        Preprocess(mean=(0.0, 1.0))


def test_all_kinds_are_offered() -> None:
    assert set(KINDS) == {"digits_cnn", "litert", "module", "onnx", "timm", "torchvision"}
