"""A whole sweep beside the bare forward passes that it contains, taking turns in one process."""

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from PIL import Image
from torch import Tensor

import hardgen
from experiments.throughput.libraries import photographs
from hardgen.data.image_folder import ImageFolder
from hardgen.heap import keep_freed_memory
from hardgen.models.module import Module
from hardgen.models.torchvision import Torchvision

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
CHUNK = 32
"""Images of one bare forward pass."""


def network(name: str) -> Any:
    """A network by name or by its factory, with random weights: speed does not depend on them."""
    if ":" in name:
        return Module(name, mean=MEAN, std=STD).build(name.rpartition(":")[2])
    return Torchvision(name, weights=None, n_classes=2).build(name)


def folder_of_images(side: int, count: int, folder: Path) -> Path:
    """Pieces of two photographs as a folder of PNG files in two classes."""
    for i, image in enumerate(photographs(side, count)):
        path = folder / "ab"[i % 2] / f"{i:04d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(path)
    return folder


def bare(models: list[Any], images: Tensor, passes: int) -> float:
    """Seconds that the models take to answer all images so many times, with nothing around them."""
    start = time.perf_counter()
    with torch.inference_mode():
        for model in models:
            for _ in range(passes):
                for part in images.split(CHUNK):
                    model._module(model._preprocess(part))
    return time.perf_counter() - start


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--models", default="mobilenet_v3_small", help="asked in one sweep: names of torchvision's, or file.py:function"
    )
    parser.add_argument("--images", type=int, default=64)
    parser.add_argument("--size", type=int, default=224, help="side of an image, px")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--batch-size", type=int, default=32)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    cv2.setNumThreads(given.threads)
    keep_freed_memory()
    models = {name: network(name) for name in given.models.split(",")}
    work = Path(tempfile.mkdtemp())
    dataset = ImageFolder(str(folder_of_images(given.size, given.images, work / "images"))).build()
    pixels = np.stack([dataset[i].image for i in range(len(dataset))])
    images = torch.from_numpy(pixels).permute(0, 3, 1, 2).float().div(255)
    images = images.contiguous(memory_format=torch.channels_last)
    ratios = []
    bare(list(models.values()), images, 1)
    for repeat in range(given.repeats):
        start = time.perf_counter()
        run = hardgen.sweep(
            models,
            dataset,
            out=work / str(repeat),
            report=False,
            batch_size=given.batch_size,
            workers=given.workers,
        )
        whole = time.perf_counter() - start
        conditions = run.conditions["condition_id"].n_unique()
        alone = bare(list(models.values()), images, conditions)
        ratios.append(whole / alone)
        answers = conditions * given.images * len(models)
        print(f"{answers} answers: sweep {whole:.2f} s, bare forward passes {alone:.2f} s, {ratios[-1]:.3f} times")
    print(f"{given.models} at {given.size} px: {np.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
