"""Kernel matrices that many fits share."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import polymargin
from polymargin import KernelSVM
from polymargin.access.kernels import make_kernel
from polymargin.access.shared_kernel import SharedKernel, kernel_matrix

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(1100, 3))  # more than two blocks
y = RANDOM.integers(3, size=len(X))


@pytest.mark.parametrize("rows", [X, X.astype(np.float32), sp.csr_array(X)])
def test_the_matrix(rows):
    kernel = make_kernel("rbf", 0.5, 3, 0.0, rows)
    points = kernel.points(rows)
    one, two = (kernel_matrix(kernel, rows, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(one, kernel(points, points), atol=1e-6)


@pytest.mark.parametrize("chosen", [slice(5, 90), slice(5, 90, 2), [7, 8, 3, 40]])
def test_what_is_looked_up(chosen):
    matrix = RANDOM.normal(size=(100, 100))
    shared = SharedKernel(matrix)
    at = np.arange(100)[chosen]
    left = shared.points(shared.numbers([50, 2]))
    right = shared.points(shared.numbers(at))
    np.testing.assert_array_equal(shared(left, right), matrix[np.ix_([50, 2], at)])
    np.testing.assert_array_equal(shared.diagonal(right), np.maximum(matrix[at, at], 0))


@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_the_model_is_that_of_the_rows(machine):
    train, test = np.arange(0, 300, 2), np.arange(1, 300, 2)
    model = KernelSVM(machine, gamma=0.5, tol=1e-8, random_state=0)
    alone = clone(model).fit(X[train], y[train])
    shared = SharedKernel(kernel_matrix(make_kernel("rbf", 0.5, 3, 0.0, X), X, 1))
    model.set_params(kernel=shared).fit(shared.numbers(train), y[train])
    assert clone(model).kernel is shared
    np.testing.assert_allclose(
        model.decision_function(shared.numbers(test)),
        alone.decision_function(X[test]),
        atol=1e-4,
    )


@pytest.mark.parametrize("machine", ["cs", "ovo"])
def test_scores_of_a_search_are_those_of_separate_fits(machine):
    rows, labels = X[:240], (X[:240, 0] > 0) + (X[:240, 1] > 0.5)
    same = {"Cs": [1.0, 10.0], "gammas": [0.1, 1.0], "grow": False, "cv": 3}
    model = KernelSVM(machine, tol=1e-6, random_state=0)
    shared = polymargin.tune(rows, labels, model, refit=False, **same)
    model.set_params(cache_size=0.1)  # megabytes: no room for a matrix
    alone = polymargin.tune(rows, labels, model, refit=False, **same)
    for one, other in zip(shared.points, alone.points, strict=True):
        assert one.parameters == other.parameters
        np.testing.assert_allclose(one.scores, other.scores, atol=1 / 80)


def test_a_precomputed_matrix():
    rows, labels = X[:120], (X[:120, 0] > 0).astype(int)
    matrix = kernel_matrix(make_kernel("rbf", 0.5, 3, 0.0, rows), rows, 1)
    same = {"Cs": [1.0, 10.0], "grow": False, "cv": 3, "random_state": 0, "tol": 1e-6}
    given = polymargin.tune(matrix, labels, "ww", kernel="precomputed", **same)
    computed = polymargin.tune(rows, labels, "ww", kernel="rbf", gamma=0.5, **same)
    for one, other in zip(given.points, computed.points, strict=True):
        np.testing.assert_allclose(one.scores, other.scores, atol=1 / 40)
    assert given.model.score(matrix, labels) > 0.9
