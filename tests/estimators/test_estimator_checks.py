"""scikit-learn's own checks of an estimator, without expected failures.

The tolerance is tight because the check of sample weights compares two independent
runs to 1e-7.
"""

import pytest
from problems import ALL_PAIRS, make_model
from sklearn.utils.estimator_checks import parametrize_with_checks


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        make_model(machine, loss, violation_tol=1e-11, max_iter=3000)
        for machine, loss in ALL_PAIRS
    ]
)
def test_estimator(estimator, check):
    check(estimator)
