"""Even spacing and the steps of a curve, on curves that are known."""

import numpy as np
import polars as pl
import pytest

from hardgen.analysis.answers import Answers
from hardgen.analysis.spacing import even_spacing
from hardgen.analysis.steps import steps
from hardgen.errors import HardgenError

AT = np.linspace(0, 1, 41)


def test_a_known_curve_is_inverted() -> None:
    found = even_spacing(AT, 0.1 + 0.8 * AT**2, 5, 1.0)
    np.testing.assert_allclose(found, np.sqrt(np.linspace(0, 1, 6)), atol=2e-3)


def test_span_leaves_out_the_end() -> None:
    found = even_spacing(AT, np.minimum(2 * AT, 1), 4, 0.5)
    np.testing.assert_allclose(found, [0, 0.0625, 0.125, 0.1875, 0.25], atol=1e-4)


def test_a_flat_start_is_skipped_and_a_flat_end_reached_early() -> None:
    found = even_spacing(AT, np.clip(2 * AT - 0.5, 0, 1), 2, 1.0)
    np.testing.assert_allclose(found, [0, 0.5, 0.75], atol=1e-4)


def test_noise_is_made_monotone() -> None:
    wobbly = AT + 0.05 * np.where(np.arange(41) % 2, 1, -1)
    found = even_spacing(AT, wobbly, 5, 1.0)
    assert (np.diff(found) > 0).all()
    np.testing.assert_allclose(found[1:-1], [0.2, 0.4, 0.6, 0.8], atol=0.06)


def test_what_does_not_rise_is_refused() -> None:
    with pytest.raises(HardgenError, match="does not rise"):
        even_spacing(AT, 1 - AT, 5, 1.0)
    with pytest.raises(HardgenError, match="too steeply"):
        even_spacing([0, 0.5, 0.50001, 1], [0, 0, 1, 1], 5, 1.0)


def answers(right: list[list[int]]) -> Answers:
    table = np.array(right)
    samples = pl.DataFrame(
        [("m", f"c{j}", f"s{i}", bool(table[i, j])) for i in range(table.shape[0]) for j in range(table.shape[1])],
        schema=["model", "condition_id", "sample_id", "correct"],
        orient="row",
    )
    count = table.shape[1]
    points = pl.DataFrame(
        {
            "condition_id": [f"c{j}" for j in range(count)],
            "axis": ["a.k"] * count,
            "hardness": [j / (count - 1) for j in range(count)],
            "value": [float(j) for j in range(count)],
            "unit": ["u"] * count,
        }
    )
    return Answers.of(samples, points, 10)


def test_steps_of_an_even_curve() -> None:
    row = steps(answers([[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 1, 1]])).row(0, named=True)
    assert (row["steps"], row["smallest"], row["largest"], row["ratio"], row["variation"]) == (2, 0.25, 0.25, 1.0, 0.0)
    assert (row["rise"], row["rise_z"], row["rise_at"]) == (0.0, 0.0, None)


def test_a_rise_is_found_with_its_paired_z() -> None:
    right = [[1, 0, 1]] * 9 + [[1, 1, 0]] + [[1, 1, 1]] * 10
    row = steps(answers(right)).row(0, named=True)
    assert row["ratio"] == float("inf")
    assert row["rise"] == pytest.approx(8 / 20)
    assert row["rise_z"] == pytest.approx(8 / np.sqrt(10))
    assert row["rise_at"] == 1.0
