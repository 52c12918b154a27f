import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from hardgen.errors import HardgenError
from hardgen.provenance import chain
from hardgen.report import page
from hardgen.report.page import make_report
from hardgen.report.words import measured, number, p_value, percent, plural, points
from tests.report.simulated import BLUR, CONTRAST, OCCLUSION, Simulated

SMALL = Simulated(axes=(OCCLUSION, BLUR), n=60, stops=(0.3, 0.6, 1.0), models=("a", "b"), pictures=16)
ADDRESSES = {"src", "href", "srcset", "action", "data", "poster", "xlink:href"}


class Page(HTMLParser):
    """What a browser would fetch, which ids there are, and whether every element that opens closes."""

    VOID = frozenset({"meta", "link", "img", "br", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ADDRESSES]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


def page_of(path: Path) -> tuple[str, Page]:
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    return text, page


def test_the_page_is_one_file_that_asks_for_nothing(simulated_run: Path, tmp_path: Path) -> None:
    text, page = page_of(make_report([simulated_run], tmp_path))
    assert page.addresses
    assert all(address.startswith(("data:", "#")) for address in page.addresses)
    assert not re.search(r"https?://", text)
    assert "@import" not in text
    assert all(match.startswith("#") for match in re.findall(r"url\(([^)]*)\)", text))
    assert len(page.ids) == len(set(page.ids))
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= set(page.ids)
    assert len(text) < 3_000_000
    assert page.tags.count("svg") == 1 + 2 * 4
    assert page.tags.count("img") == 4 * 8 + 2 * 24


def test_tables_and_figures_lie_beside_the_page_and_come_out_alike(tmp_path: Path) -> None:
    run = SMALL.write(tmp_path / "run")
    first = make_report([run])
    assert first == run / "report.html"
    second = make_report([run], tmp_path / "other")
    names = {path.name for path in (run / "figures").iterdir()}
    assert {"overview.png", "overview.svg", "curve_blur.sigma.png", "curve_blur.sigma.svg"} <= names
    for name in [f"figures/{name}" for name in names] + ["curves.parquet", "tables/thresholds.parquet", "report.html"]:
        assert (run / name).read_bytes() == (second.parent / name).read_bytes(), name


def test_names_from_outside_cannot_become_markup(tmp_path: Path) -> None:
    evil = "<script>alert('x')</script>"
    classes = (evil, "naïve “日本”", "a&b", *"cdefghi")
    run = replace(SMALL, classes=classes, models=(evil, '$\\bad{ 猫 & "q"')).write(tmp_path / "run")
    text, page = page_of(make_report([run]))
    assert page.tags.count("script") == 1
    assert "&lt;script&gt;alert" in text
    assert "naïve “日本”" in text


def test_several_runs_make_one_page_and_need_a_place_for_it(tmp_path: Path) -> None:
    runs = [SMALL.write(tmp_path / "one"), replace(SMALL, axes=(CONTRAST,), seed=3).write(tmp_path / "two")]
    with pytest.raises(HardgenError, match="2 runs needs a folder"):
        make_report(runs)
    text, _ = page_of(make_report(runs, tmp_path / "out"))
    assert "a [one]" in text
    assert "a [two]" in text
    assert "differs between the runs" in text


def test_a_grid_is_shown_as_heatmaps(tmp_path: Path) -> None:
    run = replace(SMALL, mode="grid", models=("a",)).write(tmp_path / "run")
    text, page = page_of(make_report([run]))
    assert "Two knobs at once" in text
    assert page.tags.count("svg") == 1 + 2 * 2 + 1
    assert (run / "figures" / "grid_occlusion.fraction_blur.sigma_a.png").is_file()


def test_an_unfinished_run_is_reported_on_request_and_says_so(tmp_path: Path) -> None:
    run = replace(SMALL, status="incomplete").write(tmp_path / "run")
    (run / "samples" / "00000-1-simulated.parquet").unlink()
    with pytest.raises(HardgenError, match="incomplete"):
        make_report([run])
    text, _ = page_of(make_report([run], allow_incomplete=True))
    assert "This run is incomplete" in text


def test_a_run_without_pictures_says_so(tmp_path: Path) -> None:
    run = SMALL.write(tmp_path / "run")
    shutil.rmtree(run / "images")
    text, _ = page_of(make_report([run]))
    assert "no <code>images</code> folder" in text


def test_a_lost_picture_leaves_a_gap_and_no_error(tmp_path: Path) -> None:
    run = SMALL.write(tmp_path / "run")
    for picture in (run / "images").glob("*.png"):
        picture.write_bytes(b"")
    text, page = page_of(make_report([run]))
    assert "no picture" in text
    assert page.tags.count("img") == 0


def test_many_axes_models_and_classes_stay_within_bounds(tmp_path: Path) -> None:
    axes = tuple(replace(OCCLUSION, slot=f"occlusion_{i}") for i in range(4))
    many = Simulated(
        axes=axes, models=tuple(f"m{i}" for i in range(9)), n=120, stops=(0.5, 1.0), pictures=0,
        classes=tuple(f"class number {i}" for i in range(1000)), failures=[],
    )  # fmt: skip
    text, _ = page_of(make_report([many.write(tmp_path / "run")]))
    assert len(text) < 5_000_000
    assert "Nothing: every image was read." in text
    assert "further comparisons" in text


def test_imagenet_axes_get_their_mce(tmp_path: Path) -> None:
    axis = replace(BLUR, slot="shot", perturbation="shot_noise", published="shot_noise")
    plan = replace(SMALL, axes=(axis,), stops=(0.2, 0.4, 0.6, 0.8, 1.0), pictures=0)
    text, _ = page_of(make_report([plan.write(tmp_path / "run")]))
    assert "reference missing" in text
    assert "CE, normalised" in text


def test_the_chain_of_choices_has_every_link_in_order() -> None:
    data = {"name": "photos", "n": 3, "classes": ["a", "b"], "config": {"resize": 256}}
    axes = [{"axis": "blur.sigma", "perturbation": "gaussian_blur", "neutral": 0.0, "hardest": "inf", "unit": "px",
             "doc": "Width.", "limits": "No depth of field."}]  # fmt: skip
    links = chain(data, [{"name": "m", "config": {"arch": "r20"}}], axes)
    assert [link["link"] for link in links] == [
        "phenomenon", "perturbation", "images", "label set", "model", "metric", "aggregate",
    ]  # fmt: skip
    assert all(link["choice"] and link["limits"] for link in links)
    assert links[1] == {
        "link": "perturbation",
        "choice": "blur.sigma turns gaussian_blur from 0 to inf px: width.",
        "limits": "No depth of field.",
    }
    assert "resize=256" in links[2]["choice"]
    assert "arch=r20" in links[4]["choice"]


def test_numbers_read_well() -> None:
    assert [number(x) for x in (0.0, 0.5, 0.028571, 1234567.0, 1e-12, float("inf"), None, -0.25, 100.0)] == [
        "0", "0.5", "0.0286", "1234567", "1e−12", "∞", "–", "−0.25", "100",
    ]  # fmt: skip
    assert [measured(x) for x in (0.56, 0.09996, 99.96, 12.0)] == ["0.560", "0.100", "100", "12.0"]
    assert (percent(0.1234), points(-0.05), p_value(1e-9), plural(2, "axis")) == ("12.3%", "−5.0", "< 0.001", "2 axes")


def test_fits_are_shown_with_ends_in_order_and_what_has_none_is_said(tmp_path: Path) -> None:
    run = Simulated(axes=(BLUR, CONTRAST), models=("resnet20",), n=200, pictures=0).write(tmp_path / "run")
    text = make_report([run]).read_text()
    part = text[text.index('id="fits"') : text.index('id="mistakes"')]
    fits = pl.read_parquet(run / "tables" / "psychometric.parquet")
    assert fits["shape"].is_not_null().all()
    assert part.count("resnet20") == 2
    for row in fits.iter_rows(named=True):
        ends = sorted([row["threshold_value_low"], row["threshold_value_high"]])
        assert f"{measured(ends[0])} to {measured(ends[1])}" in part
    small = Simulated(axes=(BLUR,), models=("resnet20",), n=200, pictures=0, stops=(1.0,)).write(tmp_path / "small")
    assert "no fit" in make_report([small]).read_text()


def test_of_very_many_axes_only_the_hardest_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MANY", 3)
    monkeypatch.setattr(page, "DRAWN", 2)
    axes = tuple(replace(OCCLUSION, slot=f"occlusion_{i}", half=0.3 + 0.15 * i) for i in range(4))
    run = Simulated(axes=axes, models=("m",), n=300, pictures=0, stops=(0.25, 0.5, 0.75, 1.0)).write(tmp_path / "run")
    text = make_report([run]).read_text()
    drawn = text[text.index('id="curves"') : text.index('id="fits"')]
    assert [f"<h3>occlusion_{i}.fraction</h3>" in drawn for i in range(4)] == [True, True, False, False]
    assert "Of 4 axes the 2 on which accuracy suffers most are drawn" in text
    assert all(text.count(f"occlusion_{i}.fraction") > 1 for i in range(4)), "the summary names them all"
