"""scikit-learn's own checks of an estimator, without expected failures where a machine
without intercept can do what is asked.

Machines differ in their blocks, not in how the estimator treats its input: some are
checked in full, and of the others what their blocks decide, that a weight equals
repetition. gamma="scale" does not look at weights, so gamma is a number. The tolerance
is tight where the check of sample weights compares two independent runs to 1e-7;
elsewhere it is that of users.
"""

import pytest
from kernel_problems import KERNEL_PAIRS, of_matrices
from sklearn.base import clone
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    parametrize_with_checks,
)

from polymargin import KernelSVM

TIGHT = {"violation_tol": 1e-11, "max_iter": 3000, "gamma": 0.01, "C": 10.0}
# Where the loss is the worst absolute margin, scores of classes are equal at a small C,
# and which of two runs predicts which label is rounding.
WITHOUT_TIES = {"adm": 1e4, "atm": 1e4}
IN_FULL = [("ww", "hinge"), ("cs", "hinge"), ("ovo", "squared_hinge")]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [KernelSVM(machine, loss=loss, **TIGHT) for machine, loss in IN_FULL]
    + [
        KernelSVM("cs", **TIGHT, kernel="poly", coef0=1.0, degree=2, cache_size=0.05),
        KernelSVM(**TIGHT, probability=True),
        KernelSVM(**TIGHT, approximation="nystroem"),
        KernelSVM(**TIGHT, kernel="precomputed"),
    ],
    expected_failed_checks=of_matrices,
)
def test_estimator(estimator, check):
    if "sample_weight" not in check.func.__name__:
        estimator = clone(estimator).set_params(violation_tol=None)
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "loss"), [pair for pair in KERNEL_PAIRS if pair not in IN_FULL]
)
def test_weights(machine, loss):
    model = KernelSVM(machine, loss=loss, **TIGHT)
    model.set_params(C=WITHOUT_TIES.get(machine, TIGHT["C"]))
    check_sample_weight_equivalence_on_dense_data("KernelSVM", model)
