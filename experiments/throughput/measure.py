"""Timing in turns, and peak memory."""

import math
import statistics
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import cv2
import torch
from rich.console import Console
from rich.progress import track

from experiments.throughput.effects import EFFECTS
from experiments.throughput.libraries import Images, Reference, Timed, ours, peer_timed, photographs
from experiments.throughput.memory import peak
from experiments.throughput.rows import Row
from hardgen.pipeline import build
from hardgen.registry import perturbations

LONGEST = 1.0
"""Seconds that one repeat of a library that goes image by image may take; it is timed on fewer images if need be."""

SHORTEST = 0.1
"""Seconds that every library's turn lasts at least, so that cold caches after the turn of another count for little."""


class Bench:
    """The libraries, one at a time, on the same images."""

    def __init__(self, peers: Sequence[str], repeats: int, out: Path, doses: bool = False) -> None:
        self.peers, self.repeats, self.out, self.doses = peers, repeats, out, doses
        self.reference = Reference(out) if "imagecorruptions" in peers else None

    def setting(self, size: int, batch: int, threads: int, only: set[str], every: bool, memory: bool) -> list[Row]:
        """Compares everything at one size, batch and number of threads."""
        torch.set_num_threads(threads)
        cv2.setNumThreads(threads)
        images = photographs(size, batch)
        if self.reference:
            self.reference.prepare(images, threads)
        jobs = self._jobs(images, only, every)
        rows: list[Row] = []
        for name, own, theirs in track(
            jobs, f"{size} px, batch {batch}, {threads} threads", console=Console(stderr=True)
        ):
            rows += self._compare((size, batch, threads), name, own, theirs, batch, memory)
        return rows

    def _jobs(self, images: Images, only: set[str], every: bool) -> list[tuple[str, Timed, dict[str, Timed]]]:
        side, known, jobs = images.shape[1], perturbations(), []
        for name in known:
            if name.startswith("imagenet_c_") and self.reference and (not only or name in only):
                short = name.removeprefix("imagenet_c_")
                jobs.append(
                    (
                        name,
                        ours(images, build(name, {"severity": 3}), self.doses),
                        {"imagecorruptions": self.reference.timed(short)},
                    )
                )
        matched = {effect.name: effect for effect in EFFECTS if effect.name in known}
        for name in known:
            effect = matched.get(name)
            if (only and name not in only) or name.startswith("imagenet_c_") or not (effect or every):
                continue
            perturbation = known[name]().at(0.5)
            theirs: dict[str, Timed] = {}
            if effect:
                fields = effect.fields(side)
                perturbation = build(name, fields) if fields else perturbation
                theirs = {peer: timed for peer in self.peers if (timed := peer_timed(peer, effect, images))}
            if theirs or every:
                jobs.append((name, ours(images, perturbation, self.doses), theirs))
        return jobs

    def _compare(
        self, where: tuple[int, int, int], name: str, own: Timed, theirs: dict[str, Timed], batch: int, memory: bool
    ) -> list[Row]:
        counts = {peer: _affordable(timed, batch) for peer, timed in theirs.items()}
        own(batch)
        speeds: dict[str, list[float]] = {peer: [] for peer in ("", *theirs)}
        for _ in range(self.repeats):
            speeds[""].append(_speed(own, batch))
            for peer, timed in theirs.items():
                speeds[peer].append(_speed(timed, counts[peer]))
        top = peak(lambda: own(batch)) / 2**20 if memory else math.nan
        rows = []
        for peer in theirs or ("",):
            ratios = [a / b for a, b in zip(speeds[""], speeds[peer], strict=True)]
            used = math.nan
            if memory and peer == "imagecorruptions" and self.reference:
                used = self.reference.peak(name.removeprefix("imagenet_c_")) / 2**20
            elif memory and peer:
                used = peak(partial(theirs[peer], batch)) / 2**20
            speed, other = statistics.median(speeds[""]), statistics.median(speeds[peer]) if peer else math.nan
            spread = (statistics.median(ratios), min(ratios), max(ratios)) if peer else (math.nan,) * 3
            rows.append(Row(*where, name, peer, speed, other, *spread, top, used))
        return rows


def _speed(timed: Timed, count: int) -> float:
    """Images per second of a library at its turn."""
    calls, seconds = 0, 0.0
    while seconds < SHORTEST:
        seconds += timed(count)
        calls += 1
    return calls * count / seconds


def _affordable(timed: Timed, batch: int) -> int:
    """How many images of the batch a repeat may take without lasting too long; the first call also warms up."""
    timed(1)
    each = timed(1)
    return max(min(batch, int(LONGEST / max(each, 1e-9))), 1)
