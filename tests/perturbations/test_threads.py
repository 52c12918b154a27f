"""What is drawn once and kept is the same whichever thread, or process, draws it."""

import hashlib
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import hardgen.perturbations  # noqa: F401  (fills the registry)
from hardgen.registry import get
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch

SHEETS = ["rain", "snow", "spatter", "mud"]
NAMES = [*SHEETS, "sun_flare", "superpixels", "downscale", "caustics", "text_overlay", "jpeg", "swirl"]
LIBRARIES = ["kornia_corner_light", "kornia_thin_plate", "albumentations_sepia", "torchvision_equalize"]
THREADS = 8


@pytest.fixture
def _restless() -> Iterator[None]:
    """Threads take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def forget() -> None:
    """Empties every cache of the package."""
    for module in [m for name, m in sys.modules.items() if name.startswith("hardgen.")]:
        for kept in vars(module).values():
            if getattr(kept, "__module__", "") == module.__name__ and hasattr(kept, "cache_clear"):
                kept.cache_clear()


def digest(name: str, ready: Callable[[], object] = list) -> str:
    batch = sample_batch(64, 80, pick=(0, 1, 5))
    ready()
    outcome = get(name)().at(0.7)(batch, SampleRng(0, "s", batch.ids))
    doses = torch.cat([outcome.doses[dose] for dose in sorted(outcome.doses)])
    return hashlib.sha256(outcome.batch.images.numpy().tobytes() + doses.numpy().tobytes()).hexdigest()


@pytest.mark.usefixtures("_restless")
@pytest.mark.parametrize("name", NAMES + LIBRARIES)
def test_threads_that_come_at_once_get_the_pixels_of_one(name: str) -> None:
    alone, barrier = digest(name), threading.Barrier(THREADS)
    forget()

    def one(_: int) -> str:
        return digest(name, barrier.wait)

    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(3):
            assert set(threads.map(one, range(THREADS))) == {alone}


def test_another_process_gets_the_same_pixels() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(digest, SHEETS) == [digest(name) for name in SHEETS]
