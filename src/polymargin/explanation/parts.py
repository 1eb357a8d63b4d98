"""A pipeline as two parts: what makes features, and the machine at its end."""

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..estimators.kernel_svm import KernelSVM
from ..estimators.linear_training import LinearTraining
from ..estimators.online_svm import OnlineSVM

MACHINES = (LinearTraining, KernelSVM, OnlineSVM)


def take_apart(model: Any) -> tuple[list[Any], Any]:
    """Return the steps before the machine, and the machine.

    Parameters
    ----------
    model : estimator
        A machine, a pipeline that ends with one, or what has found one by a search
        (its `best_estimator_`).

    Returns
    -------
    steps : list of transformers
    machine : LinearSVM, MaxEnt, KernelSVM or OnlineSVM
        Fitted.
    """
    steps, machine = [], model
    while not isinstance(machine, MACHINES):
        if isinstance(machine, Pipeline) and machine.steps:
            *before, machine = (step for _, step in machine.steps)
            steps += [step for step in before if step not in (None, "passthrough")]
        elif hasattr(machine, "best_estimator_"):
            machine = machine.best_estimator_
        else:
            raise TypeError(
                f"{type(machine).__name__} is no machine of polymargin; give a "
                f"LinearSVM, MaxEnt, KernelSVM or OnlineSVM, or a fitted pipeline that "
                f"ends with one."
            )
    check_is_fitted(machine)
    return steps, machine


def features_of(steps: list, rows):
    """Return what transformers make of rows."""
    for step in steps:
        rows = step.transform(rows)
    return rows
