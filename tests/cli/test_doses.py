"""`hardgen list --doses`: realised doses as a table and figures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from PIL import Image

Run = Callable[..., tuple[int, str, str]]


def test_doses_are_measured_at_every_stop(run: Run, photos: Path) -> None:
    words = ["data=image_folder", f"data.root={photos}", "pipeline=[rectangle,contrast]", "images=6", "out=doses"]
    code, _, err = run("list", "--doses", *words)
    assert code == 0, err
    table = pl.read_parquet("doses/doses.parquet")
    assert table["axis"].unique(maintain_order=True).to_list() == ["rectangle.fraction", "contrast.factor"]
    assert set(table["n"]) == {6}
    for axis in ("rectangle.fraction", "contrast.factor"):
        rmse = table.filter((pl.col("axis") == axis) & (pl.col("measure") == "rmse")).sort("hardness")
        assert rmse.height == 11
        assert rmse["mean"][0] == 0.0
        assert (rmse["mean"].diff().drop_nulls() > 0).all()
    covered = table.filter(pl.col("measure") == "covered").sort("hardness")
    np.testing.assert_allclose(covered["mean"], covered["value"], atol=0.5 / 24**2)
    assert pl.read_csv("doses/doses.csv").height == table.height
    for family in ("occlusion", "contrast"):
        with Image.open(f"doses/doses_{family}.png") as figure:
            assert figure.width > 300
    assert "contrast.factor" in err
    assert "lie in doses" in err


def test_doses_of_every_perturbation_are_planned(run: Run, photos: Path) -> None:
    code, _, err = run("list", "--doses", "data=image_folder", f"data.root={photos}", "--dry-run")
    assert code == 0, err
    assert "gaussian_noise" in err
    assert not Path("outputs").exists()


def test_mistakes_are_one_line(run: Run) -> None:
    code, _, err = run("list", "--doses", "images=0")
    assert code == 2
    assert "images must be at least 1; got 0" in err
    code, _, err = run("list", "--dose")
    assert code == 2
    assert "--doses" in err
