"""scikit-learn's own checks of an estimator, without expected failures.

The tolerance is tight because the check of sample weights compares two independent
runs to 1e-7.
"""

import pytest
from problems import PAIRS
from sklearn.utils.estimator_checks import parametrize_with_checks

from polymargin import LinearSVM


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        LinearSVM(machine, loss=loss, violation_tol=1e-11, max_iter=3000)
        for machine, loss in PAIRS
    ]
)
def test_estimator(estimator, check):
    check(estimator)
