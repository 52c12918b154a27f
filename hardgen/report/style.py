"""How figures look: one palette that colour-blind readers can tell apart, one set of matplotlib settings."""

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl

SERIES = ("#0072b2", "#d55e00", "#009e73", "#b5508c", "#c98500", "#3b9fd6", "#7a6fd0", "#6b7280")
"""Colours of the models, in order (after M. Okabe and K. Ito 2008, darkened where they would be faint on white)."""
SERIES_DARK = ("#56a8de", "#f08a4b", "#35c79b", "#dd92bf", "#e9b64a", "#86cdf5", "#a9a0f0", "#a7afba")
"""The same hues on a dark page."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
"""Shapes of the models, so that colour is never the only cue."""
INK = "#1b2530"
MUTED = "#5d6975"
GRID = "#e4e8ec"
PAPER = "#fffffe"
LOW = "#f7f3ea"
"""Heatmap colour of accuracy 0; accuracy 1 is `HIGH`."""
HIGH = "#0b5c8a"

RC: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8.0,
    "axes.titlesize": 9.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.0,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlecolor": INK,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.size": 3.0,
    "ytick.major.size": 0.0,
    "xtick.major.width": 0.7,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "lines.linewidth": 1.7,
    "lines.markersize": 3.6,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "savefig.facecolor": PAPER,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    "svg.hashsalt": "hardgen",
    "figure.constrained_layout.use": True,
}
"""matplotlib settings of every figure."""


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    """The settings in force; a name in a script that the bundled font lacks is no cause for a warning a letter."""
    with mpl.rc_context(RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def colour(index: int) -> str:
    """Colour of the index-th model; they come round again after eight."""
    return SERIES[index % len(SERIES)]


def marker(index: int) -> str:
    """Shape of the index-th model."""
    return MARKERS[index % len(MARKERS)]


def dashes(index: int) -> str | tuple[int, tuple[int, ...]]:
    """Line style of the index-th model: solid for the first eight, then dashed, then dotted."""
    styles: tuple[str | tuple[int, tuple[int, ...]], ...] = ("solid", (0, (5, 2)), (0, (1, 1)))
    return styles[index // len(SERIES) % len(styles)]
