"""What searches tell of images."""

import numpy as np
import polars as pl
import pytest

from hardgen.analysis.critical import Trace, critical
from hardgen.sweeps.margins import GRID, crossed

HARDNESS = [0.0, 0.25, 0.5, 0.75, 1.0]


def tables(margins: dict[str, list[float | None]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables of images with these margins at five levels, None where not asked."""
    rows = []
    for sample_id, own in margins.items():
        for place, margin in enumerate(own):
            if margin is not None:
                right, p = margin > 0, 1 / (1 + np.exp(-margin))
                loss, best = (-np.log(p), p) if right else (0.7 - margin, np.exp(-0.7))
                rows.append((f"c{place}", "m", sample_id, right, best, loss))
    names = ["condition_id", "model", "sample_id", "correct", "confidence", "loss"]
    places = {"condition_id": [f"c{i}" for i in range(5)], "axis": "blur.sigma", "hardness": HARDNESS}
    return critical(pl.DataFrame(rows, names, orient="row"), pl.DataFrame(places))


def test_first_fail_last_pass_and_coming_back() -> None:
    images, found = tables(
        {
            "falls": [2, 1, -1, -2, -3],
            "comes back": [2, -1, 1, -1, None],
            "holds": [3, 3, 3, 3, 3],
            "never right": [-1, -1, -1, -1, -1],
            "right late": [-1, -1, -1, -1, 1],
        }
    )
    row = {r["sample_id"]: r for r in images.iter_rows(named=True)}
    assert [row[i]["first_fail"] for i in ("falls", "comes back", "holds", "never right")] == [0.5, 0.25, None, 0]
    assert [row[i]["last_pass"] for i in ("falls", "comes back", "holds", "never right")] == [0.25, 0.5, 1, None]
    assert {i for i in row if row[i]["nonmonotone"]} == {"comes back", "right late"}
    assert all(r["sure"] and r["earlier"] == 0 for r in row.values()), "no level before a first failure was left out"
    summary = found.row(0, named=True)
    assert (summary["n"], summary["sure"], summary["questions"]) == (5, 1.0, 24 / 5)
    assert (summary["quarter"], summary["median"], summary["three_quarters"]) == (0.0, 0.25, 0.5)
    assert summary["nonmonotone"] == pytest.approx(0.4)
    assert summary["low"] < 0.4 < summary["high"]


def test_a_failure_whose_neighbour_was_not_asked_is_not_sure() -> None:
    images, _ = tables({"open": [3, None, -1, None, -2], "closed": [3, 3, -1, None, -2]})
    assert dict(images.select("sample_id", "sure").iter_rows()) == {"open": False, "closed": True}


def test_a_gap_between_small_margins_is_less_sure_than_one_between_large_ones() -> None:
    images, _ = tables(
        {"near": [0.1, None, 0.1, -1, None], "far": [9.0, None, 9.0, -1, None], "a": [1, 0.9, 1, -1, -2]}
    )
    earlier = dict(images.select("sample_id", "earlier").iter_rows())
    assert earlier["far"] < 1e-3 < earlier["near"]


def test_the_roughness_of_a_brownian_path_is_its_variance() -> None:
    rng = np.random.default_rng(0)
    path = 2 + np.cumsum(rng.normal(0, np.sqrt(40 / 32), (4000, 33)), axis=1)
    path[rng.random(path.shape) < 0.5] = np.nan
    mean, typical = Trace(np.linspace(0, 1, 33), path).roughness()
    assert mean == pytest.approx(40, rel=0.03)
    assert typical == pytest.approx(40, rel=0.05)


@pytest.mark.parametrize(("left", "right"), [(1.0, 1.0), (0.3, 2.0), (-1.0, -0.5)])
def test_a_crossing_is_as_likely_as_on_simulated_bridges(left: float, right: float) -> None:
    steps, roughness = 8, 30.0
    rng = np.random.default_rng(1)
    walk = np.cumsum(rng.normal(0, np.sqrt(roughness / 32), (100_000, steps)), axis=1)
    at = np.arange(1, steps + 1) / steps
    bridge = walk - at * walk[:, -1:] + left + at * (right - left)
    seen = (np.sign(bridge[:, :-1]) != np.sign(left)).any(1).mean()
    assert crossed(left, right, steps / 32, 1 / 32, roughness) == pytest.approx(seen, abs=0.04)
    assert crossed(left, right, 1 / 32, 1 / 32, roughness) == 0, "there is no level between neighbours"
    assert GRID == 0.5826
