"""Scores of sparse rows are those of one product, on any number of threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from problems import make_sparse_problem

from polymargin import LinearSVM
from polymargin.prediction.linear_scores import linear_scores


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("kinds", [("f", "f"), ("d", "f"), ("f", "d")])
def test_scores(kinds, threads):
    rng = np.random.default_rng(0)
    # More of both than a thread takes at once.
    X = sp.random_array((5000, 9000), density=0.001, rng=rng, dtype=kinds[0])
    coef = rng.normal(size=(4, 9000)).astype(kinds[1])
    intercept = rng.normal(size=4).astype(kinds[1])
    found = linear_scores(X.tocsr(), coef, intercept, threads)
    assert_array_equal(found, X.tocsr() @ coef.T + intercept)
    assert found.dtype == np.result_type(*kinds)


@pytest.mark.parametrize("k", [2, 4])
def test_estimator(k):
    X, y = make_sparse_problem(n=5000, d=50, k=k)
    model = LinearSVM(random_state=0, n_jobs=1).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == ((5000,) if k == 2 else (5000, k))
    labels = model.predict(X)
    model.n_jobs = 3
    assert_array_equal(model.decision_function(X), scores)
    assert_array_equal(model.predict(X), labels)
