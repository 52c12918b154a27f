"""Noise and blur at ImageNet-C's published parameters change photographs as much as the reference's own output."""

import csv
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from hardgen.batch import Batch
from hardgen.perturbation import Perturbation
from hardgen.perturbations.blur import DefocusBlur, GaussianBlur
from hardgen.perturbations.blur.radial import ZoomBlur
from hardgen.perturbations.noise import GaussianNoise
from hardgen.perturbations.noise.camera import ShotNoise
from hardgen.perturbations.noise.independent import ImpulseNoise, SpeckleNoise
from hardgen.rng import SampleRng

CASES: dict[str, tuple[list[Perturbation], float]] = {
    "gaussian_noise": ([GaussianNoise(s) for s in (0.08, 0.12, 0.18, 0.26, 0.38)], 0.03),
    "shot_noise": ([ShotNoise(n) for n in (60.0, 25.0, 12.0, 5.0, 3.0)], 0.03),
    "speckle_noise": ([SpeckleNoise(s) for s in (0.15, 0.2, 0.35, 0.45, 0.6)], 0.03),
    "impulse_noise": ([ImpulseNoise(f, unit="value") for f in (0.03, 0.06, 0.09, 0.17, 0.27)], 0.04),
    "gaussian_blur": ([GaussianBlur(s / 224) for s in (1, 2, 3, 4, 6)], 0.03),
    "defocus_blur": ([DefocusBlur(r / 224) for r in (3, 4, 6, 8, 10)], 0.08),
    "zoom_blur": ([ZoomBlur(z, image="start") for z in (1.11, 1.16, 1.21, 1.26, 1.31)], 0.2),  # it counts zoom 1 twice
}


def rows(folder: Path, corruption: str) -> list[dict[str, str]]:
    with (folder / "stats.csv").open() as file:
        return [row for row in csv.DictReader(file) if row["corruption"] == corruption]


@pytest.mark.parametrize("corruption", CASES)
def test_the_change_is_the_references(corruption: str, test_data: Path) -> None:
    folder = test_data / "imagenet_c_reference"
    if not folder.is_dir():
        pytest.skip(f"no reference images at {folder}")
    severities, within = CASES[corruption]
    seen = 0
    for row in rows(folder, corruption):
        pixels = np.asarray(Image.open(folder / f"{row['image']}_clean.png").convert("RGB"))
        image = torch.from_numpy(pixels.copy()).permute(2, 0, 1)[None].float() / 255
        batch = Batch(image.contiguous(memory_format=torch.channels_last), (row["image"],))
        perturbation = severities[int(row["severity"]) - 1]
        rmse = perturbation(batch, SampleRng(0, "a", batch.ids)).doses["rmse"].item() * 255
        assert rmse == pytest.approx(float(row["rmse_vs_clean"]), rel=within), f"{row['image']} {row['severity']}"
        seen += 1
    assert seen == 15
