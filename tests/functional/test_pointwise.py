"""The two ways to make values anew, by OpenCV and by torch, give the same."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from hardgen.functional import noise, pointwise, tone

SIGNS = torch.tensor([1.0, -1.0])
WAYS: dict[str, Callable[[Tensor], Tensor]] = {
    "scale_contrast": lambda x: tone.scale_contrast(x, 0.3),
    "to_light": tone.to_light,
    "from_light": tone.from_light,
    "expose": lambda x: tone.expose(x, 2 * SIGNS),
    "fold": lambda x: tone.fold(x, 0.4),
    "lift": lambda x: tone.lift(x, -0.3, 0.9),
    "quantise": lambda x: tone.quantise(x, 7),
    "bend": lambda x: tone.bend(x, torch.exp2(3 * SIGNS)),
    "equalise": lambda x: tone.equalise(x, 0.7),
    "mean": lambda x: tone.brightness(x)[0],
    "deviation": lambda x: tone.brightness(x)[1],
}


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", WAYS)
def test_both_ways_give_the_same(name: str, channels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    images = torch.rand(2, channels, 21, 34, generator=torch.Generator().manual_seed(1)).square()
    images[0, :, :5] = 0.0
    images[1, :, 5:9] = 1.0
    before = images.clone()
    ours = WAYS[name](images)
    monkeypatch.setattr(tone, "on_cpu", lambda images: False)
    assert torch.allclose(ours, WAYS[name](images), atol=1e-5)
    assert torch.equal(images, before)


@pytest.mark.parametrize("layers", [1, 3])
def test_both_ways_replace_the_same_values(layers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = torch.rand(3, 2, 3, 21, 34, generator=torch.Generator().manual_seed(2))
    images, where, white = draws[0], draws[1, :, :layers] < 0.4, draws[2, :, :layers] < 0.5
    ours = noise.replace_values(images, where, white)
    monkeypatch.setattr(noise, "on_cpu", lambda images: False)
    assert torch.equal(ours, noise.replace_values(images, where, white))


@pytest.mark.parametrize("exponent", [0.1, 0.5, 2.4, 9.0])
def test_powers_are_numpy_s_and_that_of_nothing_is_nothing(exponent: float) -> None:
    values = np.concatenate((np.zeros(9), np.geomspace(1e-30, 2, 500))).astype(np.float32)[None]
    out = np.empty_like(values)
    pointwise.power(values, exponent, out)
    assert np.array_equal(out[0, :9], np.zeros(9))
    assert np.allclose(out, values.astype(np.float64) ** exponent, rtol=3e-5, atol=1e-30)
