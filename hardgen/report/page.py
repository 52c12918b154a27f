"""The report: one page that opens offline, and its figures as files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
from markupsafe import Markup

from hardgen.analysis.intervals import RESAMPLES
from hardgen.analysis.mce import MEAN
from hardgen.analysis.summary import analyse, write_tables
from hardgen.errors import HardgenError
from hardgen.files import atomic_path
from hardgen.provenance import chain, counted
from hardgen.report import figures, sections, style, svg
from hardgen.report.fits import fits
from hardgen.report.searched import searched
from hardgen.report.words import NOTHING, number, percent, plural, span
from hardgen.sweeps.merging import load_runs
from hardgen.sweeps.results import Run

PAGE = "report.html"
MANY, DRAWN = 150, 60
"""Of more than so many axes only the hardest few are drawn."""


def make_report(paths: Sequence[str | Path], out: str | Path | None = None, allow_incomplete: bool = False) -> Path:
    """Makes tables, figures and the page of one run or of several together.

    Args:
        paths: Run folders.
        out: Folder to write to; the run's own for a single run. Several runs need one.
        allow_incomplete: Whether unfinished runs are reported as they are; the page says so.

    Returns:
        The path of `report.html`. Beside it lie `tables/`, `curves.parquet` and `figures/`.

    Raises:
        HardgenError: if a folder cannot be read as a run, or several runs come without `out`.
    """
    if out is None and len(paths) != 1:
        raise HardgenError(f"a report of {plural(len(paths), 'run')} needs a folder to go to: name one with out=FOLDER")
    run = load_runs(paths, allow_incomplete)
    folder = Path(paths[0]) if out is None else Path(out)
    tables = analyse(run)
    write_tables(tables, folder)
    page = render(run, tables, folder / "figures")
    with atomic_path(folder / PAGE) as temporary:
        temporary.write_text(page, encoding="utf-8", errors="backslashreplace")
    return folder / PAGE


def render(run: Run, tables: dict[str, pl.DataFrame], folder: Path) -> str:
    """The page's HTML; figures are written to `folder` on the way."""
    loader = jinja2.PackageLoader("hardgen.report")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    classes, manifest = sections.Names(run), run.manifest
    axes = sections.summary(tables, run)
    drawn = axes if len(axes) <= MANY else sections.hardest(axes, tables["areas"], DRAWN)
    for number_, section in enumerate(drawn):
        section["figures"] = _curves(run, tables, section["entry"], number_, folder)
        section["points"] = sections.curve_rows(tables, run, section["axis"])
        section["strip"] = sections.strip(run, section["axis"], classes)
    searches = searched(tables, run)
    for section in searches:
        section["strip"] = sections.strip(run, section["axis"], classes)
    compared = sections.comparisons(tables["model_differences"].sort(_by_axis(run), maintain_order=True))
    palette = [(i, style.SERIES[i], style.SERIES_DARK[i]) for i in range(len(style.SERIES))]
    facts = [
        plural(len(run.models), "model"),
        plural(len(axes) or len(searches), "axis"),
        _images(manifest["data"]),
        plural(len(manifest["data"].get("classes") or ()), "class"),
        f"data: {manifest['data'].get('name', NOTHING)}",
        f"mode: {str(manifest['mode']).replace('_', ' ')}",
    ]
    facts += [f"design: {design}"] if (design := manifest.get("design", "full")) != "full" else []
    return environment.get_template("report.html.j2").render(
        run=run,
        manifest=manifest,
        facts=facts,
        axes=axes,
        drawn=drawn,
        models=[{"name": m, "series": i, "colour": i % len(style.SERIES)} for i, m in enumerate(run.models)],
        palette=palette,
        overview=_overview(run, tables, [section["entry"] for section in drawn], folder),
        searched=searches,
        fits=fits(tables, run),
        grids=_grids(run, tables, folder),
        mistakes=sections.mistakes(run, classes),
        pictures=run.images() is not None,
        confusions=sections.confusions(tables, run, classes),
        comparisons=compared[: sections.PAIRS],
        left_out=max(0, len(compared) - sections.PAIRS),
        monotone=_monotone(run, tables),
        mce=_mce(tables),
        provenance=manifest.get("provenance") or chain(manifest["data"], manifest["models"], run.axes),
        failures=run.failures[:200],
        failed=len(run.failures),
        config=sections.as_text(manifest.get("config")),
        resamples=f"{RESAMPLES:,}",
        number=number,
    )


def _images(data: dict[str, Any]) -> str:
    return f"{counted(data)} images" if "shards" in data else plural(int(data.get("n", 0)), "image")


def _curves(run: Run, tables: dict[str, pl.DataFrame], axis: dict[str, Any], place: int, folder: Path) -> list[Markup]:
    """An axis' figure over hardness and over the knob's value, for the page; the first is saved with its legend."""
    own, marks = tables["curves"], tables["thresholds"]
    figures.save(figures.curve_figure(own, marks, axis, run.models), folder, f"curve_{_plain(axis['axis'])}")
    shown = []
    for physical in (False, True):
        figure = figures.curve_figure(own, marks, axis, run.models, physical, legend=False)
        what = axis.get("unit") if physical else "hardness"
        text = (
            f"Accuracy of {', '.join(run.models)} against {axis['axis']} ({what}); the numbers are in the table below."
        )
        shown.append(svg.inline(figure, f"c{place}{'v' if physical else 'h'}", text))
    return shown


def _overview(run: Run, tables: dict[str, pl.DataFrame], axes: list[dict[str, Any]], folder: Path) -> Markup | None:
    if not axes:
        return None
    own, marks = tables["curves"], tables["thresholds"]
    figures.save(figures.overview_figure(own, marks, axes, run.models), folder, "overview")
    figure = figures.overview_figure(own, marks, axes, run.models, legend=False)
    return svg.inline(figure, "overview", "Accuracy of every model on every axis, in small panels of one scale.")


def _grids(run: Run, tables: dict[str, pl.DataFrame], folder: Path) -> list[dict[str, Any]]:
    """A heatmap for each pair of axes and model, with its cells as a table."""
    out = []
    groups = tables["grid"].group_by(["axis_a", "axis_b", "model"], maintain_order=True)
    for place, ((a, b, model), cells) in enumerate(groups):
        figures.save(figures.grid_figure(cells), folder, f"grid_{_plain(f'{a}_{b}_{model}')}")
        excess = _excess(tables["interaction"].filter(axis_a=a, axis_b=b, model=model))
        rows = [
            (
                number(r["value_a"]),
                number(r["value_b"]),
                percent(r["accuracy"]),
                span(percent(r["low"]), percent(r["high"])),
            )
            for r in cells.iter_rows(named=True)
        ]
        text = f"Accuracy of {model} over {a} and {b}; the numbers are in the table below."
        shown = svg.inline(figures.grid_figure(cells), f"g{place}", text)
        out.append({"a": a, "b": b, "model": model, "series": run.models.index(str(model)), "svg": shown, "rows": rows})
        out[-1]["excess"] = excess
    return out


def _excess(cells: pl.DataFrame) -> str:
    """In how many cells the two knobs together cost more, and less, than the two alone."""
    more, less = (cells["low"] > 0).sum(), (cells["high"] < 0).sum()
    return f"{more} of {cells.height} cells clearly more, in {less} clearly less" if cells.height else ""


def _monotone(run: Run, tables: dict[str, pl.DataFrame]) -> list[dict[str, Any]]:
    return [
        row
        | {
            "series": run.models.index(row["model"]),
            "returned": percent(row["returned"]),
            "interval": span(percent(row["low"]), percent(row["high"])),
            "monotone": percent(row["monotone"]),
        }
        for row in tables["monotone"].sort(_by_axis(run), maintain_order=True).iter_rows(named=True)
    ]


def _mce(tables: dict[str, pl.DataFrame]) -> list[dict[str, Any]]:
    return [
        row
        | {
            "mean": row["axis"] == MEAN,
            "error": percent(row["error"]),
            "corruption_error": percent(row["corruption_error"]),
            "relative_error": percent(row["relative_error"]),
        }
        for row in tables["mce"].iter_rows(named=True)
    ]


def _by_axis(run: Run) -> pl.Expr:
    """The place of a row's axis in the manifest, to sort by."""
    names = [axis["axis"] for axis in run.axes]
    return pl.col("axis").replace_strict(names, range(len(names)), default=len(names), return_dtype=pl.Int64)


def _plain(name: str) -> str:
    """A name that any file system takes."""
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
