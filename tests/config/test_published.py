"""Presets carry the published levels, worked out here from the published severities."""

import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra

from hardgen.batch import Batch, Donors
from hardgen.config import CONF, pipeline_of, plain, store
from hardgen.perturbations.distractors import protected
from hardgen.sweeps.axes import read_axes
from hardgen.testing import sample_batch

BAR = {
    "blue_noise_sample": ([0.8, 1.6, 2.4, 4.0, 5.6], lambda s: NormalDist().cdf(0.3 * s - 2.5)),
    "brownish_noise": ([1, 2, 3, 4, 5], lambda s: 6.4 * s / 255),
    "caustic_refraction": ([2.35, 3.2, 4.9, 6.6, 9.15], lambda s: 0.045 * s),
    "checkerboard_cutout": ([2, 3, 4, 5, 6], lambda s: 0.1 * s / 2),
    "cocentric_sine_waves": ([3, 5, 8, 9, 10], lambda s: 12.8 * s / 2 / 255),
    "inverse_sparkles": ([1, 2, 4, 9, 10], lambda s: 0.13 * s),
    "perlin_noise": ([4.6, 5.2, 5.8, 7.6, 8.8], lambda s: 0.05 * s),
    "plasma_noise": ([4.75, 7, 8.5, 9.25, 10], lambda s: 6.4 * s / 255),
    "single_frequency_greyscale": ([1, 1.5, 2, 4.5, 5], lambda s: 19.6 * s / 255),
    "sparkles": ([1, 2, 3, 5, 6], lambda s: 0.01 * s),
}
CIFAR = {
    "blue_noise_sample": [0.7, 1.4, 2.1, 3.5, 4.2],
    "brownish_noise": [2.5, 4, 5.5, 6.5, 7],
    "checkerboard_cutout": [1, 2, 3, 4, 5],
    "inverse_sparkles": [1, 1.5, 2.5, 4.5, 5],
    "sparkles": [0.7, 3.5, 5.6, 6.3, 7],
    "pinch_and_twirl": [5.5, 6, 6.5, 8.5, 10],
    "ripple": [5.5, 6, 6.5, 7.5, 8],
    "circular_motion_blur": [2.8, 3.6, 4.4, 5.2, 6],
    "lines": [0.5, 1, 1.5, 2, 2.5],
    "transverse_chromatic_abberation": [1, 2, 5, 9, 10],
}
TURNS = np.linspace(-1, 1, 21)
"""Of the circular motion blur, of its greatest, which is 1.5 degrees for each unit of severity."""


def ray(severity: float) -> float:
    """The mean length of a sparkle's rays at 32 px, with a spread of a quarter and none under a pixel, of the side."""
    at = (np.arange(10000) + 0.5) / 10000
    normal = np.array([NormalDist().inv_cdf(p) for p in at])
    return float(np.maximum(0.32 * severity * (1 + normal / 4), 1).mean()) / 32


AT_32 = BAR | {
    "sparkles": ([], ray),
    "pinch_and_twirl": ([], lambda s: 0.04 * s + 0.1),
    "ripple": ([], lambda s: 0.0025 * s),
    "circular_motion_blur": (
        [],
        lambda s: 1.5 * s * math.sqrt(12 * np.average(TURNS**2, weights=np.exp(-2 * TURNS**2))),
    ),
    "lines": ([], lambda s: int(0.1 * s * 32)),
    "transverse_chromatic_abberation": ([], lambda s: 0.5 * 0.5 * s / 10 / 2),
}
OTHERS = {
    "compositional_nets": [0.3, 0.5, 0.7],
    "imagenet_9": [1.0],
    "imagenet_w": [0.5],
    "crowding": [2.0, 1.75, 1.5, 1.25, 1.0],
}


def axes(name: str):
    GlobalHydra.instance().clear()
    store()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("sweep", [f"pipeline={name}"])
    pipeline = pipeline_of(config)
    return pipeline, {a.slot: a for a in read_axes(pipeline, plain(config.pipeline_axes))}


@pytest.mark.parametrize("corruption", BAR)
def test_imagenet_c_bar_stands_at_its_severities(corruption: str) -> None:
    severities, of = BAR[corruption]
    values = [p.value for p in axes("imagenet_c_bar")[1][corruption].points]
    assert values == pytest.approx([of(s) for s in severities], abs=6e-5)


@pytest.mark.parametrize("corruption", CIFAR)
def test_cifar10_c_bar_stands_at_its_severities(corruption: str) -> None:
    axis = axes("cifar10_c_bar")[1][corruption]
    name, values = axis.name, [p.value for p in axis.points]
    assert values == pytest.approx(
        [AT_32[corruption][1](s) for s in CIFAR[corruption]], abs=6e-4 if "arc" in name else 6e-5
    )


@pytest.mark.parametrize("name", OTHERS)
def test_others_stand_at_their_levels(name: str) -> None:
    found = axes(name)[1]
    assert found
    for axis in found.values():
        assert [p.value for p in axis.points] == OTHERS[name]


@pytest.mark.parametrize("name", ["imagenet_c_bar", "cifar10_c_bar", *OTHERS])
def test_every_level_changes_images(name: str) -> None:
    pipeline, found = axes(name)
    batch = sample_batch(64, 64)
    for axis in found.values():
        hardest = axis.points[-1]
        made = pipeline.with_values({a.name: a.knob.neutral for a in found.values()} | {axis.name: hardest.value})
        images = made(batch, made.rngs(0, batch)).batch.images
        changed = (images != batch.images).flatten(1).any(1)
        assert int(changed.sum()) >= 4, axis.name
        assert torch.isfinite(images).all()


@pytest.mark.parametrize("slot", ["any", "same"])
@pytest.mark.parametrize("boxed", [True, False])
@pytest.mark.parametrize("side", [32, 63, 224])
def test_crowding_keeps_target_and_flankers_in_the_frame(side: int, boxed: bool, slot: str) -> None:
    pipeline, found = axes("crowding")
    n = 12
    images = torch.rand(n, 3, side, side, generator=torch.Generator().manual_seed(1))
    donors = Donors(images[:4], (0, 1, 0, 1))
    box = torch.tensor([[0.0, 0.0, 0.5, 1.0]]) * side
    boxes = tuple(box for _ in range(n)) if boxed else None
    batch = Batch(images, tuple(map(str, range(n))), labels=(0, 1) * 6, boxes=boxes, donors=donors)
    values = {a.name: a.knob.neutral for a in found.values()}
    alone = pipeline.with_values(values)
    small = alone(batch, alone.rngs(0, batch)).batch
    target = protected(small, 0.18)
    assert 0.15 * side <= int(target[0, 0].any(1).sum()) <= 0.22 * side
    for point in found[slot].points:
        made = pipeline.with_values(values | {point.axis: point.value})
        got = made(batch, made.rngs(0, batch))
        assert got.doses[f"{slot}.in_frame"].tolist() == [1.0] * n
        assert got.doses[f"{slot}.count"].tolist() == [2.0] * n
        assert torch.equal(got.batch.images[target.expand(-1, 3, -1, -1)], small.images[target.expand(-1, 3, -1, -1)])


def test_every_preset_says_what_it_is() -> None:
    for path in Path(CONF / "pipeline").rglob("*.yaml"):
        first = next(line for line in path.read_text().splitlines() if not line.startswith("# @package"))
        assert first.startswith("# "), path
