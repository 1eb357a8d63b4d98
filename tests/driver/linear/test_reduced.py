"""Reduced features: optima, certificates and weights, computed independently."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    augmented,
    dual_block,
    dual_objective,
    make_model,
    make_problem,
    pair_of,
    primal_objective,
    rotated,
    violations,
)
from reduced import (
    REDUCIBLE,
    fit_reduced,
    model_weights,
    occurring,
    reduced_weights,
    separate_problem,
    shown,
)
from reference import solve_primal

# From here on a block is stored as a list of classes, and a feature in several packs.
MANY = 70


@pytest.mark.parametrize(
    ("machine", "loss", "k", "intercept", "C"),
    rotated(REDUCIBLE, [2, 3, 5], [False, True], [0.2, 1.0, 20.0], times=3),
)
def test_independent_solver_agrees(machine, loss, k, intercept, C):
    X, y = separate_problem(k=k)
    model = fit_reduced(
        machine, loss, X, y, C=C, fit_intercept=intercept, intercept_scaling=2.0
    )
    loss_weights = np.full(len(y), C)
    features, kept = augmented(model, X), occurring(model, X, y, loss_weights)
    best, weights = solve_primal(machine, loss, features, y, loss_weights, kept)
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert_allclose(model.dual_objective_, best, rtol=1e-6)
    found = model_weights(model)
    assert_allclose(found, shown(weights), rtol=0, atol=1e-3 * np.abs(found).max())
    # The pairs that are left out matter: with them the optimum is another.
    better, _ = solve_primal(machine, loss, features, y, loss_weights)
    assert better < best * (1 - 1e-4)


def test_many_classes_and_an_independent_solver():
    X, y = separate_problem(n=200, d=100, k=MANY)
    model = fit_reduced("maxent", "log", X, y)
    loss_weights = np.ones(len(y))
    kept = occurring(model, X, y, loss_weights)
    best, weights = solve_primal(
        "maxent", "log", augmented(model, X), y, loss_weights, kept
    )
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert_allclose(model_weights(model), weights, atol=1e-3 * np.abs(weights).max())


@pytest.mark.parametrize(
    ("machine", "loss", "k", "intercept", "dtype"),
    rotated(REDUCIBLE, [2, 4, MANY], [False, True], [np.float32, np.float64], times=3),
)
def test_certificate_and_weights(machine, loss, k, intercept, dtype):
    """The weights are those of the dual variables where a pair occurs."""
    X, y = separate_problem(n=60 + 2 * k, k=k, dtype=dtype)
    model = fit_reduced(machine, loss, X, y, fit_intercept=intercept, tol=1e-3)
    loss_weights, rounding = np.ones(len(y)), 1e-5 if dtype == np.float32 else 1e-11
    kept = occurring(model, X, y, loss_weights)
    assert not kept.all()
    W = reduced_weights(model, X, y, loss_weights)
    scale = np.abs(W).max()
    assert model.coef_.dtype == dtype
    assert_allclose(model_weights(model), shown(W), rtol=0, atol=rounding * scale)
    assert not model_weights(model)[~shown_kept(kept)].any()
    primal = primal_objective(model, X, y, loss_weights, W)
    dual = dual_objective(model, X, y, loss_weights, kept)
    assert_allclose(model.objective_, primal, rtol=rounding)
    assert_allclose(model.dual_objective_, dual, rtol=rounding)
    assert -rounding * primal <= primal - dual <= (1e-3 + rounding) * primal
    assert_allclose(model.dual_gap_, (primal - dual) / primal, atol=2 * rounding)


def shown_kept(kept):
    """Which weights `coef_` can show: with two columns those of either."""
    return kept.any(axis=0, keepdims=True) if len(kept) == 2 else kept


@pytest.mark.parametrize("k", [3, MANY])
@pytest.mark.parametrize(("machine", "loss"), REDUCIBLE)
def test_violations(machine, loss, k):
    X, y = separate_problem(n=60 + 2 * k, k=k)
    parameters = {"features": "reduced", "random_state": 0, "tol": 1e-2}
    model = make_model(machine, loss, **parameters).fit(X, y)
    expected = violations(model.densify(), X, y, np.ones(len(y))).max()
    assert expected > 0
    assert_allclose(model.violation_, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("machine", "loss", "k", "order"),
    rotated(REDUCIBLE, [2, 4, MANY], ["acf", "permuted", "max_violation"], times=3),
)
def test_the_dual_never_falls(machine, loss, k, order):
    X, y = separate_problem(n=40 + 2 * k, k=k)
    model = fit_reduced(machine, loss, X, y, C=3.0, order=order, history=True, tol=1e-5)
    dual, primal = model.history_["dual_objective"], model.history_["objective"]
    assert (np.diff(dual) >= -1e-12 * primal[:-1]).all()
    assert (dual <= primal.min() * (1 + 1e-12)).all()
    assert model.status_ == "converged"


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(REDUCIBLE, [2, 3, MANY]))
def test_where_every_pair_occurs_nothing_is_reduced(machine, loss, k):
    X, y = make_problem(n=60 + 2 * k, k=k)
    parameters = {"C": 0.1, "tol": 1e-8, "max_iter": 100_000, "random_state": 0}
    reduced = fit_reduced(machine, loss, X, y, **parameters)
    full = make_model(machine, loss, **parameters).fit(X, y)
    assert reduced.n_parameters_ == full.n_parameters_
    assert reduced.n_parameters_.kept == reduced.n_parameters_.full
    assert_allclose(reduced.objective_, full.objective_, rtol=2e-8)
    # Both are within the gap of the optimum of a strongly convex function.
    close = 2 * np.sqrt(2e-8 * 2 * full.objective_)
    difference = model_weights(reduced) - model_weights(full)
    assert np.linalg.norm(difference) <= close * np.sqrt(2)
    assert sp.issparse(reduced.coef_)
    assert not sp.issparse(full.coef_)


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(REDUCIBLE, [2, 3, MANY]))
def test_number_of_parameters(machine, loss, k):
    X, y = separate_problem(n=60 + 2 * k, k=k)
    loss_weights = np.ones(len(y))
    for intercept in (False, True):
        model = fit_reduced(machine, loss, X, y, fit_intercept=intercept, tol=1e-2)
        kept = occurring(model, X, y, loss_weights)[:, : X.shape[1]]
        assert model.n_parameters_ == (kept.sum(), kept.size)
        assert model.n_parameters_.kept < model.n_parameters_.full
        full = make_model(machine, loss, fit_intercept=intercept, tol=1e-2).fit(X, y)
        assert full.n_parameters_ == (kept.size, kept.size)
        if k > 2:  # also weights that are zero by chance are stored
            assert model.coef_.nnz == kept.sum()
            assert_array_equal(np.diff(model.coef_.indptr), kept.sum(axis=1))


# Weights of the rows


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(REDUCIBLE, [2, 3, MANY]))
def test_a_row_without_weight_has_no_pairs(machine, loss, k):
    X, y = separate_problem(n=60 + 2 * k, k=k)
    weight = np.ones(len(y))
    weight[k::3] = 0
    by_weight = fit_reduced(machine, loss, X, y, weight, tol=1e-7)
    without = fit_reduced(machine, loss, X[weight > 0], y[weight > 0], tol=1e-7)
    assert by_weight.n_parameters_ == without.n_parameters_
    everyone = fit_reduced(machine, loss, X, y, tol=1e-2)
    assert everyone.n_parameters_.kept > without.n_parameters_.kept
    assert_allclose(by_weight.objective_, without.objective_, rtol=2e-7)
    kept = occurring(by_weight, X, y, weight)
    assert not model_weights(by_weight)[~shown_kept(kept)].any()
    assert not dual_block(by_weight, y)[weight == 0].any()


def test_a_class_without_weight_has_no_features():
    X, y = separate_problem(k=3)
    model = fit_reduced("cs", "hinge", X, y, class_weight={1: 0.0}, tol=1e-3)
    assert model.coef_[[1]].nnz == 0
    assert model.intercept_[1] == 0
    assert model.coef_[[0]].nnz > 0


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("machine", "loss"), REDUCIBLE)
def test_integer_weights_equal_repetition(machine, loss, k):
    X, y = separate_problem(k=k)
    weight = np.random.default_rng(0).integers(4, size=len(y))
    weight[:k] = 1
    rows = np.repeat(np.arange(len(y)), weight)
    weighted = fit_reduced(machine, loss, X, y, weight, C=0.5, tol=1e-9)
    repeated = fit_reduced(machine, loss, X[rows], y[rows], C=0.5, tol=1e-9)
    assert weighted.n_parameters_ == repeated.n_parameters_
    assert_allclose(weighted.objective_, repeated.objective_, rtol=2e-9)
    found = model_weights(weighted)
    close = 1e-3 * np.abs(found).max()
    assert_allclose(found, model_weights(repeated), rtol=0, atol=close)


# Two classes


@pytest.mark.parametrize("machine", ["cs", "maxent"])
def test_swapping_two_classes_changes_the_sign(machine):
    X, y = separate_problem(k=2)
    loss = "hinge" if machine == "cs" else "log"
    one, other = (fit_reduced(machine, loss, X, labels) for labels in (y, 1 - y))
    assert pair_of(one) == (machine, loss)
    scale = np.abs(model_weights(one)).max()
    assert_allclose(model_weights(one), -model_weights(other), atol=1e-3 * scale)
    assert_allclose(one.objective_, other.objective_, rtol=2e-8)


def test_a_feature_of_the_first_of_two_classes_only():
    """One-vs-rest has one weight vector, that of the second class."""
    X = np.array([[1.0, 0, 1], [2, 0, 1], [0, 1, 1], [0, 2, 1]])
    y = np.array([0, 0, 1, 1])
    single = fit_reduced("ovr", "hinge", X, y, fit_intercept=False)
    assert single.n_parameters_ == (2, 3)
    assert_array_equal(single.coef_.indices, [1, 2])
    both = fit_reduced("cs", "hinge", X, y, fit_intercept=False)
    assert both.n_parameters_ == (4, 6)
    coef = both.coef_.toarray()[0]
    assert coef[0] < 0 < coef[1]
