"""Lanes: threads that each perturb and ask by themselves, on one core each.

Two networks that run side by side on a core each are faster than one that is spread over two, and what one lane cannot
use another can.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TypeVar

import cv2
import torch

from hardgen.models.model import Model, twin

T = TypeVar("T")
R = TypeVar("R")


class Stopped(Exception):
    """Another lane has failed, or the run was interrupted."""


class Lanes:
    """Where batches are worked on; each lane has models of its own, which share their weights."""

    def __init__(self, teams: Sequence[Sequence[Model]], threads: ThreadPoolExecutor | None) -> None:
        """Takes the models of each lane, and the threads where there are several lanes."""
        self._threads, self._stopped, self._free = threads, False, SimpleQueue[Sequence[Model]]()
        self.count = len(teams)
        self._autocast, self._dtype = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
        for team in teams:
            self._free.put(team)

    def map(self, job: Callable[[Sequence[Model], T], R], items: Sequence[T]) -> list[R]:
        """Calls `job(models, item)` for every item; the results come in the order of the items."""
        self._stopped = False
        if self._threads is None:
            return [self._work(job, item) for item in items]
        futures = [self._threads.submit(self._work, job, item) for item in items]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            self._stopped = not all(future.done() for future in futures)
            for future in futures:
                future.cancel()
            wait(futures)
        failed = [error for future in futures if not future.cancelled() and (error := future.exception())]
        for error in sorted(failed, key=lambda error: isinstance(error, Stopped)):
            raise error
        return [future.result() for future in futures]

    def check(self) -> None:
        """Called by a job every now and then, so that it ends soon where another has failed.

        Raises:
            Stopped: where it is to end.
        """
        if self._stopped:
            raise Stopped

    def _work(self, job: Callable[[Sequence[Model], T], R], item: T) -> R:
        team = self._free.get()
        try:
            with torch.autocast("cpu", self._dtype, self._autocast):  # threads do not take this over
                return job(team, item)
        finally:
            self._free.put(team)


@contextmanager
def lanes(models: Sequence[Model], device: str) -> Iterator[Lanes]:
    """As many lanes as torch may use threads; one, on this thread, on a GPU or where a model cannot be copied.

    Args:
        models: Asked in every lane.
        device: The run's device.
    """
    count = torch.get_num_threads() if device == "cpu" else 1
    teams: list[list[Model]] = [list(models)]
    while len(teams) < count:
        team = [twin(model) for model in models]
        if None in team:
            break
        teams.append([model for model in team if model is not None])
    if len(teams) < count or count == 1:
        yield Lanes(teams[:1], None)
        return
    begun = threading.Barrier(count + 1)

    def begin() -> None:
        torch.get_num_threads()  # a thread takes over the number of all when it is first asked for
        torch.set_num_threads(1)  # its own then, and that of threads to come
        begun.wait()

    with ThreadPoolExecutor(count, thread_name_prefix="hardgen-lane") as threads:
        for _ in teams:
            threads.submit(begin)
        begun.wait()
        torch.set_num_threads(count)
        with _one_opencv_thread():
            yield Lanes(teams, threads)


_opencv = {"held": 0, "before": 1}
_LOCK = threading.Lock()


@contextmanager
def _one_opencv_thread() -> Iterator[None]:
    """OpenCV works on the thread that calls it, until the last of the sweeps of this process has ended."""
    with _LOCK:
        if not _opencv["held"]:
            _opencv["before"] = cv2.getNumThreads()
        _opencv["held"] += 1
        cv2.setNumThreads(1)
    try:
        yield
    finally:
        with _LOCK:
            _opencv["held"] -= 1
            if not _opencv["held"]:
                cv2.setNumThreads(_opencv["before"])
