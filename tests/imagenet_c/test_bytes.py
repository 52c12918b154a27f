"""ImageNet-C's corruptions of bytes against the same corruptions of floats, cut off to bytes."""

import pytest
import torch

from hardgen.functional.imagenet_c import boxes
from hardgen.functional.levels import to_grid, truncate
from hardgen.perturbations.imagenet_c.severity import PhotometricCorruption
from hardgen.registry import get, perturbations
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch

import hardgen.perturbations  # noqa: F401  isort: skip  (fills the registry)

NAMES = [
    name
    for name in perturbations()
    if issubclass(get(name), PhotometricCorruption) and not get(name).in_bytes  # type: ignore[attr-defined]
]
LOOSE = {"imagenet_c_shot_noise": 0.02, "imagenet_c_spatter": 0.2}
"""Shares of values that may be off: counts lie on a coarser grid; edges of drops hang on the last digit."""


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("table", ["imagenet", "cifar"])
@pytest.mark.parametrize("name", NAMES)
def test_bytes_become_what_floats_become(name: str, table: str, channels: int) -> None:
    batch = sample_batch(40, 56)
    batch = batch.replace(to_grid(batch.images[:, :channels]))
    for severity in (1, 4):
        corruption, rng = get(name)(severity=severity, table=table), SampleRng(0, "slot", batch.ids)
        outcome = corruption(batch, rng)
        assert isinstance(corruption, PhotometricCorruption)
        floats = truncate(corruption.corrupt(batch.images, rng))
        floats = torch.where(batch.grey[:, None, None, None], floats[:, :1], floats)
        off = (outcome.batch.images - floats).abs() * 255 > 1.01
        assert float(off.float().mean()) <= LOOSE.get(name, 0.001)
        change = (outcome.batch.images - batch.images).double().square().mean((1, 2, 3)).sqrt()
        torch.testing.assert_close(outcome.doses["rmse"].double(), change, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("full", "small"), [(224, 89), (64, 57), (33, 26), (5, 1), (4, 4)])
def test_windows_are_pillows(full: int, small: int) -> None:
    import numpy as np
    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 256, (full, full, 3), dtype=np.uint8)
    made = Image.fromarray(pixels).resize((small, small), Image.Resampling.BOX)
    expected = np.asarray(made.resize((full, full), Image.Resampling.NEAREST)).astype(int)
    found = boxes.pixelate(np.concatenate([pixels, 255 - pixels]), full, (small, small)).reshape(2, full, full, 3)
    assert np.abs(found[0] - expected).max() <= 1
    assert np.abs(255 - found[1] - expected).max() <= 1
