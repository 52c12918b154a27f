"""`hardgen calibrate`: what it writes makes equal steps where a sweep includes it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

Run = Callable[..., tuple[int, str, str]]


def test_equal_steps_of_error(run: Run) -> None:
    words = ["pipeline=[gaussian_blur,contrast]", "data.limit=150"]
    code, _, err = run("calibrate", *words, "steps=4", "out=even")
    assert code == 0, err
    assert "+spacing=even" in err
    stops = "hardness={start:0,stop:1,num:5}"
    sweep = ["sweep", *words, stops, "report=false", "out=run"]
    code, _, err = run(*sweep, "--config-dir", "even", "+spacing=even")
    assert code == 0, err
    steps = pl.read_parquet("run/tables/steps.parquet")
    assert steps["steps"].to_list() == [4, 4]
    assert steps["ratio"].max() < 1.5, steps
    assert steps["variation"].max() < 0.15, steps


@pytest.mark.parametrize("measure", ["ssim", "rmse"])
def test_equal_steps_of_distance(run: Run, photos: Path, measure: str) -> None:
    data = ["data=image_folder", f"data.root={photos}", "pipeline=gaussian_blur"]
    code, _, err = run("calibrate", *data, f"measure={measure}", "span=1", "out=even")
    assert code == 0, err
    stops = ["hardness={start:0,stop:1,num:6}", "images=12"]
    code, _, err = run("list", "--doses", *data, *stops, "--config-dir", "even", "+spacing=even", "out=doses")
    assert code == 0, err
    doses = pl.read_parquet("doses/doses.parquet").filter(pl.col("measure") == measure).sort("hardness")
    steps = np.abs(np.diff(doses["mean"].to_numpy()))
    np.testing.assert_allclose(steps, steps.mean(), rtol=0.15)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("steps=1", "steps must be at least 2; got 1"),
        ("span=0", "span must be in (0, 1]; got 0"),
        ("measure=eror", "measure: unknown 'eror'; did you mean 'error'?"),
    ],
)
def test_mistakes_are_one_line(run: Run, word: str, message: str) -> None:
    code, _, err = run("calibrate", word, "data.limit=2", "pipeline=contrast")
    assert code == 2
    assert message in " ".join(err.split())
