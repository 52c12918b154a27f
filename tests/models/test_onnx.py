"""ONNX files of every layout, on graphs made here."""

from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor
from torch.nn.functional import interpolate

from hardgen.errors import HardgenError
from hardgen.models.onnx import Onnx


@pytest.fixture
def images() -> Tensor:
    return torch.rand(20, 3, 16, 18, generator=torch.Generator().manual_seed(0))


def graph(path: Path, shape: list[int | str], kind: int = TensorProto.FLOAT) -> str:
    """An ONNX file: the mean over all places, times a 3 x 5 matrix."""
    weights = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    places = [1, 2] if shape[3] == 3 else [2, 3]
    nodes = [
        helper.make_node("Cast", ["images"], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["floats"], ["means"], axes=places, keepdims=0),
        helper.make_node("MatMul", ["means", "weights"], ["logits"]),
    ]
    made = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("images", kind, shape)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [shape[0], 5])],
        [numpy_helper.from_array(weights, "weights")],
    )
    onnx.save(helper.make_model(made, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return str(path)


def expected(images: Tensor) -> Tensor:
    weights = torch.from_numpy(np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32))
    return (images.mean((2, 3)) @ weights).log_softmax(1)


@pytest.mark.parametrize(
    "shape", [["n", 3, "h", "w"], [1, 3, 16, 18], [8, 3, 16, 18], ["n", 16, 18, 3], ["n", "h", "w", 3]]
)
def test_onnx_layouts_and_batches(tmp_path: Path, images: Tensor, shape: list[int | str]) -> None:
    model = Onnx(graph(tmp_path / "m.onnx", shape)).build("x")
    torch.testing.assert_close(model.log_probabilities(images), expected(images))
    assert torch.equal(model.log_probabilities(images[:3]), model.log_probabilities(images)[:3])
    assert model.outputs == 5


def test_onnx_resizes_and_normalises(tmp_path: Path, images: Tensor) -> None:
    path = graph(tmp_path / "m.onnx", ["n", 3, 8, 9])
    model = Onnx(path, scale=2, mean=[0.5, 0.4, 0.3], std=[0.5]).build("x")
    small = interpolate(images, (8, 9), mode="bicubic", antialias=True).clamp(0, 1)
    wanted = (2 * small - torch.tensor([0.5, 0.4, 0.3])[:, None, None]) / 0.5
    torch.testing.assert_close(model.log_probabilities(images), expected(wanted))
    assert model.fingerprint() != Onnx(path).build("x").fingerprint() == Onnx(path).build("y").fingerprint()


def test_onnx_with_raw_pixels(tmp_path: Path, images: Tensor) -> None:
    path = graph(tmp_path / "m.onnx", ["n", 16, 18, 3], TensorProto.UINT8)
    pixels = (images * 255).round()
    torch.testing.assert_close(Onnx(path).build("x").log_probabilities(images), expected(pixels))
    with pytest.raises(HardgenError, match="float inputs"):
        Onnx(path, mean=[0.5]).build("x")
    with pytest.raises(HardgenError, match="N x C x H x W"):
        Onnx(graph(tmp_path / "n.onnx", ["n", "c", "h", "w"])).build("x")
