"""scikit-learn's own checks of an estimator, without expected failures.

Machines differ in their blocks, not in how the estimator treats its input: one of each
kind of training is checked in full, and of the others what their blocks decide, that a
weight equals repetition. The tolerance is tight because that compares two independent
runs to 1e-7.
"""

import pytest
from problems import ALL_PAIRS, make_model
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

# One problem, one for each class, one for each pair of classes, and an estimator more.
IN_FULL = [("cs", "hinge"), ("ovr", "logistic"), ("ovo", "hinge"), ("maxent", "log")]
OF_WEIGHTS = [
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
]


def tight(machine, loss):
    return make_model(machine, loss, violation_tol=1e-11, max_iter=3000)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([tight(*pair) for pair in IN_FULL])
def test_estimator(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "loss"), [pair for pair in ALL_PAIRS if pair not in IN_FULL]
)
def test_weights(machine, loss):
    for check in OF_WEIGHTS:
        check("LinearSVM", tight(machine, loss))
