"""Maximum entropy: multinomial logistic regression and its probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    augmented,
    class_weights,
    draw_softmax,
    dual_block,
    dual_objective,
    is_own,
    make_problem,
    make_sparse_problem,
    primal_objective,
)
from reference import solve_primal
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from polymargin import LinearSVM, MaxEnt


def fit(X, y, sample_weight=None, **parameters):
    parameters = {"tol": 1e-9, "max_iter": 100_000, "random_state": 0} | parameters
    return MaxEnt(**parameters).fit(X, y, sample_weight=sample_weight)


def problem_named(name):
    if name == "generated":
        return make_problem(n=80, d=5, k=4, seed=2)
    load = {"iris": load_iris, "wine": load_wine}[name]
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


# The same optimum as others


@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("name", ["generated", "iris", "wine"])
def test_logistic_regression(name, C):
    X, y = problem_named(name)
    other = LogisticRegression(
        C=C, fit_intercept=False, tol=1e-10, max_iter=100_000
    ).fit(X, y)
    model = fit(X, y, C=C, fit_intercept=False)
    ours, loss_weights = model.coef_.copy(), np.full(len(y), C)
    model.coef_ = other.coef_
    theirs = primal_objective(model, X, y, loss_weights)
    assert_allclose(model.objective_, theirs, rtol=1e-8)
    assert model.dual_objective_ <= theirs * (1 + 1e-12)
    assert_allclose(ours, other.coef_, rtol=0, atol=1e-3 * np.abs(ours).max())
    model.coef_ = ours
    assert_allclose(model.predict_proba(X), other.predict_proba(X), rtol=0, atol=1e-3)
    assert_array_equal(model.predict(X), other.predict(X))


def test_logistic_regression_with_weights():
    X, y = problem_named("wine")
    weight = np.random.default_rng(0).uniform(0.2, 3, size=len(y))
    by_class = {0: 2.0, 1: 0.5, 2: 1.0}
    other = LogisticRegression(
        fit_intercept=False, tol=1e-10, max_iter=10_000, class_weight=by_class
    ).fit(X, y, sample_weight=weight)
    model = fit(X, y, weight, fit_intercept=False, class_weight=by_class)
    scale = np.abs(other.coef_).max()
    assert_allclose(model.coef_, other.coef_, rtol=0, atol=1e-3 * scale)


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_two_classes_are_a_logistic_regression_with_twice_C(C):
    """With v / 2 = w_1 = -w_0, it is 1/4 |v|^2 + C loss(v): half of that with 2 C."""
    X, y = make_problem(n=60, k=4, seed=4)
    y = y % 2
    model = fit(X, y, C=C)
    binary = LinearSVM(
        "ovr", loss="logistic", C=2 * C, tol=1e-9, max_iter=100_000, random_state=0
    ).fit(X, y)
    assert_allclose(model.objective_, binary.objective_ / 2, rtol=3e-9)
    close = 2 * np.sqrt(2e-9 * 4 * binary.objective_)  # both are strongly convex
    assert np.linalg.norm(model.coef_ - binary.coef_) <= close
    other = LogisticRegression(
        C=2 * C, fit_intercept=False, tol=1e-10, max_iter=10_000
    ).fit(augmented(model, X), y)
    weights = np.column_stack([model.coef_, model.intercept_])
    assert_allclose(weights, other.coef_, atol=1e-3 * np.abs(other.coef_).max())
    assert_allclose(
        model.predict_proba(X), other.predict_proba(augmented(model, X)), atol=1e-3
    )


# Extremes of C and of the number of classes


def test_with_a_tiny_C_one_step_of_the_gradient_is_the_model():
    """Scores are zero and all classes equally probable: w_m = sum_i C_i (e_y - 1/k)."""
    X, y = make_problem(n=60, k=4)
    model = fit(X, y, C=1e-8)
    gradient = (is_own(y, 4) - 0.25).T @ augmented(model, X)
    assert_allclose(class_weights(model), 1e-8 * gradient, rtol=1e-4, atol=1e-12)
    assert_allclose(model.predict_proba(X), 0.25, atol=1e-5)


@pytest.mark.parametrize(
    ("C", "dtype"), [(1e3, np.float32), (1e3, np.float64), (1e6, np.float64)]
)
def test_large_C_on_separable_rows(C, dtype):
    """Nearly all shares of C vanish; the certificate still holds."""
    X, y = make_problem(n=40, d=60, k=3, noise=0)
    model = fit(X.astype(dtype), y, C=C, tol=1e-3)
    assert model.status_ == "converged"
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) == 1
    loss_weights = np.full(len(y), C)
    primal = primal_objective(model, X.astype(dtype), y, loss_weights)
    dual = dual_objective(model, X.astype(dtype), y, loss_weights)
    rounding = 1e-5 if dtype == np.float32 else 1e-10
    assert_allclose(model.objective_, primal, rtol=rounding)
    assert_allclose(model.dual_objective_, dual, rtol=rounding)
    assert 0 <= primal - dual <= (1e-3 + rounding) * primal


def test_a_hundred_classes_have_dense_blocks():
    """Every class has a probability, so no dual variable is zero."""
    k = 100
    X, y = make_sparse_problem(n=500, d=100, k=k)
    model = fit(X, y, C=1.0, tol=1e-7)
    loss_weights = np.ones(len(y))
    best, weights = solve_primal("maxent", "log", augmented(model, X), y, loss_weights)
    assert_allclose(model.objective_, best, rtol=1e-6)
    close = 1e-3 * np.abs(weights).max()
    assert_allclose(class_weights(model), weights, rtol=0, atol=close)
    assert model.dual_coef_.nnz == len(y) * k
    assert_array_equal(model.support_, np.arange(len(y)))
    p = model.predict_proba(X)
    assert p.shape == (500, k)
    # At the optimum the dual variables are the probabilities of the wrong classes.
    u = dual_block(model, y)
    assert_allclose(u, np.where(is_own(y, k), 0, p), atol=1e-3)


# Probabilities


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [2, 3, 12])
def test_probabilities_are_the_softmax_of_the_scores(k, dtype):
    X, y = make_problem(n=60 + k, d=5, k=k)
    X = X.astype(dtype)
    names = np.array([f"class {m:02}" for m in range(k)])
    model = fit(X, names[y], tol=1e-3)
    p = model.predict_proba(X)
    assert p.shape == (len(y), k)
    assert p.dtype == dtype
    assert (p > 0).all()
    rounding = 10 * np.finfo(dtype).eps
    assert_allclose(p.sum(axis=1), 1, rtol=rounding)
    assert_array_equal(names[p.argmax(axis=1)], model.predict(X))
    scores = model.decision_function(X).astype(np.float64)
    if k == 2:
        scores = np.column_stack([np.zeros(len(y)), scores])
    powers = np.exp(scores)
    expected = powers / powers.sum(axis=1, keepdims=True)
    assert_allclose(p, expected, rtol=10 * rounding)
    assert_allclose(
        model.predict_log_proba(X), np.log(expected), rtol=0, atol=20 * rounding
    )


@pytest.mark.parametrize("k", [2, 4])
def test_logarithms_where_probabilities_underflow(k):
    """A probability of exp(-5000) is zero, its logarithm is not minus infinity."""
    X, y = make_problem(n=60, k=k)
    model = fit(X, y, tol=1e-3)
    far = X * (1e4 / np.abs(model.decision_function(X)).max())
    p, logs = model.predict_proba(far), model.predict_log_proba(far)
    assert (p == 0).any()
    assert np.isfinite(logs).all()
    assert_allclose(p.sum(axis=1), 1)
    seen = p > 1e-300
    assert_allclose(logs[seen], np.log(p[seen]), rtol=1e-9, atol=1e-12)
    # Differences of logarithms are differences of scores, however far away.
    scores = model.decision_function(far)
    if k == 2:
        assert_allclose(logs[:, 1] - logs[:, 0], scores, rtol=1e-9)
    else:
        assert_allclose(logs - logs[:, :1], scores - scores[:, :1], rtol=1e-9)


@pytest.mark.parametrize("k", [2, 4])
def test_calibrated_on_a_softmax_model(k):
    """With enough rows the probabilities are those the labels were drawn from."""
    X, y, p = draw_softmax(n=20_000, d=4, k=k)
    model = MaxEnt(C=10.0, tol=1e-6, random_state=0).fit(X, y)
    found = model.predict_proba(X)
    assert np.abs(found - p).mean() < 0.01
    assert np.quantile(np.abs(found - p), 0.99) < 0.05
    assert np.abs(p - 1 / k).mean() > 0.1  # the truth is not what nothing would say
    # Among rows of about equal probability, that share has the label.
    for low in np.arange(0, 1, 0.2):
        rows = (found[:, 0] >= low) & (found[:, 0] < low + 0.2)
        noise = 4 * 0.5 / np.sqrt(rows.sum())
        assert abs((y[rows] == 0).mean() - found[rows, 0].mean()) < noise


def test_the_mean_probability_is_the_frequency():
    """But for the penalty of the intercepts: b_m = C sum_i ([m = y] - p_m)."""
    X, y, _ = draw_softmax(n=2000, d=3, k=4)
    model = fit(X, y, C=10.0, violation_tol=1e-9)
    means, frequencies = model.predict_proba(X).mean(axis=0), np.bincount(y) / len(y)
    assert_allclose(frequencies - means, model.intercept_ / (10.0 * len(y)), atol=1e-8)
    assert_allclose(means, frequencies, atol=1e-3)


# Warm starts


@pytest.mark.parametrize("k", [2, 5])
def test_warm_start_along_a_grid(k):
    X, y = make_problem(n=200, k=k)
    # With an order of one's own there are no Newton steps, and epochs are all alike.
    tight = {"tol": 1e-6, "order": "permuted"}
    warm = MaxEnt(max_iter=20_000, random_state=0, warm_start=True, **tight)
    warm_epochs = cold_epochs = 0
    for C in (0.01, 0.1, 1.0, 10.0, 0.1):
        warm.set_params(C=C).fit(X, y)
        cold = fit(X, y, C=C, **tight)
        assert_allclose(warm.objective_, cold.objective_, rtol=2e-6)
        assert (dual_block(warm, y).sum(axis=1) <= C * (1 + 1e-9)).all()
        warm_epochs += warm.n_iter_
        cold_epochs += cold.n_iter_
    assert warm_epochs < cold_epochs


def test_there_is_one_restricted_solver():
    with pytest.raises(ValueError, match="restricted"):
        MaxEnt(restricted="active_set").fit(*make_problem())


@pytest.mark.parametrize("solver", ["dual", "newton"])
def test_solvers_agree(solver):
    X, y = load_iris(return_X_y=True)
    parameters = {"C": 0.1, "tol": 1e-8, "max_iter": 100_000, "random_state": 0}
    auto = MaxEnt(**parameters).fit(X, y)
    model = MaxEnt(solver=solver, **parameters).fit(X, y)
    assert model.solver_ == solver
    assert_allclose(model.objective_, auto.objective_, rtol=2e-8)
    with pytest.raises(ValueError, match="'solver' parameter of MaxEnt must be"):
        MaxEnt(solver="tron").fit(X, y)
