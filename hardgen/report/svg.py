"""Figures as part of a page: SVG that takes its colours from the page's theme and names nothing outside it."""

import io
import re

from markupsafe import Markup, escape
from matplotlib.figure import Figure

from hardgen.report import style

_THEMED = {
    style.INK: "var(--ink)",
    style.MUTED: "var(--muted)",
    style.GRID: "var(--grid)",
    style.PAPER: "var(--card)",
    **{colour: f"var(--s{i})" for i, colour in enumerate(style.SERIES)},
}


def inline(figure: Figure, name: str, description: str) -> Markup:
    """A figure as an `<svg>` element.

    Args:
        figure: The figure.
        name: Unique on the page: ids are prefixed with it.
        description: What it shows, for readers that cannot see it.

    Returns:
        Markup whose artists tagged `series-N-...` carry the classes `series sN`.
    """
    stream = io.StringIO()
    with style.drawing():
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text)
    text = re.sub(r'id="series-(\d+)-(\w+)"', r'class="series s\1 \2"', text)
    text = re.sub(r'\s(id|xlink:href|href)="(#?)([^"]+)"', rf' \1="\2{name}-\3"', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    text = text.replace("xlink:href", "href")
    for colour, variable in _THEMED.items():
        text = text.replace(colour, variable)
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    assert box is not None, "matplotlib writes a viewBox"
    head = (
        f'<svg role="img" aria-label="{escape(description)}" viewBox="{box[0][9:-1]}" style="--w:{float(box[1]):.0f}">'
    )
    return Markup(head + text[text.index(">") + 1 :])
