"""Checks of randomness: keyed by seed, slot and sample, and by nothing else."""

import random

import numpy as np
import torch

from hardgen.perturbation import Perturbation
from hardgen.testing.contract import pixels, require, rng_for, turned, turns, widest
from hardgen.testing.samples import sample_batch

BATCHES = ((3,), (0, 3, 1, 6), (6, 5, 4, 3, 2, 1, 0), (3, 8, 9))


def batch_independent(cls: type[Perturbation], device: str) -> None:
    """An image's pixels do not depend on how many others share its batch, on which, or on the order."""
    tolerance = 1e-6 if torch.device(device).type == "cpu" else 1e-4
    whole = sample_batch(device=device)
    for name, perturbation in turns(cls, 0.5, 1.0):
        expected = dict(zip(whole.ids, pixels(perturbation, whole), strict=True))
        for pick in BATCHES:
            batch = sample_batch(device=device, pick=pick)
            for sample, image in zip(batch.ids, pixels(perturbation, batch), strict=True):
                off = widest(image, expected.get(sample, image))
                require(off <= tolerance, f"{name}: {sample} differs by {off:.2g} in the batch {pick}")


def repeatable(cls: type[Perturbation], device: str) -> None:
    """The same seed gives the same pixels, with fresh draws and with draws that were used before."""
    batch = sample_batch(device=device)
    for name, perturbation in turns(cls, 0.5, 1.0):
        rng = rng_for(batch)
        first, fresh, again = (perturbation(batch, r).batch.images for r in (rng, rng_for(batch), rng))
        require(widest(first, fresh) == 0.0, f"{name}: the same seed gives other pixels")
        require(widest(first, again) == 0.0, f"{name}: draws change when they are used a second time")


def _draws(cls: type[Perturbation], device: str) -> bool:
    batch = sample_batch(device=device)
    rng = rng_for(batch)
    for _, perturbation in turns(cls, 1.0):
        perturbation(batch, rng)
    return bool(rng._kept)


def seeds_differ(cls: type[Perturbation], device: str) -> None:
    """Another seed gives other pixels, if anything is drawn at all."""
    if _draws(cls, device):
        batch = sample_batch(device=device)
        for name, perturbation in turns(cls, 0.5):
            off = widest(pixels(perturbation, batch, seed=1), pixels(perturbation, batch, seed=2))
            require(off > 0, f"{name}: another seed gives the same pixels")


def slots_independent(cls: type[Perturbation], device: str) -> None:
    """Another slot of the same seed gives other pixels, if anything is drawn at all."""
    if _draws(cls, device):
        batch = sample_batch(device=device)
        for name, perturbation in turns(cls, 0.5):
            off = widest(pixels(perturbation, batch, slot="a"), pixels(perturbation, batch, slot="b"))
            require(off > 0, f"{name}: another slot gives the same pixels")


def global_state_untouched(cls: type[Perturbation], device: str) -> None:
    """The generators of torch, numpy and random are neither used nor moved."""
    kept = (torch.get_rng_state(), np.random.get_state(), random.getstate())
    on_cuda = torch.device(device).type == "cuda"
    kept_cuda = torch.cuda.get_rng_state() if on_cuda else None
    batch = sample_batch(device=device)
    try:
        for name, perturbation in turns(cls, 0.5, 1.0):
            results = []
            for seed in (1, 2):
                _seed_all(seed)
                before = _states(on_cuda)
                results.append(pixels(perturbation, batch))
                after = _states(on_cuda)
                moved = [who for who, state in before.items() if state != after[who]]
                require(not moved, f"{name} moves the global generator of {', '.join(moved)}")
            require(widest(*results) == 0.0, f"{name}: the global seed changes the pixels")
    finally:
        torch.set_rng_state(kept[0])
        np.random.set_state(kept[1])
        random.setstate(kept[2])
        if kept_cuda is not None:
            torch.cuda.set_rng_state(kept_cuda)


def _seed_all(seed: int) -> None:
    torch.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)


def _states(on_cuda: bool) -> dict[str, str]:
    states = {
        "torch": str(torch.get_rng_state().tolist()),
        "numpy": str([np.asarray(part).tolist() for part in np.random.get_state()]),
        "random": str(random.getstate()),
    }
    if on_cuda:
        states["torch.cuda"] = str(torch.cuda.get_rng_state().tolist())
    return states


def draws_ignore_knobs(cls: type[Perturbation], device: str) -> None:
    """The same draws, by name and shape, are made wherever a knob stands, so that difficulty is nested."""
    batch = sample_batch(device=device)
    for knob in cls.knobs():
        made = []
        for hardness in (0.25, 1.0):
            perturbation, rng = turned(cls, knob, hardness), rng_for(batch)
            perturbation(batch, rng)
            if not perturbation.neutral:
                made.append({"/".join(map(str, key)) for key in rng._kept})
        odd = sorted(made[0] ^ made[-1])
        require(not odd, f"{knob}: a draw depends on the knob: {', '.join(odd)}")
