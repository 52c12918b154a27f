"""How often the level design's 95% intervals hold the truth, in worlds of images whose curve is known."""

import numpy as np
from numpy.typing import NDArray

from experiments.designs.levels import masked, middle
from hardgen.analysis.curves import band
from hardgen.analysis.intervals import percentile, resampled_sums
from hardgen.analysis.isotonic import isotonic
from hardgen.analysis.levels import Reading
from hardgen.analysis.thresholds import crossing

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
