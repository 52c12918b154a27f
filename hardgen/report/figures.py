"""Figures: curves for one axis, all axes at a glance, and grids of two knobs."""

import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator, PercentFormatter

from hardgen.analysis.thresholds import value_at
from hardgen.files import atomic_path
from hardgen.report import style
from hardgen.report.words import number

TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def curve_figure(
    curves: pl.DataFrame,
    thresholds: pl.DataFrame,
    axis: Mapping[str, Any],
    models: Sequence[str],
    physical: bool = False,
    legend: bool = True,
) -> Figure:
    """Accuracy against one knob, one line a model, each with its 95% band and threshold.

    Args:
        curves: The curves table.
        thresholds: The thresholds table.
        axis: The axis' manifest entry.
        models: All models, whose order gives colours and shapes.
        physical: Whether x is the knob's value rather than hardness (with values on a second axis).
        legend: Whether models are named in the figure.
    """
    with mpl.rc_context(style.RC):
        figure = _figure(5.4, 3.2 if legend else 3.0)
        ax = figure.add_subplot()
        _draw(ax, curves, thresholds, axis, models, physical)
        ax.set_ylabel("accuracy")
        ax.set_xlabel(_label(axis) if physical else "hardness")
        if not physical:
            _second_axis(ax, curves.filter(pl.col("axis") == axis["axis"]), axis)
        if legend:
            figure.legend(*ax.get_legend_handles_labels(), loc="outside upper left", ncols=4)
        return figure


def overview_figure(
    curves: pl.DataFrame,
    thresholds: pl.DataFrame,
    axes: Sequence[Mapping[str, Any]],
    models: Sequence[str],
    legend: bool = True,
) -> Figure:
    """Every axis as a small panel, on one scale."""
    columns = min(len(axes), 4 if len(axes) % 3 else 3)
    rows = math.ceil(len(axes) / columns)
    with mpl.rc_context(style.RC):
        figure = _figure(2.45 * columns + 0.4, 2.15 * rows + (0.35 if legend else 0.1))
        grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
        for i, ax in enumerate(grid.flat):
            if i >= len(axes):
                ax.set_axis_off()
                continue
            _draw(ax, curves, thresholds, axes[i], models, physical=False)
            ax.set_title(axes[i]["axis"], loc="left", pad=8)
            own = curves.filter(pl.col("axis") == axes[i]["axis"])
            ax.set_xticks(TICKS[::2], _value_labels(own, axes[i], TICKS[::2]))
            ax.set_xlabel(textwrap.fill(_label(axes[i]), 36))
            if i % columns == 0:
                ax.set_ylabel("accuracy")
        if legend:
            figure.legend(
                *grid.flat[0].get_legend_handles_labels(), loc="outside upper left", ncols=min(6, 2 * columns)
            )
        return figure


def grid_figure(cells: pl.DataFrame) -> Figure:
    """Accuracy where two knobs are turned at once, one model: a heatmap with the numbers in it.

    Args:
        cells: Rows of the grid table for one model and one pair of axes.
    """
    first = cells.row(0, named=True)
    a, b = (cells[f"hardness_{end}"].unique().sort().to_list() for end in "ab")
    heat = np.full((len(b), len(a)), np.nan)
    for row in cells.iter_rows(named=True):
        heat[b.index(row["hardness_b"]), a.index(row["hardness_a"])] = row["accuracy"]
    colours = LinearSegmentedColormap.from_list("accuracy", [style.LOW, "#8fc1d4", style.HIGH])
    with mpl.rc_context(style.RC | {"axes.grid": False}):
        figure = _figure(min(9.0, 0.62 * len(a) + 1.4), min(9.0, 0.42 * len(b) + 0.9))
        ax = figure.add_subplot()
        ax.pcolormesh(np.ma.masked_invalid(heat), cmap=colours, vmin=0, vmax=1, edgecolors=style.PAPER, linewidth=1.5)
        if heat.size <= 400:
            for (j, i), share in np.ndenumerate(heat):
                ink = "#ffffff" if share > 0.6 else "#1b2531"
                text = "" if np.isnan(share) else f"{100 * share:.0f}"
                ax.text(i + 0.5, j + 0.5, text, ha="center", va="center", color=ink, fontsize=7.5)
        for end, stops, set_ticks, set_label in (
            ("a", a, ax.set_xticks, ax.set_xlabel),
            ("b", b, ax.set_yticks, ax.set_ylabel),
        ):
            values = dict(cells.select(f"hardness_{end}", f"value_{end}").iter_rows())
            set_ticks(np.arange(len(stops)) + 0.5, [number(values[h]) for h in stops])
            set_label(f"{first[f'axis_{end}']}\n{first[f'unit_{end}']}")
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        return figure


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Writes `name.png` and `name.svg`; the same figure gives the same bytes."""
    paths = [folder / f"{name}.png", folder / f"{name}.svg"]
    with style.drawing():
        for path, metadata in zip(paths, ({"Software": None}, {"Date": None, "Creator": None}), strict=True):
            with atomic_path(path) as temporary:
                figure.savefig(temporary, metadata=metadata)
    return paths


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _draw(
    ax: Axes,
    curves: pl.DataFrame,
    thresholds: pl.DataFrame,
    axis: Mapping[str, Any],
    models: Sequence[str],
    physical: bool,
) -> None:
    """Lines, bands, thresholds and chance; every artist of a model is tagged so that a page can hide it."""
    own = curves.filter(pl.col("axis") == axis["axis"])
    scale = _x_scale(own, axis) if physical else "hardness"
    for i, model in enumerate(models):
        line = own.filter(pl.col("model") == model)
        if line.is_empty():
            continue
        x = line["hardness" if scale in ("hardness", "labels") else "value"]
        look: dict[str, Any] = {"color": style.colour(i)}
        ax.fill_between(x, line["low"], line["high"], alpha=0.16, linewidth=0, gid=f"series-{i}-band", **look)
        ax.plot(
            x, line["accuracy"], marker=style.marker(i), linestyle=style.dashes(i), label=model, gid=f"series-{i}-line",
            markeredgecolor=style.PAPER, markeredgewidth=0.5, **look,
        )  # fmt: skip
        if len(models) <= 3:
            ax.axhline(
                line["accuracy"][0], linestyle=(0, (1, 2)), linewidth=0.8, alpha=0.7, gid=f"series-{i}-clean", **look
            )
        mark = thresholds.filter((pl.col("axis") == axis["axis"]) & (pl.col("model") == model) & pl.col("reached"))
        for row in mark.iter_rows(named=True):
            _mark(ax, row, "value" if scale in ("linear", "log") else "hardness", i)
    chance = thresholds.filter(pl.col("axis") == axis["axis"])["chance"].unique().to_list()
    for height in chance:
        ax.axhline(height, color=style.MUTED, linestyle=(0, (4, 3)), linewidth=0.9)
    if len(chance) == 1:
        ax.annotate("chance", (0, chance[0]), xycoords=("axes fraction", "data"), xytext=(4, 3),
                    textcoords="offset points", ha="left", color=style.MUTED, fontsize=7)  # fmt: skip
    ax.set_ylim(0, 1.02)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    if scale == "log":
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 2)))
        ax.xaxis.set_minor_locator(NullLocator())
    elif scale == "labels":
        ax.set_xticks(TICKS, _value_labels(own, axis, TICKS))
    if scale in ("linear", "log") and own["value"][-1] < own["value"][0]:
        ax.invert_xaxis()


def _mark(ax: Axes, row: Mapping[str, Any], column: str, index: int) -> None:
    """A threshold: a ring on the target height, and its interval as a bar."""
    names = ("hardness", "low", "high") if column == "hardness" else ("value", "value_low", "value_high")
    at, low, high = (row[name] for name in names)
    end = high if high is not None else row["covered" if column == "hardness" else "covered_value"]
    look: dict[str, Any] = {"color": style.colour(index), "gid": f"series-{index}-threshold"}
    ax.plot([low, end], [row["target"]] * 2, linewidth=4.5, alpha=0.35, solid_capstyle="round", **look)
    ax.plot([at], [row["target"]], marker="o", markersize=6, markerfacecolor=style.PAPER, markeredgewidth=1.6, **look)


def _x_scale(own: pl.DataFrame, axis: Mapping[str, Any]) -> str:
    """How values lie on x: evenly, by ratios, or as labels at their hardness where some are infinite or unknown."""
    values = own["value"].fill_null(float("nan")).to_numpy()
    if not np.isfinite(values).all():
        return "labels"
    return "log" if axis.get("scale") == "log" and (values > 0).all() else "linear"


def _value_labels(own: pl.DataFrame, axis: Mapping[str, Any], ticks: Sequence[float]) -> list[str]:
    """The knob's values at some hardnesses; no label beyond what was visited."""
    line = own.unique("hardness").sort("hardness")
    h, v = line["hardness"].to_numpy(), line["value"].fill_null(float("nan")).to_numpy()
    found = [value_at(t, h, v, str(axis.get("scale", "linear"))) for t in ticks]
    return ["" if math.isnan(value) else number(value, 2) for value in found]


def _second_axis(ax: Axes, own: pl.DataFrame, axis: Mapping[str, Any]) -> None:
    top = ax.twiny()
    top.set_xlim(ax.get_xlim())
    top.set_xticks(TICKS, _value_labels(own, axis, TICKS))
    top.set_xlabel(_label(axis), labelpad=5)
    top.spines["top"].set_visible(True)
    top.grid(False)


def _label(axis: Mapping[str, Any]) -> str:
    """The knob and its unit; a unit reads after a number, so that it stands apart."""
    return ", ".join(filter(None, (str(axis.get("knob") or axis["axis"]).replace("_", " "), str(axis.get("unit", "")))))
