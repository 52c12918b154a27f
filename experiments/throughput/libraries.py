"""What is timed: each library from decoded 8-bit images to the float batch that a model takes."""

import itertools
import json
import subprocess
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

import hardgen.perturbations  # noqa: F401  (fills the registry)
from experiments.throughput.effects import Effect
from hardgen.batch import Batch
from hardgen.data.loading import sample_photographs
from hardgen.functional.coded import Coded
from hardgen.perturbation import Perturbation
from hardgen.pipeline import rounded
from hardgen.rng import SampleRng

HERE = Path(__file__).parent
PINS = ("imagecorruptions==1.1.2", "numpy<3", "scikit-image<0.27", "setuptools<81")
Images = NDArray[np.uint8]
"""N x side x side x 3."""
Timed = Callable[[int], float]
"""Given a number of images, the seconds that they take."""


def photographs(side: int, count: int) -> Images:
    """Pieces of the two photographs that ship inside scikit-learn."""
    from sklearn.datasets import load_sample_images

    sources = [Image.fromarray(a) for a in load_sample_images().images]
    rng, pieces = np.random.default_rng(0), []
    for i in range(count):
        source = sources[i % 2]
        cut = int(rng.integers(160, source.height))
        left, top = int(rng.integers(0, source.width - cut)), int(rng.integers(0, source.height - cut))
        piece = source.crop((left, top, left + cut, top + cut))
        pieces.append(np.asarray(piece.resize((side, side), Image.Resampling.BILINEAR)))
    return np.stack(pieces)


def clocked(call: Callable[[Images], Tensor], images: Images) -> Timed:
    """Times a call on the first images."""

    def timed(count: int) -> float:
        start = time.perf_counter()
        made = call(images[:count])
        seconds = time.perf_counter() - start
        assert made.shape == (count, 3, *images.shape[1:3])
        assert made.dtype == torch.float32
        return seconds

    return timed


def floats(images: Images) -> Tensor:
    """8-bit images to a float batch."""
    return torch.from_numpy(images).permute(0, 3, 1, 2).float().div_(255)


def ours(images: Images, perturbation: Perturbation, doses: bool = False) -> Timed:
    """The work as a sweep does it: fresh draws each time, rounded to 8 bits; its doses are measured if wanted."""
    pool, seeds = sample_photographs(), itertools.count()

    def call(some: Images) -> Tensor:
        ids = tuple(f"image-{i}.png" for i in range(len(some)))
        labels, classes = (0,) * len(ids), ("flower", "temple")
        batch = Batch(Coded.of(some), ids, labels, donors=pool, classes=classes, on_grid=True)
        outcome = perturbation(batch, SampleRng(next(seeds), "slot", ids))
        if doses:
            dict(outcome.doses)
        return rounded(outcome.batch).images

    return clocked(call, images)


def peer_timed(peer: str, effect: Effect, images: Images) -> Timed | None:
    """A peer's version of an effect, if it has one at this size."""
    make: Callable[[int], Any] | None = getattr(effect, peer, None)
    if make is None:
        return None
    transform = make(images.shape[1])
    if transform is None:
        return None
    if peer == "albumentations":
        return clocked(lambda some: floats(np.stack([transform(image=image)["image"] for image in some])), images)
    if peer == "torchvision" and effect.uint8:
        return clocked(lambda some: transform(torch.from_numpy(some).permute(0, 3, 1, 2)).float().div_(255), images)
    return clocked(lambda some: transform(floats(some)), images)


class Reference:
    """imagecorruptions, in a process and a virtual environment of its own."""

    def __init__(self, out: Path) -> None:
        self.file = out / ".images.npy"
        python = HERE / ".venv" / "bin" / "python"
        if not (HERE / ".venv" / "ready").exists():
            venv.create(HERE / ".venv", with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *PINS], check=True)
            (HERE / ".venv" / "ready").touch()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([python, HERE / "reference_worker.py"], stdin=pipe, stdout=pipe, text=True)

    def ask(self, **question: Any) -> Any:
        """One question, one answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(question), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the process of imagecorruptions ended; its error stands above")
        return json.loads(line)

    def prepare(self, images: Images, threads: int) -> None:
        """Hands the images over."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        np.save(self.file, images)
        self.ask(prepare={"file": str(self.file), "threads": threads})
        self.file.unlink()

    def timed(self, name: str) -> Timed:
        """A corruption at severity 3."""
        return lambda count: float(self.ask(run=name, count=count)["seconds"])

    def peak(self, name: str) -> int:
        """Bytes of its peak memory on the whole batch."""
        return int(self.ask(peak=name)["bytes"])
