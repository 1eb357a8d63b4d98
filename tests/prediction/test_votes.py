"""Votes of pairs of classes: those of scikit-learn."""

import numpy as np
import pytest
from sklearn.utils.multiclass import _ovr_decision_function

from polymargin.prediction.coupling import votes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", [2, 3, 4, 30])
def test_votes_are_those_of_scikit_learn(n_classes, dtype):
    n_pairs = n_classes * (n_classes - 1) // 2
    scores = np.random.default_rng(0).normal(size=(50, n_pairs)).astype(dtype)
    scores[0] = 0  # lost by the second of each pair
    expected = _ovr_decision_function(scores > 0, scores, n_classes)
    # Sums in double precision, of as many numbers as there are classes.
    eps = np.finfo(dtype).eps * n_classes
    np.testing.assert_allclose(votes(scores), expected, rtol=0, atol=eps)
