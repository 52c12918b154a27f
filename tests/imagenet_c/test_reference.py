"""ImageNet-C's corruptions against pictures that the reference made: 3 photographs, 19 corruptions, 5 severities."""

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image

from hardgen.batch import Batch
from hardgen.functional.levels import from_bytes
from hardgen.registry import get, perturbations
from hardgen.rng import SampleRng

import hardgen.perturbations  # noqa: F401  isort: skip  (fills the registry)

EXACT = (
    "brightness", "contrast", "defocus_blur", "gaussian_blur", "jpeg_compression", "pixelate", "saturate", "zoom_blur",
)  # fmt: skip
DRAWN = (
    "elastic_transform", "gaussian_noise", "glass_blur", "impulse_noise", "motion_blur", "shot_noise", "snow",
    "speckle_noise",
)  # fmt: skip
SEVERITIES = range(1, 6)
DRAWS = 20
OCTAVES = (8, 16, 32, 64)


@pytest.fixture(scope="session")
def reference(test_data: Path) -> Path:
    return test_data / "imagenet_c_reference"


def photographs(reference: Path) -> list[str]:
    return sorted(p.name.removesuffix("_clean.png") for p in reference.glob("*_clean.png"))


def pixels(path: Path) -> NDArray[np.uint8]:
    with Image.open(path) as image:
        return np.asarray(image)


def corrupted(reference: Path, name: str, severity: int, draw: int = 0) -> NDArray[np.float64]:
    names = photographs(reference)
    ids = tuple(f"{n}-{draw}" for n in names)
    batch = Batch(from_bytes([pixels(reference / f"{n}_clean.png") for n in names]), ids)
    made = get(f"imagenet_c_{name}")(severity=severity)(batch, SampleRng(0, "slot", ids)).batch.images
    return (made * 255).round().permute(0, 2, 3, 1).numpy().astype(np.float64)


def expected(reference: Path, name: str, severity: int) -> NDArray[np.float64]:
    return np.stack([pixels(reference / f"{n}_{name}_{severity}.png") for n in photographs(reference)]).astype(float)


def clean(reference: Path) -> NDArray[np.float64]:
    return np.stack([pixels(reference / f"{n}_clean.png") for n in photographs(reference)]).astype(float)


def octaves(change: NDArray[np.float64]) -> NDArray[np.float64]:
    """Power of the change in octaves of spatial frequency from 8 cycles an image, mean over photographs."""
    height, width = change.shape[1:3]
    power = np.abs(np.fft.fft2(change.mean(-1))) ** 2
    cycles = np.hypot(np.fft.fftfreq(height)[:, None] * height, np.fft.fftfreq(width)[None, :] * width)
    return np.array([power[:, (cycles >= low) & (cycles < 2 * low)].sum(1).mean() for low in OCTAVES])


def test_every_corruption_is_there() -> None:
    names = {n.removeprefix("imagenet_c_") for n in perturbations() if n.startswith("imagenet_c_")}
    assert names == {*EXACT, *DRAWN, "fog", "frost", "spatter"}


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("name", EXACT)
def test_what_draws_nothing_equals_the_reference(reference: Path, name: str, severity: int) -> None:
    off = np.abs(corrupted(reference, name, severity) - expected(reference, name, severity))
    assert (off <= 1).mean() >= 0.999


@pytest.mark.parametrize("severity", [1, 3, 5])
@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_equals_it_in_distribution(reference: Path, name: str, severity: int) -> None:
    start, theirs = clean(reference), expected(reference, name, severity)
    ours = np.stack([corrupted(reference, name, severity, draw) for draw in range(DRAWS)])
    rmse = np.sqrt(((ours - start) ** 2).mean((2, 3, 4))).mean()
    assert rmse == pytest.approx(np.sqrt(((theirs - start) ** 2).mean((1, 2, 3))).mean(), rel=0.05)
    np.testing.assert_allclose(ours.mean((0, 2, 3, 4)), theirs.mean((1, 2, 3)), rtol=0.05)
    power = np.mean([octaves(draw - start) for draw in ours], 0)
    # A single draw of the reference stands for its mean: of few large flakes or one angle it is off by so much.
    wide = 0.25 if name in ("snow", "motion_blur") else 0.1
    np.testing.assert_allclose(power, octaves(theirs - start), rtol=wide)


MEANS = {
    ("fog", 1): (44.9, 115.8, (82.6, 57.6, 57.6, 70.8)),
    ("fog", 3): (54.8, 119.5, (120, 82.4, 82, 101)),
    ("fog", 5): (58.0, 119.8, (142, 94.3, 91.7, 112)),
    ("frost", 1): (64.8, 161.8, (16.4, 17.2, 21, 12.7)),
    ("frost", 3): (87.2, 179.5, (69, 65.1, 75.8, 52.7)),
    ("frost", 5): (89.1, 179.6, (88.8, 82.7, 95, 68.6)),
    ("spatter", 1): (6.1, 99.4, (10.6, 11.4, 6.2, 3.64)),
    ("spatter", 3): (20.5, 106.5, (75.6, 119, 77.2, 41.1)),
    ("spatter", 5): (30.4, 88.6, (148, 242, 159, 111)),
}
"""RMSE, mean and power in octaves over 200 draws of the reference for each photograph. The pictures hold one draw,
which says little of these: of fog one map, of frost the darkest of five photographs, of spatter one set of drops."""


@pytest.mark.parametrize(("name", "severity"), MEANS)
def test_what_varies_from_draw_to_draw_equals_it_over_many(reference: Path, name: str, severity: int) -> None:
    start, (rmse, mean, power) = clean(reference), MEANS[name, severity]
    ours = np.stack([corrupted(reference, name, severity, draw) for draw in range(DRAWS)])
    assert np.sqrt(((ours - start) ** 2).mean((2, 3, 4))).mean() == pytest.approx(rmse, rel=0.05)
    assert ours.mean() == pytest.approx(mean, rel=0.05)
    scale = start.shape[1] ** 2 * start.shape[2] ** 2
    found = np.mean([octaves(draw - start) for draw in ours], 0) / scale
    np.testing.assert_allclose(found, power, rtol=0.1)


@pytest.mark.parametrize("faithful", [True, False])
def test_a_flat_image_shows_the_cut(faithful: bool) -> None:
    batch = Batch(torch.full((1, 3, 16, 16), 128 / 255), ("grey",))
    made = get("imagenet_c_contrast")(severity=3, faithful=faithful)(batch, SampleRng(0, "s", batch.ids)).batch.images
    assert float(made[0, 0, 0, 0] * 255) == pytest.approx(128, abs=1e-3)
