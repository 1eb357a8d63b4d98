"""Pipelines that end with a machine: taken apart, and put together again."""

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

Steps = list[tuple[str, object]]


def take_apart(estimator: Any) -> tuple[list[Steps], Any, str]:
    """Return a pipeline's transformers, its machine, and how its parameters are called.

    Parameters
    ----------
    estimator : estimator
        A pipeline, whose last step may be another one, or a machine itself.

    Returns
    -------
    before : list of steps
        What comes before the machine, for each pipeline in another.
    machine : estimator
    prefix : str
        Of the names of its parameters, as ``"linearsvm__"``.
    """
    before, prefix = [], ""
    while isinstance(estimator, Pipeline):
        *steps, (name, estimator) = estimator.steps
        before.append(steps)
        prefix += f"{name}__"
    return before, estimator, prefix


def put_together(estimator, before: list[Steps], machine):
    """Return `estimator` with other transformers and another machine."""
    if not isinstance(estimator, Pipeline):
        return machine
    name, last = estimator.steps[-1]
    return Pipeline([*before[0], (name, put_together(last, before[1:], machine))])


def fit_transformers(before: list[Steps], X, y, X_test) -> tuple[list, object, object]:
    """Fit copies of transformers to rows, and transform these and others.

    Returns
    -------
    before : list of steps
        The copies.
    X, X_test : array-like
    """
    fitted = []
    for steps in before:
        copies = []
        for name, step in steps:
            if step not in (None, "passthrough"):
                step = clone(step)
                X = step.fit_transform(X, y)
                X_test = step.transform(X_test)
            copies.append((name, step))
        fitted.append(copies)
    return fitted, X, X_test
