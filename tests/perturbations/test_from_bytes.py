"""Images that are still bytes come out as the same images given as floats, with the same doses."""

import numpy as np
import pytest
import torch

import hardgen.perturbations  # noqa: F401  (fills the registry)
from hardgen.batch import Batch
from hardgen.functional.coded import Coded
from hardgen.perturbation import GeometricPerturbation
from hardgen.registry import perturbations
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch
from hardgen.testing.contract import choices, pixels

NAMES = list(perturbations())
SIZES = [(72, 56), (20, 24)]
"""Large images, and small ones, of which some steps take a whole batch."""


def both(height: int, width: int, channels: int = 3) -> tuple[Batch, Batch]:
    """The same pictures as bytes and as floats."""
    batch = sample_batch(height, width, channels=channels, pick=(0, 3, 5))
    codes = batch.images.mul(255).round().to(torch.uint8).permute(0, 2, 3, 1).numpy()
    coded = batch.replace(Coded.of(np.ascontiguousarray(codes)), on_grid=True)
    return coded, batch.replace(torch.from_numpy(codes).permute(0, 3, 1, 2) / 255, on_grid=True)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_bytes_and_floats_come_out_alike(name: str, size: tuple[int, int]) -> None:
    perturbation = perturbations()[name]().at(0.5)
    for channels in (1, 3):
        coded, floats = both(*size, channels)
        ours, theirs = (perturbation(b, SampleRng(1, "s", b.ids)) for b in (coded, floats))
        files = ours.batch.rounded().images
        torch.testing.assert_close(files, theirs.batch.rounded().images, atol=1.01 / 255, rtol=0)
        assert float((ours.batch.images - theirs.batch.images).abs().max()) < 1e-4
        # moved bytes are mixed with the bytes of the border
        levels = 1.01 if isinstance(perturbation, GeometricPerturbation) else 0.51
        assert float((files - ours.batch.images).abs().max()) < levels / 255
        assert sorted(ours.doses) == sorted(theirs.doses)
        for dose, value in theirs.doses.items():
            torch.testing.assert_close(ours.doses[dose], value, atol=1e-5, rtol=1e-3, equal_nan=True)


@pytest.mark.parametrize("name", NAMES)
def test_one_by_one_and_as_a_batch_come_out_alike(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, floats = both(*SIZES[0])
    ways = dict(choices(perturbations()[name], 0.5))
    single = {way: pixels(perturbation, floats) for way, perturbation in ways.items()}
    monkeypatch.setattr(Batch, "on_cpu", False)
    for way, perturbation in ways.items():
        off = (single[way] - pixels(perturbation, floats)).abs()
        assert float((off <= 1 / 255).float().mean()) > 0.999, way
