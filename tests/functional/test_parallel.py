"""Threads change nothing but the time."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import hardgen.perturbations  # noqa: F401  (fills the registry)
from hardgen.functional.parallel import LEAST_JOB, LEAST_WORK, by_image, drawn_once, spread
from hardgen.registry import get
from hardgen.rng import SampleRng
from hardgen.testing import sample_batch


@pytest.fixture
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_every_job_runs_once_on_several_threads(three_threads) -> None:
    done, names = [], set()

    def job(i: int) -> None:
        done.append(i)
        names.add(threading.current_thread().name)
        threading.Event().wait(0.01)

    spread(job, 12, 12 * LEAST_JOB)
    assert sorted(done) == list(range(12))
    assert len(names) == 3
    assert threading.current_thread().name in names


def test_little_work_stays_on_this_thread(three_threads) -> None:
    names = set()
    spread(lambda i: names.add(threading.current_thread().name), 5, LEAST_WORK - 1)
    assert names == {threading.current_thread().name}


@pytest.mark.parametrize("bad", range(5))
def test_an_error_in_any_thread_comes_out(bad: int, three_threads) -> None:
    def job(i: int) -> None:
        if i == bad:
            raise ValueError("the bad one")

    with pytest.raises(ValueError, match="the bad one"):
        spread(job, 5, 2 * LEAST_WORK)


def test_work_handed_out_within_work_is_done(three_threads) -> None:
    done = []
    spread(lambda i: spread(lambda j: done.append((i, j)), 4, LEAST_WORK), 4, LEAST_WORK)
    assert sorted(done) == [(i, j) for i in range(4) for j in range(4)]


@pytest.mark.parametrize("layout", [torch.channels_last, torch.contiguous_format])
def test_images_come_out_in_their_places(layout, three_threads) -> None:
    images = torch.rand(5, 3, 120, 100).contiguous(memory_format=layout)
    made = by_image(images, lambda image, i: image * (i + 1))
    assert made.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(made, images * torch.arange(1.0, 6.0)[:, None, None, None])


@pytest.mark.parametrize("name", ["gaussian_noise", "gaussian_blur", "motion_blur", "rotation"])
def test_pixels_do_not_depend_on_the_threads(name: str, three_threads) -> None:
    batch = sample_batch(160, 160)
    perturbation = get(name)().at(0.5)
    several = perturbation(batch, SampleRng(0, "s", batch.ids)).batch.images
    torch.set_num_threads(1)
    alone = perturbation(batch, SampleRng(0, "s", batch.ids)).batch.images
    torch.testing.assert_close(alone, several, atol=1e-6, rtol=0)  # Fourier transforms round by the number of threads


def test_of_threads_that_ask_at_once_one_works_it_out() -> None:
    asked: list[int] = []

    @drawn_once(2)
    def slow(n: int) -> list[int]:
        asked.append(n)
        threading.Event().wait(0.02)
        return [n]

    with ThreadPoolExecutor(4) as threads:
        given = list(threads.map(slow, [1, 1, 2, 1]))
    assert given == [[1], [1], [2], [1]]
    assert given[0] is given[1]
    assert sorted(asked) == [1, 2]
    with pytest.raises(TypeError):
        slow([])  # type: ignore[arg-type]
    assert slow(3) == [3]
