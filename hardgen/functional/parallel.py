"""Images of a batch side by side: OpenCV and NumPy let the interpreter go, so that threads do share the work."""

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

P = ParamSpec("P")
T = TypeVar("T")

NAME = "hardgen-images"
"""How threads are called; work handed out from one of them stays on it."""

LEAST_WORK, LEAST_JOB = 1 << 17, 1 << 14
"""Values of a whole batch, and of one image, below which one thread is faster than several."""


def by_image(images: Tensor, how: Callable[[NDArray[np.float32], int], NDArray[Any]]) -> Tensor:
    """Runs a function on every image of a CPU tensor as H x W x C, over as many threads as torch may use.

    Args:
        images: B x C x H x W float32 on the CPU; no copy is made where they are channels_last.
        how: Called with an image, H x W x C float32, read only, and its place in the batch; gives H x W x C or, for one
            channel, H x W. It must not depend on the order of calls.

    Returns:
        B x C x H x W float32, channels_last.
    """
    out = torch.empty_like(images, memory_format=torch.channels_last)
    sources, results = images.permute(0, 2, 3, 1), out.permute(0, 2, 3, 1)

    def one(i: int) -> None:
        result = results[i].numpy()
        result[...] = how(np.ascontiguousarray(sources[i].numpy()), i).reshape(result.shape)

    spread(one, len(images), images.numel())
    return out


def spread(job: Callable[[int], object], count: int, work: int) -> None:
    """Calls job(0) to job(count - 1), over threads where the work is worth it: a run of neighbours for each thread.

    Args:
        job: Independent of the others; it should spend its time in code that lets the interpreter go.
        count: Number of calls.
        work: Values that all calls together go through.
    """
    threads = min(torch.get_num_threads(), count)
    small = work < LEAST_WORK or work < LEAST_JOB * count
    if threads < 2 or small or threading.current_thread().name.startswith(NAME):
        _run(job, range(count))
        return
    runs = [range(count * k // threads, count * (k + 1) // threads) for k in range(threads)]
    others = [_pool(threads - 1).submit(_run, job, run) for run in runs[1:]]
    try:
        _run(job, runs[0])
    finally:
        wait(others)
    for other in others:
        other.result()


def _run(job: Callable[[int], object], places: range) -> None:
    for i in places:
        job(i)


@functools.lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix=NAME)


def drawn_once(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keeps what a slow function gave for its last `most` arguments; of threads that ask at once, one works it out.

    Args:
        most: How many results are kept; they are shared and must not be written to.
    """

    def decorate(how: Callable[P, T]) -> Callable[P, T]:
        kept, lock = functools.lru_cache(maxsize=most)(how), threading.Lock()

        @functools.wraps(kept)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            with lock:
                return kept(*args, **kwargs)  # type: ignore[arg-type, unused-ignore]

        vars(call)["cache_clear"] = kept.cache_clear
        return call

    return decorate
