"""Published models reach their published accuracy on real images, on a sample of them."""

from pathlib import Path

import pytest
import torch

from hardgen.data.dataset import Dataset
from hardgen.data.image_folder import ImageFolder
from hardgen.data.loading import load, to_batch
from hardgen.data.manifest import Manifest
from hardgen.models.check import check_labels
from hardgen.models.litert import Litert
from hardgen.models.model import Model
from hardgen.models.module import Module


def accuracy(model: Model, data: Dataset) -> float:
    assert check_labels(model, data) is None
    samples = [s for s in load(data, range(len(data))) if not hasattr(s, "reason")]
    right = 0
    for start in range(0, len(samples), 64):
        batch = to_batch(samples[start : start + 64], data.classes)
        right += int((model.log_probabilities(batch.images).argmax(1) == torch.tensor(batch.labels)).sum())
    return right / len(data)


def test_cifar10_resnet(test_data: Path) -> None:
    """91.84% on all 5,000; a sample of 500 is within 3 standard errors."""
    folder = test_data / "models" / "cifar10_resnet"
    model = Module(
        f"{folder / 'net.py'}:resnet20",
        str(folder / "resnet20-12fca82f.th"),
        mean=[0.485, 0.456, 0.406],
        std=[0.229, 0.224, 0.225],
    ).build("resnet20")
    assert accuracy(model, ImageFolder(str(test_data / "cifar10_5k"), limit=500).build()) == pytest.approx(
        0.918, abs=0.037
    )


def test_imagenet_mobilenet(test_data: Path) -> None:
    """45.5% on all 600."""
    path = test_data / "models" / "imagenet_mobilenet_tflite" / "mobilenet_v1_0.25_128_quant.tflite"
    labels = test_data / "imagenet600" / "labels.csv"
    data = Manifest(str(labels), n_classes=1000, resize=256, crop=224).build()
    model = Litert(str(path), skip_outputs=1).build("mobilenet")
    assert model.outputs == 1000
    assert accuracy(model, data) == pytest.approx(0.455, abs=0.02)
