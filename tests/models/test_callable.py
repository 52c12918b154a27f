"""Any callable is a model."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from hardgen.errors import HardgenError
from hardgen.models.callable import wrap_callable
from hardgen.models.digits_cnn import DigitsCnn


@pytest.fixture
def images() -> Tensor:
    return torch.rand(20, 3, 16, 18, generator=torch.Generator().manual_seed(0))


def test_callables(images: Tensor) -> None:
    net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    net.train()
    model = wrap_callable(net, "net")
    answers = model.log_probabilities(images)
    assert answers.shape == (20, 4)
    torch.testing.assert_close(answers.exp().sum(1), torch.ones(20))
    assert net.training
    assert torch.equal(wrap_callable(lambda x: net.eval()(x), "f").log_probabilities(images), answers)
    before, closed = model.fingerprint(), wrap_callable(lambda x: net(x), "f")
    other = closed.fingerprint()
    with torch.no_grad():
        net[0].bias += 1
    assert model.fingerprint() != before
    assert closed.fingerprint() != other
    with pytest.raises(HardgenError, match="'g' must answer"):
        wrap_callable(lambda x: x, "g").log_probabilities(images)
    with pytest.raises(HardgenError, match="callable"):
        wrap_callable(3, "h")  # type: ignore[arg-type]


def test_hardgens_own_models_come_back_under_the_name() -> None:
    model = DigitsCnn().build("digits_cnn")
    assert wrap_callable(model, "digits_cnn") is model
    renamed = wrap_callable(model, "a")
    assert (renamed.name, model.name) == ("a", "digits_cnn")
    assert renamed.fingerprint() == model.fingerprint()


def _guess(images: Tensor, a: float = 0.0, b: float = 0.0) -> Tensor:
    return images.mean((2, 3)) * a + b


def _nested(constant: float) -> Callable[[Tensor], Tensor]:
    space: dict[str, Any] = {}
    exec(f"def outer(x):\n    def inner(y):\n        return y.mean((2, 3)) + {constant}\n    return inner(x)", space)
    made: Callable[[Tensor], Tensor] = space["outer"]
    return made


class _Held:
    def __init__(self, **held: Any) -> None:
        self.__dict__ |= held

    def __call__(self, images: Tensor) -> Tensor:
        return images.mean((2, 3))


def _with_buffer(value: float) -> nn.Module:
    module = nn.Flatten()
    module.register_buffer("shift", torch.full((1,), value), persistent=False)
    return module


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (partial(_guess, a=2.0), partial(_guess, b=2.0)),
        (_nested(1.0), _nested(2.0)),
        (_Held(scale={"a": 1}), _Held(scale={"a": 2})),
        (_Held(a=1, b=2), _Held(a=2, b=1)),
        (_Held(weights=torch.zeros(2, 3)), _Held(weights=torch.zeros(3, 2))),
        (_with_buffer(1.0), _with_buffer(2.0)),
    ],
)
def test_what_answers_differently_has_another_fingerprint(one: Any, other: Any) -> None:
    assert wrap_callable(one, "m").fingerprint() != wrap_callable(other, "m").fingerprint()
    assert wrap_callable(one, "m").fingerprint() == wrap_callable(one, "m").fingerprint()
