"""Lanes change nothing but the time."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

import hardgen
from hardgen.data.digits import Digits
from hardgen.models.digits_cnn import DigitsCnn
from hardgen.models.model import CHUNK, Model, copy_of, twin
from hardgen.sweeps.batches import shares
from hardgen.sweeps.lanes import Stopped, lanes


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


class Forgetful(nn.Module):
    """Keeps what it was last asked, as modules with hooks do, and would mix up threads that share it."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(-1, 1, 10)[:, None])

    def forward(self, images: Tensor) -> Tensor:
        self.last = images.mean((1, 2, 3))
        time.sleep(0.001)
        return self.last[:, None] * self.weight.T * 20


def tables(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.parquet")}


def test_the_files_do_not_depend_on_the_number_of_threads_or_the_batch_size(tmp_path: Path, threads: int) -> None:
    models: dict[str, Any] = {"digits_cnn": DigitsCnn().build(), "forgetful": Forgetful()}
    found = []
    for number, size in ((threads, 7), (1, 32)):
        torch.set_num_threads(number)
        out = tmp_path / str(size)
        hardgen.sweep(
            models, Digits(limit=60).build(), ["gaussian_blur", "rectangle"], out=out, report=False, batch_size=size
        )
        found.append(tables(out))
    assert found[0] == found[1]


def test_there_are_as_many_lanes_as_threads_and_the_numbers_come_back(threads: int) -> None:
    models, opencv = [DigitsCnn().build()], cv2.getNumThreads()
    seen = set()

    def work(team: Sequence[Model], item: int) -> int:
        time.sleep(0.005)
        seen.add((threading.current_thread().name, torch.get_num_threads()))
        return item * item

    with lanes(models, "cpu") as made:
        assert made.map(work, range(20)) == [i * i for i in range(20)]
    assert len(seen) == threads
    assert {count for _, count in seen} == {1}
    assert torch.get_num_threads() == threads
    assert cv2.getNumThreads() == opencv


def test_on_a_gpu_and_with_a_model_that_cannot_be_copied_there_is_one_lane(threads: int) -> None:
    def work(team: Sequence[Model], item: int) -> tuple[str, int]:
        return threading.current_thread().name, torch.get_num_threads()

    class Alone:
        name = "alone"

    here = {(threading.current_thread().name, threads)}
    for models, device in (([DigitsCnn().build()], "cuda"), ([DigitsCnn().build(), Alone()], "cpu")):
        with lanes(models, device) as made:  # type: ignore[arg-type]
            assert set(made.map(work, range(4))) == here


def test_a_failure_ends_the_other_lanes_soon_and_is_the_one_that_comes_out() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)

    def work(team: Sequence[Model], item: int) -> None:
        if item == 1:
            raise ZeroDivisionError("the first")
        for _ in range(1000):
            made.check()
            time.sleep(0.01)

    start = time.monotonic()
    with lanes([DigitsCnn().build()], "cpu") as made, pytest.raises(ZeroDivisionError, match="the first"):
        made.map(work, range(6))
    assert time.monotonic() - start < 5
    torch.set_num_threads(before)
    with pytest.raises(Stopped):
        made.check()


def test_a_twin_shares_weights_and_nothing_that_a_pass_leaves_behind() -> None:
    module = Forgetful()
    model = hardgen.models.callable.wrap_callable(module, "forgetful")
    other = twin(model)
    assert other is not None
    images = torch.rand(3, 3, 4, 4)
    assert torch.equal(other.log_probabilities(images), model.log_probabilities(images))
    assert other.fingerprint() == model.fingerprint()
    with torch.no_grad():
        module.weight.zero_()
    assert torch.equal(other.log_probabilities(images), torch.full((3, 10), 0.1).log())
    module.lock = threading.Lock()  # type: ignore[assignment]
    assert twin(model) is None
    assert twin(hardgen.models.callable.wrap_callable(lambda x: x.mean((2, 3)), "plain")) is None


@given(st.integers(0, 400), st.integers(1, 256), st.integers(1, 20))
def test_batches_cover_every_image_once_are_small_enough_and_come_out_even(count: int, size: int, lanes: int) -> None:
    found = shares(count, size, lanes)
    assert [i for piece in found for i in piece] == list(range(count))
    assert all(0 < len(piece) <= size for piece in found)
    if lanes > 1 and size >= CHUNK:
        chunks = [-(-len(piece) // CHUNK) for piece in found]
        assert sum(chunks) == -(-count // CHUNK), "no chunk is asked that need not be"
        assert len(found) >= min(lanes, sum(chunks))
        assert max(chunks, default=0) - min(chunks, default=0) <= 1


def test_batches_of_a_part() -> None:
    assert [len(piece) for piece in shares(256, 32, 1)] == [32] * 8
    assert [len(piece) for piece in shares(32, 32, 2)] == [16, 16]
    assert [len(piece) for piece in shares(88, 32, 2)] == [32, 16, 32, 8]
    assert [len(piece) for piece in shares(256, 32, 16)] == [16] * 16
    assert [len(piece) for piece in shares(10, 4, 2)] == [4, 4, 2]


def test_modules_that_keep_things_elsewhere_are_not_copied() -> None:
    kept: list[Tensor] = []
    hooked, closed, buffered = Forgetful(), Forgetful(), Forgetful()
    hooked.register_forward_hook(lambda module, args, out: kept.append(out))
    closed.note = lambda x: kept.append(x)  # type: ignore[assignment]
    assert copy_of(hooked) is None
    assert copy_of(closed) is None
    buffered.register_buffer("seen", torch.zeros(1))
    other = copy_of(buffered)
    assert other is not None
    other.seen += 1
    assert float(buffered.seen) == 0
    assert other.weight is buffered.weight


class Moody(nn.Module):
    """Answers otherwise in training mode, and takes its time."""

    def forward(self, images: Tensor) -> Tensor:
        time.sleep(0.002)
        return torch.full((len(images), 10), float(self.training)).log_softmax(1) + torch.eye(10)[int(self.training)]


def test_sweeps_at_once_share_a_module_and_leave_everything_as_it_was(tmp_path: Path) -> None:
    before = cv2.getNumThreads()
    module, found = nn.Sequential(Moody(), nn.Dropout()), {}
    module.train()
    module[1].eval()

    def one(name: str, count: int) -> None:
        data = Digits(limit=count).build()
        found[name] = hardgen.sweep(module, data, ["contrast"], hardness=[1.0], out=tmp_path / name, report=False)

    threads = [threading.Thread(target=one, args=(f"run{i}", 10 + 30 * i)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.answers["prediction"].unique().to_list() for run in found.values()] == [[0]] * 3
    assert (module.training, module[0].training, module[1].training) == (True, True, False)
    assert cv2.getNumThreads() == before


class Types(nn.Module):
    """Tells whether it was asked under autocast."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 10)

    def forward(self, images: Tensor) -> Tensor:
        answers = self.layer(images.mean((2, 3)))
        bright = torch.eye(10)[int(answers.dtype == torch.bfloat16)]
        return bright.expand(len(images), 10)


def test_lanes_take_autocast_over(tmp_path: Path, threads: int) -> None:
    for enabled in (True, False):
        with torch.autocast("cpu", torch.bfloat16, enabled):
            run = hardgen.sweep(
                Types(),
                Digits(limit=20).build(),
                ["contrast"],
                hardness=[1.0],
                out=tmp_path / f"{enabled}",
                report=False,
            )
        assert run.answers["prediction"].unique().to_list() == [int(enabled)]
