"""Intercepts that are not penalised, against solvers that share no code with ours."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from unified import UNIFIED_PAIRS, unified_optimum

from polymargin import LinearSVM, MaxEnt, convert, load, open_rows, path, save

TOL = 1e-7
SHARES = np.array([8, 3, 1]) / 12


def unbalanced(seed=0, n=45, k=3):
    """Rows far from zero in features of several scales, few of the last class."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(k, size=n, p=SHARES[:k] / SHARES[:k].sum())
    labels[:k] = np.arange(k)
    X = rng.normal(size=(n, 3)) * [1, 10, 0.1] + [3, -40, 0.2]
    X[:, 0] += labels
    return X, labels, rng.uniform(0.2, 2, size=n)


def with_constant(X):
    return np.column_stack([X, np.ones(len(X))])


def binary_optimum(loss, X, positive, weights):
    """Of one score with a free intercept; two mirrored ones are what the oracle has."""
    if loss == "logistic":
        model = LogisticRegression(solver="newton-cholesky", tol=1e-12)
        model.fit(X, positive, weights)
        z = np.where(positive, 1, -1) * model.decision_function(X)
        return (model.coef_**2).sum() / 2 + weights @ np.logaddexp(0, -z)
    data = with_constant(X), positive.astype(int), weights
    return unified_optimum("ovr", loss, *data, 2, free=1) / 2


@pytest.mark.parametrize(("machine", "loss"), UNIFIED_PAIRS)
def test_optimum_of_the_unified_family(machine, loss):
    X, y, weights = unbalanced()
    model = LinearSVM(machine, loss=loss, fit_intercept="free", tol=TOL, random_state=0)
    model.fit(X, y, weights)
    best = unified_optimum(machine, loss, with_constant(X), y, weights, 3, free=1)
    assert model.dual_gap_ <= TOL
    assert model.dual_objective_ <= best * (1 + 1e-8)
    assert_allclose(model.objective_, best, rtol=2 * TOL)


@pytest.mark.parametrize("machine", ["ovr", "ovo"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_optimum_of_separate_problems(machine, loss):
    X, y, weights = unbalanced(1)
    model = LinearSVM(machine, loss=loss, fit_intercept="free", tol=TOL, random_state=0)
    model.fit(X, y, weights)
    if machine == "ovr":
        problems = [(np.full(len(y), True), y == m) for m in range(3)]
    else:
        pairs = [(0, 1), (0, 2), (1, 2)]
        problems = [(np.isin(y, pair), y == pair[1]) for pair in pairs]
    best = sum(binary_optimum(loss, X[r], p[r], weights[r]) for r, p in problems)
    assert model.dual_objective_ <= best * (1 + 1e-8)
    assert_allclose(model.objective_, best, rtol=2 * TOL)


def test_maximum_entropy_is_multinomial_logistic_regression():
    X, y, weights = unbalanced(2)
    ours = MaxEnt(fit_intercept="free", tol=1e-10, random_state=0).fit(X, y, weights)
    theirs = LogisticRegression(solver="newton-cholesky", tol=1e-12).fit(X, y, weights)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_coefficients_of_rows_sum_to_zero():
    X, y, _ = unbalanced(3)
    for machine in ("cs", "ovr", "llw"):
        model = LinearSVM(machine, fit_intercept="free", random_state=0).fit(X, y)
        size = np.abs(model.dual_coef_).sum()
        assert_allclose(model.dual_coef_.sum(axis=0), 0, atol=1e-12 * size)


def test_objective_is_of_the_model_without_its_intercepts():
    X, y, _ = unbalanced(4)
    model = LinearSVM(fit_intercept="free", C=0.5, random_state=0).fit(X, y)
    scores = model.decision_function(X)
    rivals = np.where(np.eye(3, dtype=bool)[y], scores, scores + 1)
    losses = rivals.max(axis=1) - scores[np.arange(len(y)), y]
    assert_allclose(model.objective_, (model.coef_**2).sum() / 2 + 0.5 * losses.sum())


def test_moving_the_features_moves_only_the_intercepts():
    X, y, _ = unbalanced(5)
    moved = X + np.array([100, -7, 3])
    free = LinearSVM("ww", fit_intercept="free", tol=1e-8, random_state=0)
    here, there = clone(free).fit(X, y), clone(free).fit(moved, y)
    assert_allclose(here.objective_, there.objective_, rtol=2e-8)
    assert_allclose(here.coef_, there.coef_, atol=2e-3 * np.abs(here.coef_).max())
    penalised = LinearSVM("ww", tol=1e-8, random_state=0)
    before = clone(penalised).fit(X, y).objective_
    assert abs(clone(penalised).fit(moved, y).objective_ / before - 1) > 0.01


@pytest.mark.parametrize("solver", ["auto", "dual", "newton"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_solvers_and_formats(solver, dtype):
    X, y, _ = unbalanced(6)
    X = (X / [1, 10, 0.1] - [3, -4, 2]).astype(dtype)
    model = LinearSVM(fit_intercept="free", solver=solver, random_state=0)
    dense = clone(model).fit(X, y)
    sparse = clone(model).fit(sp.csr_array(X), y)
    assert dense.coef_.dtype == dense.intercept_.dtype == dtype
    best = unified_optimum(
        "cs", "hinge", with_constant(X).astype(float), y, np.ones(len(y)), 3, free=1
    )
    for fitted in (dense, sparse):
        assert fitted.status_ == "converged"
        assert best * (1 - 1e-6) <= fitted.objective_ <= best * 1.001


def test_two_classes_and_weights_of_zero():
    X, y, weights = unbalanced(7, k=2)
    weights[::4] = 0
    kept = weights > 0
    model = LinearSVM("ovr", fit_intercept="free", tol=TOL, random_state=0)
    model.fit(X, y, weights)
    best = binary_optimum("hinge", X[kept], y[kept] == 1, weights[kept])
    assert_allclose(model.objective_, best, rtol=2 * TOL)


def test_several_labels_a_row():
    X, y, _ = unbalanced(8)
    Y = np.column_stack([y == 1, y > 0, X[:, 1] > -35]).astype(int)
    model = LinearSVM("ovr", fit_intercept="free", tol=TOL, random_state=0).fit(X, Y)
    ones = np.ones(len(y))
    best = sum(binary_optimum("hinge", X, column == 1, ones) for column in Y.T)
    assert_allclose(model.objective_, best, rtol=2 * TOL)


def test_warm_starts_paths_and_files(tmp_path):
    X, y, _ = unbalanced(9)
    model = LinearSVM(
        fit_intercept="free", solver="newton", warm_start=True, random_state=0
    ).fit(X, y)
    steps = model.n_iter_
    assert model.fit(X, y).n_iter_ < steps
    model.set_params(C=2).fit(X, y)
    anew = clone(model).fit(X, y)
    assert_allclose(model.objective_, anew.objective_, rtol=1e-3)
    found = path(X, y, [0.1, 1], fit_intercept="free", random_state=0)
    assert all(step.dual_gap_ <= 1e-3 for step in found)
    save(model, tmp_path / "model")
    assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))


def test_constant_and_empty_features():
    y = np.array([0, 0, 1])
    for X in (np.zeros((3, 2)), np.ones((3, 2))):
        model = LinearSVM("ovr", fit_intercept="free", random_state=0).fit(X, y)
        # By strong convexity: |w|^2 / 2 is within the gap, a thousandth of 2.
        assert_allclose(model.coef_, 0, atol=np.sqrt(2 * 2e-3))
        assert_allclose(model.objective_, 2, rtol=1e-3)  # one of three is wrong
        assert_array_equal(model.predict(X), 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("solver", "tron"), ("features", "reduced"), ("violation_tol", 1e-3)],
)
def test_what_it_does_not_go_with(name, value):
    X, y, _ = unbalanced()
    model = LinearSVM(
        "ovr", loss="squared_hinge", fit_intercept="free", **{name: value}
    )
    with pytest.raises(ValueError, match=f"{name}={value!r} is not for fit_intercept"):
        model.fit(X, y)


def test_neither_streams_nor_row_stores(tmp_path):
    X, y, _ = unbalanced()
    model = LinearSVM(fit_intercept="free")
    assert not hasattr(model, "partial_fit")
    convert([(X, y)], tmp_path / "rows")
    with pytest.raises(ValueError, match="'free' is not possible on a row store"):
        model.fit(open_rows(tmp_path / "rows"))
