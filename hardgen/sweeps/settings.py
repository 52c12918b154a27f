"""How a sweep is run: what does not change its answers, and the seed, which does."""

import dataclasses
from dataclasses import dataclass

import torch

from hardgen.batch import Batch, Donors
from hardgen.data.dataset import Dataset
from hardgen.data.loading import OnError, donors
from hardgen.errors import HardgenError
from hardgen.sweeps.shards import PART


@dataclass(frozen=True)
class Settings:
    """How variants are made and models asked; of these only `seed` changes what comes of it.

    Attributes:
        seed: Keys every draw.
        batch_size: Images perturbed and asked at a time, 1 to 256; halved where the memory does not suffice.
        workers: Processes that decode images; 0 decodes in this one.
        device: `auto` (CUDA where there is a GPU), `cpu`, `cuda` or `cuda:N`.
        on_error: What an unreadable image does: `skip` (it is named and counted) or `raise`.
        fail_fast: Whether the first failure of a model or a perturbation ends the run; else the rest is asked first.
    """

    seed: int = 0
    batch_size: int = 32
    workers: int = 0
    device: str = "auto"
    on_error: OnError = OnError.skip
    fail_fast: bool = False

    def __post_init__(self) -> None:
        """Checks the numbers, and settles `auto`."""
        if not 1 <= self.batch_size <= PART:
            raise HardgenError(f"batch_size must be in [1, {PART}]; got {self.batch_size}")
        if self.workers < 0:
            raise HardgenError(f"workers must be 0 or more; got {self.workers}")
        gpu = torch.cuda.is_available()
        if self.device == "auto":
            object.__setattr__(self, "device", "cuda" if gpu else "cpu")
        elif self.device != "cpu" and not (gpu and self.device.startswith("cuda")):
            raise HardgenError(f"device must be auto, cpu or, where there is a GPU, cuda; got {self.device!r}")


def pool_on(dataset: Dataset, settings: Settings) -> Donors:
    """The run's donors, on its device."""
    pool = donors(dataset, settings.seed)
    return Donors(pool.images.to(settings.device), pool.labels, pool.ids)


def moved(batch: Batch, settings: Settings) -> Batch:
    """The batch on the run's device."""
    if settings.device == "cpu":
        return batch
    masks = None if batch.masks is None else batch.masks.to(settings.device)
    images = batch.images.pin_memory().to(settings.device, non_blocking=True)
    return dataclasses.replace(batch, images=images, masks=masks)
