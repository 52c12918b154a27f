"""Blur: nothing moves, every setting blurs, sizes follow the image."""

import pytest
import torch
from torch import Tensor

from hardgen.batch import Batch
from hardgen.errors import HardgenError
from hardgen.perturbation import Perturbation
from hardgen.perturbations.blur import DefocusBlur, GaussianBlur, MotionBlur
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch

BLURS: list[type[Perturbation]] = [GaussianBlur, MotionBlur, DefocusBlur]


def spots(height: int, width: int, count: int = 20) -> Batch:
    """A white spot of 3 x 3 px amid black."""
    images = torch.zeros(count, 3, height, width)
    images[:, :, height // 2 - 1 : height // 2 + 2, width // 2 - 1 : width // 2 + 2] = 1
    return Batch(images, tuple(f"s{i}" for i in range(count)))


def run(blur: Perturbation, batch: Batch) -> Tensor:
    return blur(batch, SampleRng(1, "blur", batch.ids)).batch.images


@pytest.mark.parametrize("size", [(224, 224), (65, 101)])
@pytest.mark.parametrize("kind", BLURS)
def test_the_centroid_stays_and_light_is_kept(kind: type[Perturbation], size: tuple[int, int]) -> None:
    batch = spots(*size)
    y, x = torch.meshgrid(torch.arange(size[0]), torch.arange(size[1]), indexing="ij")
    for hardness in (0.05, 0.3, 0.6, 1.0):
        after = run(kind().at(hardness), batch)[:, 0]
        mass = after.sum((1, 2))
        assert mass.tolist() == pytest.approx([9.0] * len(batch), rel=2e-2)
        for axis, middle in ((y, size[0] // 2), (x, size[1] // 2)):
            centroid = (after * axis).sum((1, 2)) / mass
            assert float((centroid - middle).abs().max()) < 0.05


@pytest.mark.parametrize("side", [32, 224])
@pytest.mark.parametrize("kind", [MotionBlur, DefocusBlur])
def test_every_setting_above_neutral_blurs(kind: type[Perturbation], side: int) -> None:
    batch = spots(side, side, 4)
    for hardness in (0.002, 0.01, 0.05, 0.2, 1.0):
        change = run(kind().at(hardness), batch).sub(batch.images).abs().amax((1, 2, 3))
        assert bool((change > 1e-3).all())


def test_motion_goes_where_it_is_told_or_where_each_image_draws() -> None:
    batch = spots(64, 64, 6)
    level = run(MotionBlur(0.25, angle=0.0), batch)
    assert float(level[:, :, :30].abs().max()) < 1e-6
    assert float(level[:, :, 34:].abs().max()) < 1e-6
    assert bool((level[:, 0, 32, 26] > 0.05).all())
    upright = run(MotionBlur(0.25, angle=90.0), batch)
    assert torch.allclose(upright, level.transpose(2, 3), atol=1e-5)
    drawn = run(MotionBlur(0.25), batch)
    assert float((drawn[0] - drawn[1]).abs().max()) > 0.05
    with pytest.raises(HardgenError, match=r"motion_blur\.angle must be in \[0, 180\] degrees"):
        MotionBlur(angle=400.0)


def test_lengths_are_fractions_of_the_short_side() -> None:
    wide, tall = spots(64, 128, 1), spots(128, 64, 1)
    for kind in (GaussianBlur, DefocusBlur):
        a, b = (run(kind().at(0.5), batch)[0, 0] for batch in (wide, tall))
        assert torch.allclose(a[2:62, 34:94], b[34:94, 2:62], atol=1e-5)


@pytest.mark.parametrize("kind", BLURS)
def test_more_blur_never_comes_nearer_within_a_rounding_step(kind: type[Perturbation]) -> None:
    batch = sample_batch(64, 64)
    before = torch.zeros(len(batch))
    for step in range(1, 41):
        now = kind().at(step / 40)(batch, SampleRng(1, "blur", batch.ids)).doses["rmse"]
        assert bool((now >= before - 1 / 255).all())
        before = now
