"""Machines along a grid of C, each trained from the one before."""

from copy import copy
from typing import Any

import numpy as np
from sklearn.base import clone

from ..base.annotations import Estimator, Labels, Rows, Weights
from ..estimators.kernel_svm import KernelSVM
from ..estimators.linear_svm import LinearSVM
from ..estimators.maxent import MaxEnt
from ..machine.registry import FORMULATIONS

_AT_A_NEIGHBOUR = 0.6  # of the Newton steps of a fit are left for one that begins there


def path(
    X: Rows,
    y: Labels,
    Cs: Any,
    machine: Any = "cs",
    *,
    sample_weight: Weights = None,
    **parameters: Any,
) -> list[Any]:
    """Train a machine for every C of a grid, in ascending order with warm starts.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)

    y : array-like of shape (n_samples,)

    Cs : array-like of float

    machine : str or estimator, default="cs"
        A machine of `LinearSVM`, or "maxent"; of `KernelSVM` if `parameters` has a
        kernel. Or an estimator of this package, which is not changed.

    sample_weight : array-like of shape (n_samples,) or None, default=None

    **parameters
        Of the estimator.

    Returns
    -------
    models : list of estimators
        One for every C, in the order of `Cs`. Each has its own gap.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import polymargin
    >>> X, y = load_iris(return_X_y=True)
    >>> models = polymargin.path(X, y, [0.1, 1, 10], "ww", random_state=0)
    >>> [model.C for model in models]
    [0.1, 1.0, 10.0]
    """
    Cs = check_grid("Cs", Cs)
    model = find_estimator(machine, parameters).set_params(warm_start=True)
    models = {}
    solver = getattr(model, "solver", None)
    for C in np.unique(Cs):
        go_on(model, float(C))
        models[C] = copy(model.fit(X, y, sample_weight))
        if solver is not None:
            models[C].solver = solver
    return [models[C] for C in Cs]


def go_on(model: Estimator, C: float) -> None:
    """Set the next, larger C of a machine that is trained with warm starts."""
    if getattr(model, "solver", None) == "auto" and hasattr(model, "solver_"):
        both_ways = getattr(model, "_both_ways", None)
        model.solver = next_solver(model.solver_, both_ways, C / model.C)
    model.C = C


def next_solver(used: str, both_ways: tuple[float, float] | None, growth: float) -> str:
    """Return the solver for a C that is larger, in place of "auto".

    Newton steps that begin at a neighbour are fewer than others. Instead of beginning
    with epochs each time, they are taken at once where the fit at the last C ended with
    them, or where epochs, which grow like C, are predicted to take longer.

    Parameters
    ----------
    used : str
        `solver_` at the last C.
    both_ways : tuple of float or None
        Work of its epochs, and of Newton steps in their place, if that is known.
    growth : float
        Of C.
    """
    epochs, steps = both_ways or (0.0, np.inf)
    sooner = _AT_A_NEIGHBOUR * steps < epochs * growth
    return "newton" if sooner or used.endswith("newton") else "auto"


def find_estimator(machine: Any, parameters: dict[str, Any]) -> Any:
    """Return a new estimator: a copy of `machine`, or what the name stands for."""
    if not isinstance(machine, str):
        if not hasattr(machine, "get_params"):
            raise TypeError(
                f"machine is of type {type(machine).__name__}, which is no estimator; "
                f"rows and labels come before it."
            )
        return clone(machine).set_params(**parameters)
    if getattr(FORMULATIONS.get(machine), "estimator", "") == MaxEnt.__name__:
        return MaxEnt(**parameters)
    kind = KernelSVM if "kernel" in parameters else LinearSVM
    return kind(machine, **parameters)


def check_grid(name: str, values: Any) -> np.ndarray:
    """Return a grid of positive numbers as an array, or say what is wrong with it."""
    grid = np.atleast_1d(np.asarray(values, dtype=float))
    if grid.ndim != 1 or len(grid) == 0 or not (np.isfinite(grid) & (grid > 0)).all():
        raise ValueError(
            f"{name}={values!r} must be a list of positive numbers, e.g. "
            f"[0.1, 1.0, 10.0]."
        )
    return grid
