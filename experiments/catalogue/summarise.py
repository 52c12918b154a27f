"""Sums up sweeps of the whole catalogue: `python -m experiments.catalogue.summarise RUN [RUN ...]` prints Markdown.

One row an axis: each model's accuracy at five hardnesses, and the greatest rise of accuracy between neighbouring stops
in paired standard errors (McNemar's z; a blank where accuracy never rises). A rise of over three is marked `said` where
the perturbation's docstring or limits say that and why "accuracy rises", else `not said`.
"""

import sys
from pathlib import Path

import polars as pl

import hardgen.perturbations  # noqa: F401  (fills the registry)
from hardgen.registry import get, load_file

STOPS = (0.0, 0.25, 0.5, 0.75, 1.0)
MUCH = 3.0
"""Paired standard errors from which a rise counts."""


def says_so(axis: str) -> bool:
    """Whether the words of an axis' perturbation own up to a rise."""
    cls = get(axis.partition(".")[0])
    return "accuracy rises" in f"{cls.__doc__} {cls.limits}".lower()


def rows(run: str) -> list[str]:
    """The lines of one run."""
    curves = pl.read_parquet(f"{run}/curves.parquet")
    steps = pl.read_parquet(f"{run}/tables/steps.parquet")
    models = curves["model"].unique(maintain_order=True).to_list()
    images = curves["n"].max()
    lines = [f"### {images} images; accuracy (%) at hardness {', '.join(f'{s:g}' for s in STOPS)}", ""]
    lines += [f"| axis | {' | '.join(models)} | worst rise (z), at |", f"|---|{'---|' * len(models)}---|"]
    for axis in curves["axis"].unique(maintain_order=True):
        cells = []
        for model in models:
            own = curves.filter((pl.col("axis") == axis) & (pl.col("model") == model)).sort("hardness")
            near = [min(own.rows(named=True), key=lambda row: abs(row["hardness"] - stop)) for stop in STOPS]
            cells.append(" ".join(f"{100 * row['accuracy']:.0f}" for row in near))
        rises = steps.filter((pl.col("axis") == axis) & (pl.col("rise") > 0)).sort("rise_z", descending=True)
        worst = ""
        if rises.height:
            top = rises.row(0, named=True)
            worst = f"{top['rise_z']:.1f} {top['model']} {top['rise_at']:g}"
            if top["rise_z"] > MUCH:
                worst = f"**{worst}**, {'said' if says_so(axis) else 'not said'}"
        lines.append(f"| `{axis}` | {' | '.join(cells)} | {worst} |")
    much = steps.filter(pl.col("rise_z") > MUCH)
    lines += [
        "",
        f"{much.height} of {steps.height} curves rise by more than {MUCH:g} paired standard errors somewhere.",
        "",
    ]
    return lines


if __name__ == "__main__":
    for recipe in sorted(Path("conf/adapters").glob("*.yaml")):
        load_file(recipe)
    print("\n".join(line for run in sys.argv[1:] for line in rows(run)))
