"""Table 1 of Dogan et al., and its table 2 at parameters that are selected here.

A nested grid search on the first split, as there; then ten splits with what it found.
Beside the test error stands the sum of target margin violations (its section 5).
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

import polymargin
from polymargin.certify.margin_violations import margin_violations
from polymargin.selection.comparison.parameter_search import choose_parameters
from polymargin.selection.protocols import powers_of_two

from ..harness.contest import Run
from ..harness.timing import progress
from .kernel_data import MACHINES, MARGINS, Split, sizes_of, splits

GRID = {"C": powers_of_two(-8, 16, 4), "gamma": powers_of_two(-12, 0, 4)}
REFINEMENTS, FOLDS, SPLITS = 2, 5, 10
SEARCH_ROWS = 500  # the first of the training part, for the search alone
SEARCH_SECONDS, FIT_SECONDS = 0.5, 10.0  # what a fit may take
SAME = {"n_jobs": 1, "random_state": 0, "max_iter": 2**62}


def search(split: Split, machine: str) -> dict:
    """The best gamma and C in cross-validation; C in the paper's convention."""
    X, y = split.X[:SEARCH_ROWS], split.y[:SEARCH_ROWS]
    folds = KFold(FOLDS, shuffle=True, random_state=0).split(X)
    model = polymargin.KernelSVM(MACHINES[machine], max_time=SEARCH_SECONDS, **SAME)
    choice = choose_parameters(model, X, y, list(folds), GRID, REFINEMENTS)
    return {
        "gamma": float(np.log2(choice.parameters["gamma"])),
        "C": float(np.log2(choice.parameters["C"] * MARGINS[machine])),
        "cross_validation": choice.score,
        "points": choice.n_points,
    }


def evaluate(split: Split, machine: str, log_gamma: float, log_C: float) -> dict:
    """Accuracy on the test rows, and violations on the training rows."""
    model = polymargin.KernelSVM(
        MACHINES[machine],
        gamma=2.0**log_gamma,
        C=2.0**log_C / MARGINS[machine],
        max_time=FIT_SECONDS,
        **SAME,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(split.X, split.y)
    labels = np.searchsorted(model.classes_, split.y)
    scores = model.decision_function(split.X)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores]) / 2
    violations = margin_violations(scores, labels)
    return {
        "accuracy": float((model.predict(split.X_test) == split.y_test).mean()),
        "violations": float(violations.sum() / len(labels)),
        "stopped": model.status_ == "max_time",
    }


def measure(key: str, run: Run) -> dict:
    """The record of a data set in a scaling."""
    all_splits = list(splits(key, SPLITS))
    machines = {}
    for machine in MACHINES:
        progress(f"{key}: search for {machine}")
        found = search(all_splits[0], machine)
        fits = [
            evaluate(split, machine, found["gamma"], found["C"]) for split in all_splits
        ]
        machines[machine] = found | {
            name: [fit[name] for fit in fits] for name in fits[0]
        }
    return sizes_of(all_splits[0]) | {"machines": machines}
