"""Figures of realised doses: one small panel a perturbation, one figure a family."""

import math
from pathlib import Path

import polars as pl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hardgen.report import style
from hardgen.report.figures import save

LINES = {"rmse": "RMSE", "ssim": "1 - SSIM", "ms_ssim": "1 - MS-SSIM"}
"""What is drawn: distances from the clean image, 0 at neutral."""


def dose_figure(doses: pl.DataFrame) -> Figure:
    """Distances from the clean image against hardness, with the band that holds 80% of the images.

    Args:
        doses: Rows of the doses table for the axes to show.
    """
    axes = doses["axis"].unique(maintain_order=True).to_list()
    columns = min(len(axes), 4)
    rows = math.ceil(len(axes) / columns)
    figure = Figure(figsize=(2.35 * columns + 0.4, 1.9 * rows + 0.45), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, sharey=True, sharex=True, squeeze=False)
    for ax, name in zip(grid.flat, axes, strict=False):
        own = doses.filter(pl.col("axis") == name)
        for i, (measure, label) in enumerate(LINES.items()):
            line = own.filter(pl.col("measure") == measure).sort("hardness")
            x = line["hardness"].to_numpy()
            mean, low, high = (line[c].to_numpy() for c in ("mean", "low", "high"))
            if measure != "rmse":
                mean, low, high = 1 - mean, 1 - high, 1 - low
            ax.fill_between(x, low, high, color=style.colour(i), alpha=0.15, linewidth=0)
            ax.plot(x, mean, color=style.colour(i), marker=style.marker(i), markersize=2.5, label=label)
        ax.set_title(str(name).replace(".", "\n", 1) if len(str(name)) > 28 else str(name))
        ax.set_xticks((0, 0.5, 1))
        ax.set_ylim(0, 1)
    for ax in grid.flat[len(axes) :]:
        ax.set_axis_off()
    for ax in grid[-1]:
        ax.set_xlabel("hardness")
    figure.legend(*grid.flat[0].get_legend_handles_labels(), loc="outside upper left", ncols=len(LINES))
    return figure


def save_dose_figures(doses: pl.DataFrame, out: Path) -> list[Path]:
    """Writes `doses_FAMILY.png` and `.svg` for every family of the table, and says which."""
    written = []
    for (family,), own in doses.group_by(["family"], maintain_order=True):
        with style.drawing():
            figure = dose_figure(own)
        written += save(figure, out, f"doses_{family}")
    return written
