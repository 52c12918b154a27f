"""Presets of people's stimuli: the published levels and the published formulas."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from torch import Tensor

from hardgen.batch import Batch, Donors
from hardgen.config import CONF, pipeline_of, plain, store
from hardgen.perturbations.texture.passes import LEAST
from hardgen.pipeline import Pipeline
from hardgen.sweeps.axes import Axis, read_axes
from hardgen.sweeps.plan import plan

SIDE = 224
"""Side in pixels of the published stimuli."""


def preset(name: str, command: str = "sweep", *overrides: str) -> tuple[Pipeline, list[Axis]]:
    GlobalHydra.instance().clear()
    store()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        made = compose(command, [f"pipeline=human/{name}", *overrides])
    pipeline = pipeline_of(made)
    wanted = made.pipeline_axes if made.axes is None else made.axes
    return pipeline, read_axes(pipeline, plain(wanted), plain(made.hardness))


def published(experiment: str, folder: Path) -> list[str]:
    with (folder / "human" / "human_accuracy.csv").open() as file:
        return sorted({row["condition"] for row in csv.DictReader(file) if row["experiment"] == experiment})


def pixels(text: str) -> float:
    return float(text) / SIDE


def blur(text: str) -> float:
    return pixels(text) or LEAST


def reach(text: str) -> float:
    return float(text.split("-")[0]) / SIDE


def contrast(text: str) -> float:
    return float(text[1:]) / 100


def turn(text: str) -> float:
    return min(float(text), 360 - float(text))


def named(values: Mapping[str, float]) -> Callable[[str], float]:
    return values.__getitem__


EXPERIMENTS: dict[str, tuple[str, Callable[[str], float]]] = {
    "colour": ("colour", named({"cr": 0.0, "bw": 1.0})),
    "contrast": ("contrast", contrast),
    "uniform_noise": ("uniform-noise", float),
    "low_pass": ("low-pass", blur),
    "high_pass": ("high-pass", pixels),
    "phase_scrambling": ("phase-scrambling", float),
    "power_equalisation": ("power-equalisation", named({"0": 0.0, "pow": 1.0})),
    "false_colour": ("false-colour", named({"false": 0.0, "true": 1.0})),
    "rotation": ("rotation", turn),
    "eidolon_i": ("eidolonI", reach),
    "eidolon_ii": ("eidolonII", reach),
    "eidolon_iii": ("eidolonIII", reach),
}


def test_every_preset_is_an_experiment() -> None:
    assert {p.stem for p in (CONF / "pipeline" / "human").glob("*.yaml")} == set(EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_levels_are_those_that_people_saw(name: str, test_data: Path) -> None:
    experiment, value = EXPERIMENTS[name]
    _, (axis,) = preset(name)
    conditions = {value(text) for text in published(experiment, test_data)} - {axis.knob.neutral}
    assert len(conditions) > 0
    assert sorted(p.value for p in axis.points) == pytest.approx(sorted(conditions), rel=1e-8)


@pytest.mark.parametrize(("number", "name"), [(0, "eidolon_i"), (1, "eidolon_ii"), (2, "eidolon_iii")])
def test_eidolons_have_the_published_coherence_and_grain(number: int, name: str) -> None:
    eidolon: Any = preset(name)[0].slots["eidolon"]
    assert eidolon.coherence == (1.0, 0.3, 0.0)[number]
    assert eidolon.grain * SIDE == pytest.approx(10)


@pytest.mark.parametrize("command", ["sweep", "generate", "preview"])
def test_a_preset_brings_its_axes_to_every_command_and_the_command_line_goes_before(command: str) -> None:
    assert [p.value for p in preset("contrast", command)[1][0].points] == [0.5, 0.3, 0.15, 0.1, 0.05, 0.03, 0.01]
    _, axes = preset("contrast", command, "axes=[contrast,grey]", "hardness=[0.5,1]")
    assert [(a.name, len(a.points)) for a in axes] == [("contrast.factor", 2), ("grey.fraction", 2)]
    _, axes = preset("contrast", command, "axes={contrast.factor: {hardness: [1]}}")
    assert [p.value for p in axes[0].points] == [0.0]


def off(a: NDArray[Any], b: NDArray[Any]) -> float:
    """The greatest difference."""
    return float(np.abs(a - b).max())


def stimuli(name: str) -> tuple[Tensor, NDArray[np.float64], list[tuple[float, Tensor]]]:
    """Colour pictures on the 8-bit grid, their grey (BT.709) and each condition's pixels, the clean one first."""
    rng = np.random.default_rng(8)
    smooth = gaussian_filter(rng.random((2, 3, SIDE, SIDE)), (0, 0, 2, 2)) * 4 - 1.5
    images = torch.from_numpy((smooth.clip(0, 1) * 255).round().astype(np.float32) / 255)
    donors = Donors(images.flip(0).contiguous(), (0, 0), ("c", "d"))
    batch = Batch(images.contiguous(memory_format=torch.channels_last), ("a", "b"), donors=donors)
    pipeline, axes = preset(name)
    shown = []
    for condition in plan(pipeline, axes).conditions:
        made = condition.pipeline(batch, condition.pipeline.rngs(0, batch)).batch.images
        shown.append((condition.points[0].value if condition.points else axes[0].knob.neutral, made))
    grey = np.tensordot(images.numpy().astype(np.float64), [0.2125, 0.7154, 0.0721], (1, 0))
    return images, grey, shown


GREY = [name for name in EXPERIMENTS if name not in ("colour", "false_colour")]


@pytest.mark.parametrize("name", GREY)
def test_every_condition_is_grey_and_the_clean_one_is_the_grey_image(name: str) -> None:
    _, grey, shown = stimuli(name)
    for value, images in shown:
        assert torch.equal(images, images[:, :1].expand_as(images)), value
    clean = 0.35 + 0.3 * grey if name == "uniform_noise" else grey
    assert off(shown[0][1][:, 0].numpy(), clean) < 1e-5


def test_contrast_falls_about_mid_grey() -> None:
    _, grey, shown = stimuli("contrast")
    for c, images in shown:
        assert off(images[:, 0].numpy(), (1 - c) / 2 + c * grey) < 1e-5


def test_uniform_noise_comes_after_a_contrast_of_30_percent_and_is_cut() -> None:
    _, grey, shown = stimuli("uniform_noise")
    field = (shown[1][1][:, 0].numpy() - 0.35 - 0.3 * grey) / 0.03
    assert field.min() == pytest.approx(-1, abs=1e-3)
    assert field.max() == pytest.approx(1, abs=1e-3)
    assert field.std() == pytest.approx(1 / np.sqrt(3), rel=0.01)
    for width, images in shown[1:]:
        assert off(images[:, 0].numpy(), (0.35 + 0.3 * grey + width * field).clip(0, 1)) < 1e-3


@pytest.mark.parametrize("name", ["low_pass", "high_pass"])
def test_passes_are_gaussians_in_a_grey_surround(name: str) -> None:
    _, grey, shown = stimuli(name)
    for sigma, images in shown[1:]:
        low = gaussian_filter(grey, (0, sigma * SIDE, sigma * SIDE), mode="constant", cval=0.4423)
        fine = grey - low
        wanted = low if name == "low_pass" else fine + 0.4423 - fine.mean((1, 2), keepdims=True)
        assert off(images[:, 0].numpy(), wanted.clip(0, 1)) < 1e-5


def test_power_is_the_mean_of_the_data_s_grey_images() -> None:
    images, grey, shown = stimuli("power_equalisation")
    mean = np.abs(np.fft.fft2(images[:, 0].numpy())).mean(0)
    donors = np.tensordot(images.numpy().astype(np.float64), [0.299, 0.587, 0.114], (1, 0))  # the pool's luma is BT.601
    pool = np.abs(np.fft.fft2(donors)).mean(0)
    spectra = np.fft.fft2(grey)
    wanted = np.fft.ifft2(pool * np.exp(1j * np.angle(spectra))).real.clip(0, 1)
    assert off(shown[1][1][:, 0].numpy(), wanted) < 2e-3
    other = np.fft.ifft2(mean * np.exp(1j * np.angle(spectra))).real.clip(0, 1)
    assert np.abs(other - wanted).max() > 0.02


def test_rotation_moves_every_pixel_to_a_pixel() -> None:
    _, _, shown = stimuli("rotation")
    for degrees, images in shown[1:]:
        for before, after in zip(shown[0][1], images, strict=True):
            quarter = round(degrees / 90)
            turns = [torch.rot90(before, k, (-2, -1)) for k in (quarter, -quarter)]
            assert min(off(after.numpy(), one.numpy()) for one in turns) < 1e-4, degrees


@pytest.mark.parametrize("degrees", [90.0, 180.0])
@pytest.mark.parametrize("side", [SIDE, 33])
def test_quarter_turns_of_eight_bit_pictures_lose_nothing(degrees: float, side: int) -> None:
    pipeline = preset("rotation")[0].with_values({"grey.fraction": 0.0, "rotation.degrees": degrees})
    values = np.random.default_rng(3).integers(0, 256, (4, 3, side, side))
    images = torch.from_numpy(values.astype(np.float32) / 255).contiguous(memory_format=torch.channels_last)
    batch = Batch(images, ("a", "b", "c", "d"))
    made = (pipeline(batch, pipeline.rngs(0, batch)).batch.images * 255).round()
    quarter = round(degrees / 90)
    for before, after in zip(torch.from_numpy(values), made, strict=True):
        assert any(torch.equal(after.long(), torch.rot90(before, k, (-2, -1))) for k in (quarter, -quarter))
