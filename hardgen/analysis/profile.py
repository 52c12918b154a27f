"""Profile-likelihood intervals of a fitted curve's parameters."""

import numpy as np
from scipy.stats import chi2

from hardgen.analysis.bestfit import Fit
from hardgen.analysis.fitting import climb
from hardgen.analysis.intervals import COVERAGE

POINTS = 81


def profile_interval(found: Fit, parameter: int, coverage: float = COVERAGE) -> tuple[float, float]:
    """Where the profiled objective lies within chi-square's quantile of its maximum.

    It takes every trial as independent, which fits counts where nothing ties the doses to each other. Where the same
    images are asked at every dose, use the bootstrap over images.

    Args:
        found: The fit.
        parameter: `THRESHOLD` or `WIDTH` of `sigmoids`: place x and logarithm of the width.
        coverage: Nominal coverage.

    Returns:
        Lower and upper end; infinite where the objective does not fall far enough within the prior's range.
    """
    problem = found.problem
    low, high = float(problem.low[parameter]), float(problem.high[parameter])
    best, top = found.theta[parameter], float(problem.objective(found.theta[None], found.right[None])[0])
    _, information = problem.newton(found.theta[None], found.right[None])
    reach = 6 / np.sqrt(max(float(information[0, parameter, parameter]), 1e-12))
    ends = []
    for edge, sign in ((low, -1.0), (high, 1.0)):
        near = best + sign * reach * np.linspace(0, 1, POINTS) ** 1.5
        far = np.linspace(best, edge, POINTS)
        grid = np.unique(np.clip(np.concatenate([near, far]), low, high))[:: int(sign)]
        grid = grid[(grid - best) * sign >= 0]
        start = np.tile(found.theta, (len(grid), 1))
        start[:, parameter] = grid
        least, most = np.tile(problem.low, (len(grid), 1)), np.tile(problem.high, (len(grid), 1))
        least[:, parameter] = most[:, parameter] = grid
        _, value = climb(problem, start, np.broadcast_to(found.right, (len(grid), len(found.right))), least, most)
        drop = 2 * (top - value) - chi2.isf(1 - coverage, 1)
        beyond = np.flatnonzero(drop > 0)
        if not beyond.size:
            ends.append(sign * np.inf)
            continue
        i = int(beyond[0])
        part = 1.0 if i == 0 else -drop[i - 1] / (drop[i] - drop[i - 1])
        ends.append(float(grid[i] if i == 0 else grid[i - 1] + part * (grid[i] - grid[i - 1])))
    return ends[0], ends[1]
