"""A small world on disk: an image folder, a model file, and the command line."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hardgen.cli import main

NET = """
import torch
from torch import nn


class Mean(nn.Module):
    '''Tells dark from bright by the mean of the image.'''

    def forward(self, x):
        mean = x.mean((1, 2, 3))
        return torch.stack((0.5 - mean, mean - 0.5), 1) * 20


def mean():
    return Mean()
"""


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Twelve noisy images, six dark and six bright, 24 x 24."""
    rng = np.random.default_rng(0)
    for name, level in (("bright", 190), ("dark", 60)):
        for i in range(6):
            pixels = np.clip(rng.normal(level, 30, (24, 24, 3)), 0, 255).astype(np.uint8)
            path = tmp_path / "photos" / name / f"{i}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(path)
    return tmp_path / "photos"


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """A model's source file with the factory `mean` (classes dark, bright would be 0, 1)."""
    path = tmp_path / "net.py"
    path.write_text(NET)
    return path


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command in an empty folder: exit code, standard output, standard error."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def call(*words: object) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        out, err = capfd.readouterr()
        return code, out, err

    return call
