"""The trust-region Newton method against other solvers and its own certificate."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    augmented,
    class_weights,
    dual_block,
    make_problem,
    make_sparse_problem,
    scores_of,
    slacks,
)
from reference import solve_primal
from scipy.special import xlogy
from sklearn.linear_model import LogisticRegression
from sklearn.utils import compute_sample_weight

from polymargin import LinearSVM

LOSSES = ("squared_hinge", "logistic")


def fit(loss, X, y, sample_weight=None, **parameters):
    model = LinearSVM("ovr", loss=loss, solver="tron", **({"tol": 1e-9} | parameters))
    return model.fit(X, y, sample_weight=sample_weight)


def objective(model, W, X, y, loss_weights):
    """1/2 |W|^2 + sum C_i loss_i by the definitions of the losses."""
    scores = augmented(model, X) @ W.T
    h = slacks("ovr", "hinge", scores, np.searchsorted(model.classes_, y))
    if model.loss == "logistic":
        values = np.logaddexp(0, h - 1)
    else:
        values = np.maximum(h, 0) ** 2
    return np.sum(W**2) / 2 + np.sum(loss_weights * values.sum(axis=1))


def dual_objective(model, X, y, loss_weights):
    """Of `dual_coef_`; rows without features are worth their constant loss."""
    u, C = dual_block(model, y), loss_weights[:, None]
    if model.loss == "logistic":
        terms = xlogy(C, C) - xlogy(u, u) - xlogy(C - u, C - u)
        constant = np.log(2)
    else:
        terms = u - np.divide(u**2, 4 * C, where=C > 0, out=np.zeros_like(u))
        constant = 1
    features = augmented(model, X)
    terms[~features.any(axis=1)] = constant * loss_weights[~features.any(axis=1), None]
    W = model.dual_coef_.toarray().T.astype(np.float64) @ features
    return terms.sum() - np.sum(W**2) / 2


def check_certificate(model, X, y, loss_weights, rounding=1e-10):
    primal = objective(model, class_weights(model), X, y, loss_weights)
    dual = dual_objective(model, X, y, loss_weights)
    terms = primal + abs(dual) + abs(model.dual_coef_).sum()
    assert abs(model.objective_ - primal) <= rounding * terms
    assert abs(model.dual_objective_ - dual) <= rounding * terms
    assert model.objective_ >= model.dual_objective_ - rounding * terms
    u = dual_block(model, y)
    assert u.min() >= 0
    if model.loss == "logistic":
        assert (u <= loss_weights[:, None] * (1 + 1e-6)).all()


def check_same_optimum(model, W, X, y, loss_weights, rtol=1e-6):
    """`W` is the other solver's: one row per binary problem.

    The objective is convex by 1/2 |W|^2: whose value is P is within sqrt(2 (P - D)) of
    the optimum, for any dual objective D.
    """
    other = objective(model, W, X, y, loss_weights)
    assert_allclose(model.objective_, other, rtol=rtol)
    assert_allclose(model.dual_objective_, other, rtol=rtol)
    above = np.array([model.objective_, other]) - model.dual_objective_
    radius = np.sqrt(2 * np.maximum(above, 1e-13 * other)).sum()
    assert np.linalg.norm(W - class_weights(model)) <= radius


@pytest.mark.parametrize(
    ("intercept", "weighting"), [(False, None), (True, "sample"), (True, "class")]
)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_interior_point_solver_agrees(k, C, intercept, weighting):
    X, y = make_problem(n=30 + 5 * k, d=4, k=k, seed=k)
    sample = class_weight = None
    loss_weights = np.full(len(y), C)
    if weighting == "sample":
        sample = np.random.default_rng(1).choice([0.1, 0.5, 2.0], size=len(y))
        loss_weights = loss_weights * sample
    if weighting == "class":
        class_weight = {label: 0.5 + label for label in range(k)}
        loss_weights = loss_weights * compute_sample_weight(class_weight, y)
    parameters = {"fit_intercept": intercept, "intercept_scaling": 2.0, "C": C}
    parameters["class_weight"] = class_weight
    model = fit("squared_hinge", X, y, sample, **parameters)
    assert model.solver_ == "tron" and model.status_ == "converged"
    features = augmented(model, X)
    _, W = solve_primal("ovr", "squared_hinge", features, y, loss_weights)
    check_same_optimum(model, W, X, y, loss_weights)
    check_certificate(model, X, y, loss_weights)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("loss", "solver"), [("logistic", 0), ("squared_hinge", 2)])
def test_liblinear_agrees(loss, solver, k, C):
    liblinearutil = pytest.importorskip("liblinear.liblinearutil")
    X, y = make_problem(n=80, d=5, k=k, seed=2, noise=0.2)
    other = liblinearutil.train(
        y.astype(float), X, f"-s {solver} -c {C} -e 1e-9 -q -B 1"
    )
    W = np.empty((k, 6))
    for position, label in enumerate(other.get_labels()):
        weights, bias = other.get_decfun(position)
        W[label] = [*weights, bias]
    if k == 2:  # one vector, which LIBLINEAR has for its first label
        W = W[1:]
    check_same_optimum(fit(loss, X, y, C=C), W, X, y, np.full(len(y), C))


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("k", [2, 4])
def test_logistic_regression_agrees(k, C):
    X, y = make_problem(n=80, d=5, k=k, seed=2, noise=0.2)
    model = fit("logistic", X, y, C=C)
    other = LogisticRegression(C=C, fit_intercept=False, tol=1e-9, max_iter=10_000)
    W = [
        other.fit(augmented(model, X), y == m).coef_[0]
        for m in (range(k) if k > 2 else [1])
    ]
    check_same_optimum(model, np.array(W), X, y, np.full(len(y), C))
    check_certificate(model, X, y, np.full(len(y), C))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 2, 5, 100])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_weak_duality_and_descent(loss, intercept, C, max_iter):
    """With empty rows, twins of other labels and rows of no weight, in both formats."""
    X, y = make_problem(n=60, d=6, k=4, seed=5, scale=3.0)
    X[10:20], X[20:25] = X[:10], 0
    weight = np.random.default_rng(0).choice([0.0, 0.3, 1.0, 4.0], size=60)
    for dtype, rounding in ((np.float64, 1e-10), (np.float32, 1e-4)):
        parameters = {"C": C, "max_iter": max_iter, "fit_intercept": intercept}
        model = fit(loss, X.astype(dtype), y, weight, history=True, **parameters)
        check_certificate(model, X.astype(dtype), y, C * weight, rounding)
        history = model.history_["objective"]
        assert (np.diff(history) <= rounding * history[0]).all()
        assert history[-1] == model.objective_
        assert model.n_iter_ <= max_iter
        if dtype == np.float64 and max_iter == 100:
            assert model.status_ == "converged"
            assert model.dual_gap_ <= 1e-9
        if not intercept:
            assert not model.dual_coef_[np.arange(20, 25)].nnz


@pytest.mark.parametrize("loss", LOSSES)
def test_weight_equals_repetition(loss):
    X, y = make_problem()
    weight = np.random.default_rng(1).integers(0, 4, size=len(y))
    weight[:3] = 1  # every class keeps a row
    weighted = fit(loss, X, y, weight, tol=1e-12)
    repeated = fit(loss, np.repeat(X, weight, axis=0), np.repeat(y, weight), tol=1e-12)
    assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-10)
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-9)
    assert not weighted.dual_coef_[np.flatnonzero(weight == 0)].nnz


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 3, 7])
@pytest.mark.parametrize("loss", LOSSES)
def test_classes_do_not_meet(loss, max_iter):
    """In lockstep every class takes the steps it would take alone.

    Its sums are rounded in another order, which conjugate gradients let grow: weights
    differ by up to 5e-7 of the largest here, with five other seeds by up to 3e-5.
    """
    X, y = make_problem(n=300, d=12, k=6, noise=0.3)
    X[:, 0] *= 20
    together = fit(loss, X, y, tol=0, C=10, max_iter=max_iter)
    for m in range(6):
        alone = fit(loss, X, y == m, tol=0, C=10, max_iter=max_iter)
        size = np.abs(alone.coef_).max()
        assert_allclose(together.coef_[m], alone.coef_[0], rtol=0, atol=1e-5 * size)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rejected_steps_and_finished_classes():
    """Full Newton steps overshoot here, and three of the classes finish on the way."""
    X, y = make_sparse_problem(300, 100, 4)
    parameters = {"C": 100, "tol": 0.3, "max_iter": 28}
    together = fit("squared_hinge", X, y, history=True, **parameters)
    change = np.diff(together.history_["objective"])
    assert (change <= 0).all() and (change == 0).any()
    assert together.history_["moves"][[0, -1]].tolist() == [4, 1]
    alone = [fit("squared_hinge", X, y == m, **parameters) for m in range(4)]
    assert len({model.n_iter_ for model in alone}) == 4
    for m, model in enumerate(alone):
        size = np.abs(model.coef_).max()
        # 6e-8 was observed; with other seeds rounding decides about a step.
        assert_allclose(together.coef_[m], model.coef_[0], rtol=0, atol=1e-6 * size)


@pytest.mark.parametrize("loss", LOSSES)
def test_finished_classes_take_part_no_more(loss):
    X, y = make_problem(n=300, d=12, k=6)
    X[y == 0] *= 5
    y[:200] = np.where(y[:200] > 3, 3, y[:200])
    model = fit(loss, X, y, C=10, history=True)
    moves = model.history_["moves"]
    assert moves[0] == 6 > moves[-1] > 0
    assert (np.diff(moves) <= 0).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_number_formats_and_layouts(loss):
    X, y = make_problem(n=200, d=8, k=4)
    best = fit(loss, X, y).objective_
    for layout in (np.asfortranarray, sp.csr_array, sp.csr_matrix):
        assert_allclose(fit(loss, layout(X), y).objective_, best, rtol=1e-8)
    for layout in (np.ascontiguousarray, sp.csr_array):
        model = fit(loss, layout(X.astype(np.float32)), y, tol=1e-4)
        assert model.coef_.dtype == model.dual_coef_.dtype == np.float32
        assert_allclose(model.objective_, best, rtol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_number_of_threads(loss, dtype):
    X, y = make_sparse_problem(n=5000, d=300, k=20, dtype=dtype)
    one, two = (fit(loss, X, y, tol=1e-3, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert_array_equal(one.coef_, two.coef_)
    assert_array_equal(one.dual_coef_.toarray(), two.dual_coef_.toarray())
    assert one.objective_ == two.objective_
    assert one.dual_objective_ == two.dual_objective_


@pytest.mark.parametrize("loss", LOSSES)
def test_violation_is_the_largest_entry_of_a_gradient(loss):
    X, y = make_problem(n=100, k=4)
    model = fit(loss, X, y, tol=0, violation_tol=1e-3, C=0.5)
    assert model.status_ == "converged"
    features = augmented(model, X)
    h = slacks("ovr", "hinge", scores_of(model, X), y)
    pull = 1 / (1 + np.exp(1 - h)) if loss == "logistic" else 2 * np.maximum(h, 0)
    signs = np.where(y[:, None] == np.arange(4), 1, -1)
    gradient = class_weights(model) - 0.5 * (signs * pull).T @ features
    assert_allclose(model.violation_, np.abs(gradient).max(), rtol=1e-6)
    assert model.violation_ <= 1e-3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", LOSSES)
def test_steps_go_on_below_the_rounding_of_the_objective(loss):
    """A gradient of 1e-11 changes the objective by less than one part in 10^20."""
    X, y = make_problem(n=100, k=4)
    model = fit(loss, X, y, violation_tol=1e-11)
    assert model.violation_ <= 1e-11
    model = fit(loss, X, y, violation_tol=1e-30)
    assert model.status_ == "precision"
    assert model.violation_ <= 1e-11
