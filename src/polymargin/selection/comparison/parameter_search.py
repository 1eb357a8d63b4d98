"""The search for parameters: a grid, and finer grids around its best point."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score


@dataclass(frozen=True)
class Choice:
    """The best parameters, their score, and how many points were tried."""

    parameters: dict[str, float]
    score: float | None
    n_points: int


def choose_parameters(
    estimator: BaseEstimator,
    X,
    y: np.ndarray,
    parts: Sequence[tuple[np.ndarray, np.ndarray]],
    grid: Mapping[str, Sequence[float]],
    refinements: int = 0,
    tell: Callable[[dict, int], None] = lambda point, number: None,
    scoring: Callable | None = None,
) -> Choice:
    """Find the parameters with the best mean score over `parts`.

    The first of equals wins: with ascending grids, the one of the simplest model.

    Parameters
    ----------
    estimator : estimator
        A clone of it is trained for every point and part.

    X, y : rows and labels

    parts : sequence of pairs of index arrays
        Rows to train with and rows to score, for each fold.

    grid : mapping of str to sequence of float
        Parameters that the estimator does not have are left out.

    refinements : int
        How often to go on around the best point with half the step, in logarithms.

    tell : callable
        Is given every point before it is tried, and its number.

    scoring : callable or None
        A scorer of scikit-learn; None is the estimator's own, accuracy.

    Returns
    -------
    choice : Choice
    """
    names = find_parameters(estimator, grid)
    scores: dict[tuple[float, ...], float] = {}
    if not names:
        return Choice({}, None, 0)

    def try_points(points: Iterator[tuple[float, ...]]) -> tuple[float, ...]:
        for point in points:
            if point in scores:
                continue
            values = dict(zip(names.values(), point, strict=True))
            tell(values, len(scores) + 1)
            model = clone(estimator).set_params(**values)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                scored = cross_val_score(
                    model, X, y, cv=parts, scoring=scoring, error_score="raise"
                )
            scores[point] = float(np.mean(scored))
        return max(scores, key=scores.__getitem__)

    best = try_points(product(*(grid[name] for name in names)))
    steps = [_log_step(grid[name]) for name in names]
    for _ in range(refinements):
        steps = [step / 2 for step in steps]
        around = [
            (value * 2**-step, value, value * 2**step) if step else (value,)
            for value, step in zip(best, steps, strict=True)
        ]
        best = try_points(product(*around))
    return Choice(
        dict(zip(names.values(), best, strict=True)), scores[best], len(scores)
    )


def find_parameters(estimator: BaseEstimator, grid: Mapping) -> dict[str, str]:
    """Return what the grid's parameters are called in the estimator, if it has them.

    That of a step of a pipeline has the name of the step before it.
    """
    found = {}
    for name in grid:
        for parameter in estimator.get_params():
            if parameter == name or parameter.endswith(f"__{name}"):
                found[name] = parameter
                break
    return found


def _log_step(values: Sequence[float]) -> float:
    """The step of a grid in powers of two; 0 for a single point."""
    if len(values) < 2:
        return 0.0
    logs = np.log2(np.sort(values))
    return float((logs[-1] - logs[0]) / (len(logs) - 1))
