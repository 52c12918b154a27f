"""The critical design beside the full grid, on a run's own answers."""

import numpy as np
import polars as pl

from hardgen.analysis.critical import critical
from hardgen.analysis.points import points
from hardgen.progress import progress
from hardgen.sweeps.critical import QUESTIONS, Search
from hardgen.sweeps.margins import margins
from hardgen.sweeps.results import Run


def against_full(path: str) -> pl.DataFrame:
    """For every model and axis of a full run: how near the searches come to each image's first failure.

    `within_one` is the share of images whose first failure is found within one level, `of_sure` that among those that
    the search calls sure. `nonmonotone` is the true share of images that go wrong and are right again at a harder
    level, `estimated`, `low` and `high` what the searches say of it.
    """
    run = Run.open(path)
    places = points(run.conditions, run.axes)
    answers = run.samples().with_columns(pl.Series("_margin", margins(run.samples())))
    rows = []
    with progress("critical", len(run.models) * len(run.axes), "searches") as advance:
        for axis in run.axes:
            own = places.filter(axis=axis["axis"]).sort("hardness")
            for model in run.models:
                mine = answers.filter(model=model).join(own.select("condition_id", "hardness"), on="condition_id")
                wide = mine.pivot("hardness", index="sample_id", values="_margin").sort("sample_id")
                hardness = own["hardness"].to_list()
                margin = wide.select(map(str, hardness)).to_numpy()
                asked = pl.DataFrame(
                    [
                        (s, hardness[i])
                        for s, row in zip(wide["sample_id"], margin, strict=True)
                        for i in _asked(hardness, row)
                    ],
                    schema={"sample_id": pl.String, "hardness": pl.Float64},
                    orient="row",
                )
                images, found = critical(
                    mine.join(asked, on=["sample_id", "hardness"]).drop("hardness", "_margin"), own
                )
                rows.append({"model": model, "axis": axis["axis"]} | _compared(images, found, margin, hardness))
                advance(1)
    return pl.DataFrame(rows)


def _asked(hardness: list[float], margin: np.ndarray) -> list[int]:
    """The levels that a search asks at."""
    search, asked = Search(hardness, float(margin[0]), QUESTIONS), [0]
    while (level := search.next()) is not None:
        search.tell(level, float(margin[level]))
        asked.append(level)
    return asked


def _compared(images: pl.DataFrame, found: pl.DataFrame, margin: np.ndarray, hardness: list[float]) -> dict[str, float]:
    last, wrong = len(hardness), margin < 0
    first = np.where(wrong.any(1), wrong.argmax(1), last)
    places = {h: i for i, h in enumerate(hardness)} | {None: last}
    near = np.abs(np.array([places[h] for h in images["first_fail"]]) - first) <= 1
    sure, summary = images["sure"].to_numpy(), found.row(0, named=True)
    return {
        "questions": summary["questions"],
        "within_one": float(near.mean()),
        "sure": float(sure.mean()),
        "of_sure": float(near[sure].mean()),
        "nonmonotone": float((wrong[:, :-1] & ~wrong[:, 1:]).any(1).mean()),
        "estimated": summary["nonmonotone"],
        "low": summary["low"],
        "high": summary["high"],
    }
