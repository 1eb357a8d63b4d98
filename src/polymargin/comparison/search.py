"""The search for parameters: a grid, and finer grids around its best point.

Estimators of this package walk up the grid of C, each from the one before it
(`polymargin.tune`); others are trained anew for every point and part.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from ..kernel_svm import KernelSVM
from ..linear import LinearSVM
from ..maxent import MaxEnt
from ..tuning import tune

_OURS = (LinearSVM, KernelSVM, MaxEnt)  # but no subclasses: they may train otherwise
Part = tuple[np.ndarray, np.ndarray]
Axes = Mapping[str, Sequence[float]]  # of a grid: parameter and values
Tell = Callable[[dict, int], None]


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
    parts: Sequence[Part],
    grid: Mapping[str, Sequence[float]],
    refinements: int = 0,
    tell: Tell = lambda point, number: None,
    warm: bool = True,
) -> Choice:
    """Find the parameters with the best mean accuracy over `parts`.

    Of equals, the smallest C wins, then the smallest gamma.

    Parameters
    ----------
    estimator : estimator
        Clones of it are trained.

    X, y : rows and labels

    parts : sequence of pairs of index arrays
        Rows to train with and rows to score, for each fold.

    grid : mapping of str to sequence of float
        Parameters that the estimator does not have are left out.

    refinements : int
        How often to go on around the best point with half the step, in logarithms.

    tell : callable
        Is given every point before it is tried, and its number.

    warm : bool
        Whether a fit may start from another one, where the estimator can.

    Returns
    -------
    choice : Choice
    """
    names = find_parameters(estimator, grid)
    if not names:
        return Choice({}, None, 0)
    walks = warm and can_walk(estimator, y, parts, names)
    score = score_on_a_walk if walks else score_one_by_one
    numbers = count(1)
    scores: dict[tuple[float, ...], float] = {}

    def try_points(values: Sequence[Sequence[float]]) -> tuple[float, ...]:
        axes = dict(zip(names.values(), values, strict=True))
        found = score(
            estimator, X, y, parts, axes, scores, lambda at: tell(at, next(numbers))
        )
        for point, mean in found.items():
            scores.setdefault(point, mean)
        return max(scores, key=lambda point: (scores[point], *(-v for v in point)))

    best = try_points([grid[name] for name in names])
    steps = [_log_step(grid[name]) for name in names]
    for _ in range(refinements):
        steps = [step / 2 for step in steps]
        best = try_points(
            [
                (value * 2**-step, value, value * 2**step) if step else (value,)
                for value, step in zip(best, steps, strict=True)
            ]
        )
    return Choice(
        dict(zip(names.values(), best, strict=True)), scores[best], len(scores)
    )


def can_walk(
    estimator: BaseEstimator, y: np.ndarray, parts: Sequence[Part], names: Mapping
) -> bool:
    """Return whether `tune` gives the scores that fits from nothing would give.

    It trains on all rows, those held out with weight zero: then every part must have
    all classes, and nothing may be taken from rows without weight, as a gamma is that
    is computed from the variance of all.
    """
    if type(estimator) not in _OURS or "C" not in names or set(names) - {"C", "gamma"}:
        return False
    if isinstance(getattr(estimator, "gamma", 1.0), str) and "gamma" not in names:
        return False
    n_classes = len(np.unique(y))
    return all(len(np.unique(y[train])) == n_classes for train, _ in parts)


def score_on_a_walk(
    estimator: BaseEstimator,
    X,
    y: np.ndarray,
    parts: Sequence[Part],
    axes: Axes,
    known: Mapping[tuple, float],
    tell: Callable[[dict], None],
) -> dict[tuple[float, ...], float]:
    """Return mean accuracies, each fit from that with the next smaller C.

    Points that are known are tried again: others start from them.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        tuning = tune(
            X,
            y,
            estimator,
            Cs=axes["C"],
            gammas=axes.get("gamma"),
            cv=parts,
            grow=False,
            patience=None,
            refit=False,
            n_jobs=estimator.n_jobs,
            tell=tell,
        )
    return {
        tuple(point.parameters[name] for name in axes): point.mean
        for point in tuning.points
    }


def score_one_by_one(
    estimator: BaseEstimator,
    X,
    y: np.ndarray,
    parts: Sequence[Part],
    axes: Axes,
    known: Mapping[tuple, float],
    tell: Callable[[dict], None],
) -> dict[tuple[float, ...], float]:
    """Return mean accuracies of points that are not known, each fit from nothing."""
    found = {}
    for point in product(*axes.values()):
        if point in known:
            continue
        values = dict(zip(axes, point, strict=True))
        tell(values)
        model = clone(estimator).set_params(**values)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            scores = cross_val_score(model, X, y, cv=parts, error_score="raise")
        found[point] = float(np.mean(scores))
    return found


def find_parameters(estimator: BaseEstimator, grid: Mapping) -> dict[str, str]:
    """Return what the grid's parameters are called in the estimator, if it has them.

    That of a step of a pipeline has the name of the step before it.
    """
    found = {}
    for name in sorted(grid):  # C before gamma
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
