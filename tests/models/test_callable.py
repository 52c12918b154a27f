"""Any callable is a model."""

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
