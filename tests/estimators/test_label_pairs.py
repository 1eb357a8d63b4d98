"""The machine that ranks, by rows of pairs, against a solver that is not ours."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_multilabel_classification

from polymargin import LinearSVM, label_pairs


def problem(n=30, d=4, k=5):
    X, Y = make_multilabel_classification(n, d, n_classes=k, random_state=0)
    Y[0], Y[1] = 0, 1  # rows without pairs
    return X / X.max(), Y


def ranking_optimum(X, Y, C, squared):
    """Over weights and a slack for every pair, as the sum over pairs has it."""
    (n, d), k = X.shape, Y.shape[1]
    forms, weights = [], []
    for i in range(n):
        for label in np.flatnonzero(Y[i]):
            for other in np.flatnonzero(1 - Y[i]):
                form = np.zeros((k, d))
                form[label], form[other] = X[i], -X[i]
                forms.append(form.ravel())
                weights.append(C[i])
    forms, weights = np.array(forms), np.array(weights)
    n_pairs = len(forms)
    P = np.concatenate([np.ones(k * d), 2 * weights * squared])
    q = np.concatenate([np.zeros(k * d), weights * (not squared)])
    slacks = np.eye(n_pairs)
    A = np.block([[-forms, -slacks], [np.zeros((n_pairs, k * d)), -slacks]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags_array(P)),
        q,
        sp.csc_matrix(A),
        np.concatenate([-np.ones(n_pairs), np.zeros(n_pairs)]),
        [clarabel.NonnegativeConeT(2 * n_pairs)],
        settings,
    )
    return solver.solve().obj_val


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_a_binary_machine_on_pairs_ranks(loss, make):
    X, Y = problem()
    weights = np.random.default_rng(0).uniform(0.2, 3, size=len(X))
    pairs = label_pairs(make(X), make(Y))
    model = LinearSVM(
        "ovr", loss=loss, fit_intercept=False, tol=1e-8, max_iter=100_000
    ).fit(pairs.X, pairs.y, sample_weight=weights[pairs.rows])
    best = ranking_optimum(X, Y, weights, loss == "squared_hinge")
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert_allclose(model.dual_objective_, best, rtol=1e-6)
    scores = X @ model.coef_.reshape(Y.shape[1], -1).T
    slack = 0.0
    for s, labels, weight in zip(scores, Y.astype(bool), weights, strict=True):
        h = np.maximum(1 - s[labels][:, None] + s[~labels], 0)
        slack += weight * np.sum(h**2 if loss == "squared_hinge" else h)
    assert_allclose(model.objective_, slack + np.sum(model.coef_**2) / 2, rtol=1e-6)


def test_pairs_are_those_of_the_definition(monkeypatch):
    X, Y = problem()
    pairs = label_pairs(X.astype(np.float32), Y)
    assert pairs.X.dtype == np.float32
    assert_array_equal(np.bincount(pairs.rows), Y.sum(axis=1) * (1 - Y).sum(axis=1))
    assert set(pairs.y) == {-1, 1}
    monkeypatch.setattr("polymargin.estimators.label_pairs._AT_ONCE", 1)
    again = label_pairs(X.astype(np.float32), Y)
    assert_array_equal(again.X.toarray(), pairs.X.toarray())
    assert_array_equal(again.rows, pairs.rows)


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        (np.ones((3, 2)), "no row with a label and without another"),
        ([[1, 0], [0, 1]], "inconsistent numbers of samples"),
        ([[1, -1], [-1, 1], [1, 1]], "the value -1"),
    ],
)
def test_what_has_no_pairs(Y, message):
    with pytest.raises(ValueError, match=message):
        label_pairs(np.eye(3), Y)
