"""Two knobs together beside the two alone."""

import numpy as np
import polars as pl
import pytest

from hardgen.analysis.interaction import interaction, log_odds

CONDITIONS = pl.DataFrame(
    [
        ("clean", "clean", 0.0, None, "", "", "grid"),
        ("a", "x.a", 0.5, 1.0, "u", "", "grid"),
        ("a", "y.b", 0.0, 0.0, "v", "", "grid"),
        ("b", "x.a", 0.0, 0.0, "u", "", "grid"),
        ("b", "y.b", 0.5, 2.0, "v", "", "grid"),
        ("ab", "x.a", 0.5, 1.0, "u", "", "grid"),
        ("ab", "y.b", 0.5, 2.0, "v", "", "grid"),
    ],
    ["condition_id", "axis", "hardness", "value", "unit", "spec", "mode"],
    orient="row",
)


def answers(excess: float, n: int, seed: int) -> pl.DataFrame:
    """Images of one model: each knob costs a log-odds of its own, and the two together so much more."""
    rng = np.random.default_rng(seed)
    skill = rng.random(n)
    odds = {"clean": 2.0, "a": 1.0, "b": 0.5, "ab": -0.5 - excess}
    return pl.concat(
        pl.DataFrame(
            {
                "condition_id": name,
                "model": "m",
                "sample_id": [f"{i:05d}" for i in range(n)],
                # images keep half of their luck from cell to cell, so that the cells are not independent
                "correct": np.where(rng.random(n) < 0.5, skill, rng.random(n)) < 1 / (1 + np.exp(-own)),
            }
        )
        for name, own in odds.items()
    )


@pytest.mark.parametrize("excess", [0.0, 1.0])
def test_the_planted_excess_is_found_and_its_interval_holds_it(excess: float) -> None:
    rows = [interaction(answers(excess, 400, s), CONDITIONS, 200).row(0, named=True) for s in range(200)]
    found = np.array([row["excess"] for row in rows])
    held = np.mean([row["low"] <= excess <= row["high"] for row in rows])
    assert found.mean() == pytest.approx(excess, abs=0.05)
    assert 0.91 <= held <= 0.985
    np.testing.assert_allclose(found, [r["drop_both"] - r["drop_a"] - r["drop_b"] for r in rows])


def test_accuracies_of_0_and_1_stay_finite() -> None:
    table = answers(0.0, 50, 0).with_columns(correct=pl.col("condition_id").is_in(["clean", "a"]))
    row = interaction(table, CONDITIONS, 50).row(0, named=True)
    assert all(np.isfinite(row[name]) for name in ("excess", "low", "high"))
    assert log_odds(np.array([0.0, 25.0, 50.0]), 50) == pytest.approx([-np.log(101), 0, np.log(101)])


def test_where_no_grid_was_run_there_is_nothing_to_say() -> None:
    alone = CONDITIONS.with_columns(mode=pl.lit("one_at_a_time"))
    assert interaction(answers(0.0, 50, 0), alone, 50).is_empty()
