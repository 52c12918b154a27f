"""The level design beside the full grid: its error on a run's own answers, and how often its intervals hold the truth.

A run with `design=full` holds every answer, so that what `design=levels` would have asked with any seed, and what would
have come of it, is read out of it: the same pixels, the same answers.
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hardgen.analysis.answers import Answers
from hardgen.analysis.curves import band
from hardgen.analysis.intervals import Floats, percentile, resampled_sums
from hardgen.analysis.isotonic import isotonic
from hardgen.analysis.levels import Reading
from hardgen.analysis.points import points
from hardgen.analysis.thresholds import crossing
from hardgen.progress import console, progress
from hardgen.sweeps.design import Design, Kind
from hardgen.sweeps.results import Run

LEVELS = Design(Kind.levels)


def masked(right: NDArray[np.float32], ids: list[str], axis: str, seed: int) -> NDArray[np.float32]:
    """The answers that the level design would have asked for."""
    asked = LEVELS.asked(ids, axis, right.shape[1] - 1, seed)
    return np.where(np.pad(asked, [(0, 0), (1, 0)], constant_values=True), right, np.float32(np.nan))


def fitted(right: NDArray[np.float32]) -> Floats:
    """The curve."""
    reading = Reading.of(right)
    return reading.curves(reading.columns.sum(0, dtype=np.float64)[None])[0]


def middle(curve: Floats, chance: float) -> float:
    """The threshold, in hardness from 0 to 1 of equally spaced levels."""
    hardness = np.linspace(0, 1, len(curve))
    return float(crossing(hardness, isotonic(curve[None], np.ones(len(curve))), [(curve[0] + chance) / 2])[0])


def against_full(path: str, seeds: int) -> pl.DataFrame:
    """For every model and axis of a full run: the errors of the level design over seeds."""
    run = Run.open(path)
    answers = Answers.of(run.samples(), points(run.conditions, run.axes), 2)
    ids = run.samples()["sample_id"].unique().sort().to_list()
    rows = []
    with progress("levels", len(answers.curves) * seeds, "designs") as advance:
        for curve in answers.curves:
            right, chance = answers.right[:, curve.columns], run.chance(curve.model)
            truth, asked, errors, shifts = right.mean(0), [], [], []
            for seed in range(seeds):
                few = masked(right, ids, curve.axis, seed)
                found = fitted(few)
                asked.append((~np.isnan(few)).sum() / len(few))
                errors.append(found - truth)
                shifts.append(middle(found, chance) - middle(truth, chance))
                advance(1)
            error, areas = np.array(errors), np.trapezoid(errors, axis=1) / (len(truth) - 1)
            axes = len(run.axes)
            rows.append(
                {
                    "model": curve.model,
                    "axis": curve.axis,
                    "questions": float(np.mean(asked)) - 1 + 1 / axes,
                    "curve_rmse": float(np.sqrt((error**2).mean())),
                    "curve_bias": float(error.mean()),
                    "area_rmse": float(np.sqrt((areas**2).mean())),
                    "area_bias": float(areas.mean()),
                    "threshold_rmse": float(np.sqrt(np.mean(np.square(shifts)))),
                    "threshold_bias": float(np.mean(shifts)),
                }
            )
    return pl.DataFrame(rows)


WORLDS = {
    "gentle": (0.5, 0.2, 0.0),
    "steep": (0.4, 0.06, 0.0),
    "late": (1.0, 0.3, 0.0),
    "back and forth": (0.5, 0.2, 0.5),
    "all right": (9.0, 0.1, 0.0),
    "all wrong": (-9.0, 0.1, 0.0),
}
"""Worlds of images: middle and spread of the hardness at which one goes wrong, and the share that also turn back."""


def world(name: str, images: int, levels: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """The answers to images of a world, images x levels."""
    centre, width, flip = WORLDS[name]
    critical = rng.logistic(centre, width * np.sqrt(3) / np.pi, images)
    right = np.linspace(0, 1, levels) < critical[:, None]
    turned = rng.random(images) < flip
    begin, length = rng.integers(1, levels, images), rng.integers(1, 6, images)
    span = (np.arange(levels) >= begin[:, None]) & (np.arange(levels) < (begin + length)[:, None])
    return (right ^ (span & turned[:, None])).astype(np.float32)


def coverage(name: str, images: int, simulations: int, resamples: int = 400, levels: int = 33) -> dict[str, object]:
    """How often the 95% intervals of a world's curve, area and threshold hold what is true of all its images."""
    rng = np.random.default_rng(images)
    truth = world(name, 200_000, levels, rng).mean(0)
    true_area, true_middle = float(np.trapezoid(truth)) / (levels - 1), middle(truth, 0.0)
    curve, area, threshold = [], [], []
    for simulation in range(simulations):
        ids = [f"{simulation}-{i}" for i in range(images)]
        right = masked(world(name, images, levels, rng), ids, "axis", 0)
        reading = Reading.of(right)
        found = reading.curves(reading.columns.sum(0, dtype=np.float64)[None])[0]
        draws = reading.curves(resampled_sums(reading.columns, resamples, simulation))
        low, high = band(found, draws, (~np.isnan(right)).sum(0), images)
        curve.append((low <= truth + 1e-12) & (truth <= high + 1e-12))
        low, high = percentile(np.trapezoid(draws, axis=1)[:, None] / (levels - 1), images=images)
        area.append(low[0] <= true_area + 1e-12 and true_area <= high[0] + 1e-12)
        if 0 < true_middle < 1:
            goals = draws[:, 0] / 2
            places = crossing(np.linspace(0, 1, levels), isotonic(draws, np.ones(levels)), goals)
            low, high = percentile(places[:, None], images=images)
            threshold.append(low[0] <= true_middle <= high[0])
    return {
        "world": name,
        "images": images,
        "curve": float(np.mean(curve)),
        "worst level": float(np.mean(curve, axis=0).min()),
        "area": float(np.mean(area)),
        "threshold": float(np.mean(threshold)) if threshold else None,
    }


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(prog="python -m experiments.levels", description=__doc__)
    parser.add_argument("runs", nargs="*", help="folders of full runs, of the same 33 levels on every axis")
    parser.add_argument("--seeds", type=int, default=100, help="designs tried on every curve")
    parser.add_argument("--simulations", type=int, default=2000, help="simulated sweeps of a world; 0 for none")
    parser.add_argument("--out", type=Path, default=Path("outputs/levels"))
    args = parser.parse_args()
    tables = {Path(run).name: against_full(run, args.seeds) for run in args.runs}
    if args.simulations:
        with progress("coverage", 2 * len(WORLDS), "worlds") as advance:
            rows = []
            for name in WORLDS:
                for images in (20, 500):
                    rows.append(coverage(name, images, args.simulations))
                    advance(1)
        tables["coverage"] = pl.DataFrame(rows)
    args.out.mkdir(parents=True, exist_ok=True)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, tbl_hide_dataframe_shape=True, float_precision=4):
        for name, table in tables.items():
            table.write_csv(args.out / f"{name}.csv", float_precision=4)
            console.print(f"{name}\n{table}", markup=False, soft_wrap=True)
    console.print(f"The tables lie in {args.out}", markup=False)


if __name__ == "__main__":
    main()
