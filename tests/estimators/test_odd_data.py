"""Odd but valid data: labels, empty and constant rows, shapes and scales."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    ALL_PAIRS,
    augmented,
    dual_objective,
    few_classes,
    loss_at_zero,
    make_model,
    make_problem,
    primal_objective,
    rotated,
)
from reference import solve_primal

from polymargin import LinearSVM

X, y = make_problem(n=30, d=4, k=3)


def fit(X, y, machine="cs", loss="hinge", **parameters):
    parameters = {
        "random_state": 0,
        "C": 0.5,
        "tol": 1e-6,
        "max_iter": 50_000,
    } | parameters
    return make_model(machine, loss, **parameters).fit(X, y)


@pytest.mark.parametrize(
    "names",
    [
        ["ant", "bee", "cat"],
        [-1, 5, 900],
        [0.0, 2.0, 7.0],
        np.array(["x", "yy", "zzz"], dtype=object),
    ],
)
def test_labels(names):
    names = np.asarray(names)
    plain, named = fit(X, y), fit(X, names[y])
    assert_array_equal(named.coef_, plain.coef_)
    assert_array_equal(named.classes_, names)
    assert_array_equal(named.predict(X), names[plain.predict(X)])


def test_boolean_labels():
    model = fit(X, y > 0)
    assert model.classes_.tolist() == [False, True]
    assert model.predict(X).dtype == bool
    assert model.score(X, y > 0) > 0.7
    assert_array_equal(model.decision_function(X) > 0, model.predict(X))


@pytest.mark.parametrize(
    ("machine", "loss", "k", "intercept"), rotated(ALL_PAIRS, [2, 3, 70], [False, True])
)
def test_empty_rows(machine, loss, k, intercept):
    """Their scores are zero, or the intercept; their loss is counted."""
    k = few_classes(machine, k)
    Z, labels = make_problem(n=50 + k, d=5, k=k)
    Z[10::3] = 0
    models = [
        fit(rows, labels, machine, loss, C=0.1, fit_intercept=intercept)
        for rows in (Z, sp.csr_array(Z))
    ]
    loss_weights = np.full(len(labels), 0.1)
    best, _ = solve_primal(machine, loss, augmented(models[0], Z), labels, loss_weights)
    for model in models:
        assert_allclose(model.objective_, best, rtol=2e-6)
        assert_allclose(model.dual_objective_, best, rtol=2e-6)


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(ALL_PAIRS, [2, 3, 70]))
def test_all_rows_empty(machine, loss, k):
    k = few_classes(machine, k)
    Z, labels = np.zeros((k + 20, 5)), np.arange(k + 20) % k
    for rows in (Z, sp.csr_array(Z.shape)):
        model = fit(rows, labels, machine, loss, C=2.0, fit_intercept=False)
        assert not model.coef_.any()
        per_row = loss_at_zero(machine, loss, k)
        assert model.objective_ == pytest.approx(2.0 * per_row * len(Z))
        assert model.status_ == "converged"
        model = fit(rows, labels, machine, loss, C=2.0)
        assert not model.coef_.any()
        assert model.dual_gap_ <= 1e-6


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_constant_features(machine, loss):
    """A constant column is a second intercept: both share the weight of one."""
    constant = np.column_stack([X, np.ones(len(X))])
    model = fit(constant, y, machine, loss, tol=1e-8)
    assert_allclose(model.coef_[:, -1], model.intercept_, atol=1e-9)
    other = fit(X, y, machine, loss, tol=1e-8, intercept_scaling=np.sqrt(2))
    assert_allclose(model.objective_, other.objective_, rtol=1e-7)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_more_features_than_rows(machine, loss):
    Z = np.random.default_rng(0).normal(size=(6, 200))
    labels = np.arange(6) % 3
    model = fit(Z, labels, machine, loss)
    assert model.coef_.shape == (3, 200)
    assert model.score(Z, labels) == 1
    best, _ = solve_primal(machine, loss, augmented(model, Z), labels, np.full(6, 0.5))
    assert_allclose(model.objective_, best, rtol=2e-6)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_every_row_a_class_of_its_own(machine, loss):
    Z = np.random.default_rng(0).normal(size=(20, 30))
    labels = np.arange(20)
    model = fit(Z, labels, machine, loss)
    assert model.score(Z, labels) == 1


def test_more_classes_than_rows_in_a_stream():
    model = LinearSVM(random_state=0)
    model.partial_fit(X[:5], y[:5], classes=np.arange(100))
    assert model.coef_.shape == (100, 4)
    assert np.isin(model.predict(X), np.arange(100)).all()


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_duplicated_and_contradictory_rows(machine, loss):
    Z = np.vstack([X, X, X[:6]])
    labels = np.concatenate([y, y, (y[:6] + 1) % 3])
    model = fit(Z, labels, machine, loss)
    loss_weights = np.full(len(labels), 0.5)
    best, _ = solve_primal(machine, loss, augmented(model, Z), labels, loss_weights)
    assert_allclose(model.objective_, best, rtol=2e-6)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_the_same_row_in_every_class(machine, loss):
    """Nothing can be learned: all scores are equal, and zero unless one-vs-rest."""
    model = fit(np.ones((9, 2)), np.arange(9) % 3, machine, loss, tol=1e-8)
    assert_allclose(model.coef_ - model.coef_[0], 0, atol=1e-3)
    if machine != "ovr":
        assert_allclose(model.coef_, 0, atol=1e-3)
    assert model.dual_gap_ <= 1e-8


@pytest.mark.parametrize(
    ("machine", "loss", "scale", "dtype"),
    rotated(ALL_PAIRS, [1e-20, 1e-6, 1e6, 1e10], [np.float32, np.float64], times=2),
)
def test_scales(machine, loss, scale, dtype):
    """W for X times t and C over t squared is W over t, in any number format."""
    Z = (X * scale).astype(dtype)
    C = 0.1 if scale == 1e-20 else 0.1 / scale**2
    model = fit(Z, y, machine, loss, C=C, tol=1e-3, fit_intercept=False)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite([model.objective_, model.dual_objective_]).all()
    assert model.status_ == "converged"
    if scale != 1e-20 and loss == "hinge":
        plain = fit(X, y, machine, loss, C=0.1, tol=1e-3, fit_intercept=False)
        assert_allclose(model.objective_ * scale**2, plain.objective_, rtol=3e-3)
    loss_weights = np.full(len(y), C)
    assert_allclose(
        primal_objective(model, Z, y, loss_weights), model.objective_, rtol=1e-4
    )
    if scale != 1e-20:
        dual = dual_objective(model, Z, y, loss_weights)
        assert_allclose(dual, model.dual_objective_, rtol=1e-4)


@pytest.mark.parametrize(
    ("machine", "loss", "small", "dtype"),
    rotated(
        ALL_PAIRS,
        [(0.01, 1e-6), (1e-3, 1e-3), (1e-10, 1.0)],
        [np.float32, np.float64],
        times=2,
    ),
)
def test_small_rows_and_small_C(machine, loss, small, dtype):
    scale, C = small
    """W is close to zero, its certificate is not: nearly all loss is unavoidable."""
    Z = (X * scale).astype(dtype)
    model = fit(Z, y, machine, loss, C=C, tol=1e-3, fit_intercept=False)
    assert model.status_ == "converged"
    per_row = loss_at_zero(machine, loss, 3)
    assert_allclose(model.objective_, C * per_row * len(y), rtol=0.01)
    assert model.coef_.any()


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_mixed_scales_are_finite(machine, loss):
    """One feature of 1e10 beside one of 1e-20: hard, but never NaN."""
    Z = X * np.array([1e10, 1e-20, 1, 1e-3])
    model = make_model(machine, loss, max_iter=50, tol=0.9, random_state=0)
    try:
        model.fit(Z, y)
    except Warning:
        assert model.status_ in ("max_iter", "precision")
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.dual_gap_)
    assert model.objective_ >= model.dual_objective_
