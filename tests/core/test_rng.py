"""Draws depend on (seed, slot, sample, name) and on nothing else."""

import numpy as np
import torch
from scipy import stats

from hardgen.rng import SampleRng


def test_a_sample_draws_the_same_in_any_company() -> None:
    together = SampleRng(0, "a", ["x", "y", "z"]).normal("n", 4)
    alone = SampleRng(0, "a", ["y"]).normal("n", 4)
    assert torch.equal(together[1], alone[0])


def test_seed_slot_sample_and_name_each_matter() -> None:
    base = SampleRng(0, "a", ["x"]).normal("n", 64)
    others = [
        SampleRng(1, "a", ["x"]).normal("n", 64),
        SampleRng(0, "b", ["x"]).normal("n", 64),
        SampleRng(0, "a", ["y"]).normal("n", 64),
        SampleRng(0, "a", ["x"]).normal("m", 64),
    ]
    for other in others:
        assert abs(np.corrcoef(base[0], other[0])[0, 1]) < 0.5


def test_names_are_framed_so_that_parts_cannot_run_together() -> None:
    assert not torch.equal(SampleRng(0, "ab", ["c"]).normal("n", 4), SampleRng(0, "a", ["bc"]).normal("n", 4))


def test_an_id_that_is_no_valid_text_draws_like_any_other() -> None:
    rows = SampleRng(0, "a", ["x", "\udcff", "\udcfe", "\ud800"]).normal("n", 8)
    assert torch.equal(rows[0], SampleRng(0, "a", ["x"]).normal("n", 8)[0])
    assert len(torch.unique(rows, dim=0)) == 4


def test_distributions() -> None:
    rng = SampleRng(0, "a", ["x"])
    normal, uniform, whole = rng.normal("n", 100_000), rng.uniform("u", 100_000), rng.integers("i", 5, 10_000)
    assert abs(normal.mean().item()) < 0.02
    assert abs(normal.std().item() - 1) < 0.02
    assert 0 <= uniform.min() < 0.001
    assert 0.999 < uniform.max() < 1
    assert set(whole.flatten().tolist()) == {0, 1, 2, 3, 4}
    assert sorted(rng.permutation("p", 9)[0].tolist()) == list(range(9))


def test_normal_numbers_are_normal_and_independent() -> None:
    numbers = SampleRng(0, "a", ["x"]).normal("n", 100_003)[0].double().numpy()
    assert stats.kstest(numbers, "norm").pvalue > 0.01
    assert abs(stats.kurtosis(numbers)) < 0.05
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.01
    assert abs(np.corrcoef(numbers[:-4], numbers[4:])[0, 1]) < 0.01
    assert 4.0 < np.abs(numbers).max() < 4.4


def test_a_draw_is_made_once() -> None:
    rng = SampleRng(0, "a", ["x"])
    assert rng.normal("n", 4) is rng.normal("n", 4)


def test_streams_are_pinned() -> None:
    """The numbers themselves: a change here changes every variant ever made."""
    values = SampleRng(0, "slot", ["sample"]).uniform("draw", 3)[0]
    assert values.tolist() == [0.8890605568885803, 0.6477017402648926, 0.4707303047180176]
