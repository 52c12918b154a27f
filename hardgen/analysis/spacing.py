"""Spacing: where to stop on a knob so that equal steps of hardness are equal steps of a measure."""

import itertools
from collections.abc import Sequence

import numpy as np

from hardgen.errors import HardgenError

SLOPE = 1e-9


def even_spacing(hardness: Sequence[float], measure: Sequence[float], steps: int, span: float) -> list[float]:
    """The knob's own hardnesses at which a measure has risen by equal steps.

    The measure is made monotone by pool-adjacent-violators and interpolated between its points.

    Args:
        hardness: Points on the knob, rising from 0 to 1.
        measure: What was measured there: a distance from the clean image or an error, which rises.
        steps: Number of equal steps.
        span: Share of the measure's whole rise that the steps divide, in (0, 1]; less than 1 leaves out the end, where
            many curves go flat.

    Returns:
        steps + 1 hardnesses of the knob, rising strictly from 0.

    Raises:
        HardgenError: if the measure does not rise, or rises all at one point.
    """
    from sklearn.isotonic import IsotonicRegression  # its import takes half a second

    fit = IsotonicRegression().fit_transform(hardness, measure)
    start, end = float(fit[0]), float(fit[0] + span * (fit[-1] - fit[0]))
    if not end > start:
        raise HardgenError("the measure does not rise as the knob turns: there is nothing to space evenly")
    # The slope is too small to see; it makes levels strict, so that each target has one place.
    targets = np.linspace(start, end, steps + 1)[1:]
    found = [0.0, *np.interp(targets, fit + SLOPE * np.asarray(hardness), hardness)]
    spacing = [round(float(h), 4) for h in found]
    if any(b <= a for a, b in itertools.pairwise(spacing)):
        raise HardgenError("the measure rises too steeply between two points: take more points or fewer steps")
    return spacing
