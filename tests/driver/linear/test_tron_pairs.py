"""Newton steps for one-vs-one: every pair of classes has a problem of its own."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from problems import (
    augmented,
    class_pairs,
    class_weights,
    dual_block,
    dual_objective,
    make_problem,
    primal_objective,
    scores_of,
    sides,
    slacks,
)

from polymargin import LinearSVM

LOSSES = ("squared_hinge", "logistic")


def tron(loss="squared_hinge", **parameters):
    return LinearSVM("ovo", loss=loss, solver="tron", **({"tol": 1e-9} | parameters))


def fit(loss, X, y, sample_weight=None, **parameters):
    return tron(loss, **parameters).fit(X, y, sample_weight=sample_weight)


def rows_of_pair(y, pair):
    return np.flatnonzero(np.isin(y, pair))


# Against other solvers


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("loss", LOSSES)
def test_dual_method_agrees(loss, k, C, intercept):
    """On every pair alone, and in sum."""
    X, y = make_problem(n=30 + 15 * k, d=4, k=k, seed=k, noise=0.2)
    weight = np.random.default_rng(1).uniform(0.2, 2, size=len(y))
    parameters = {"C": C, "fit_intercept": intercept, "intercept_scaling": 2.0}
    model = fit(loss, X, y, weight, **parameters)
    assert model.solver_ == "tron" and model.status_ == "converged"
    assert model.coef_.shape == (k * (k - 1) // 2, 4)
    dual = LinearSVM(loss=loss, solver="dual", tol=1e-7, max_iter=100_000)
    dual.set_params(random_state=0, **parameters)
    total = 0.0
    for column, pair in enumerate(class_pairs(k)):
        rows = rows_of_pair(y, pair)
        dual.set_params(machine="ovr").fit(X[rows], y[rows], weight[rows])
        distance = class_weights(model)[column] - class_weights(dual)[0]
        # Both are within the tolerance of one optimum, in a strongly convex problem.
        assert np.linalg.norm(distance) <= 2 * np.sqrt(2e-7 * dual.objective_)
        others = np.setdiff1d(np.arange(len(y)), rows)
        assert not model.dual_coef_[others][:, [column]].nnz
        total += dual.objective_
    assert_allclose(model.objective_, total, rtol=2e-7)
    dual.set_params(machine="ovo").fit(X, y, weight)
    assert_allclose(model.objective_, dual.objective_, rtol=2e-7)
    assert_allclose(model.dual_objective_, dual.dual_objective_, rtol=2e-7)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize(("loss", "solver"), [("logistic", 0), ("squared_hinge", 2)])
def test_liblinear_agrees_on_every_pair(loss, solver, C):
    liblinearutil = pytest.importorskip("liblinear.liblinearutil")
    X, y = make_problem(n=120, d=5, k=4, seed=2, noise=0.2)
    model = fit(loss, X, y, C=C)
    for column, pair in enumerate(class_pairs(4)):
        rows = rows_of_pair(y, pair)
        signs = np.where(y[rows] == pair[1], 1.0, -1.0)
        other = liblinearutil.train(
            signs, X[rows], f"-s {solver} -c {C} -e 1e-9 -q -B 1"
        )
        weights, bias = other.get_decfun(0)  # of its first label, which comes first
        W = other.get_labels()[0] * np.array([*weights, bias])
        ours = class_weights(model)[column]
        assert_allclose(ours, W, rtol=0, atol=1e-4 * np.abs(W).max())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_pair_takes_the_steps_of_a_binary_machine(loss, max_iter):
    """An epoch is one Newton step of each."""
    X, y = make_problem(n=300, d=12, k=4, noise=0.3)
    X[:, 0] *= 20
    model = fit(loss, X, y, tol=0, C=10, max_iter=max_iter)
    assert model.n_iter_ == max_iter
    objective = 0
    for column, pair in enumerate(class_pairs(4)):
        rows = rows_of_pair(y, pair)
        alone = LinearSVM("ovr", loss=loss, solver="tron", tol=0, C=10)
        alone.set_params(max_iter=max_iter).fit(X[rows], y[rows])
        size = np.abs(alone.coef_).max()
        assert_allclose(model.coef_[column], alone.coef_[0], rtol=0, atol=1e-5 * size)
        objective += alone.objective_
    assert_allclose(model.objective_, objective, rtol=1e-6)


# The certificate


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", [1, 3, 1000])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_certificate(loss, intercept, C, max_iter):
    """With empty rows, twins of other labels and rows of no weight, in both formats."""
    X, y = make_problem(n=60, d=6, k=4, seed=5, scale=3.0)
    X[10:20], X[20:25] = X[:10], 0
    weight = np.random.default_rng(0).choice([0.0, 0.3, 1.0, 4.0], size=60)
    for dtype, rounding in ((np.float64, 1e-10), (np.float32, 1e-4)):
        Z, parameters = X.astype(dtype), {"C": C, "max_iter": max_iter}
        parameters["fit_intercept"] = intercept
        model = fit(loss, Z, y, weight, history=True, **parameters)
        primal = primal_objective(model, Z, y, C * weight)
        dual = dual_objective(model, Z, y, C * weight)
        terms = rounding * (primal + abs(dual) + abs(model.dual_coef_).sum())
        assert abs(model.objective_ - primal) <= terms
        assert abs(model.dual_objective_ - dual) <= terms
        assert model.objective_ >= model.dual_objective_ - terms
        assert dual_block(model, y).min() >= 0
        objectives = model.history_["objective"]
        assert (np.diff(objectives) <= rounding * objectives[0]).all()
        assert objectives[-1] == model.objective_
        if dtype == np.float64 and max_iter == 1000:
            assert model.status_ == "converged" and model.dual_gap_ <= 1e-9
        if not intercept:
            assert not model.dual_coef_[np.arange(20, 25)].nnz


@pytest.mark.parametrize("loss", LOSSES)
def test_violation_is_the_largest_entry_of_a_gradient(loss):
    X, y = make_problem(n=100, k=4)
    model = fit(loss, X, y, violation_tol=1e-3, C=0.5)
    assert model.status_ == "converged"
    h = slacks("ovo", loss, scores_of(model, X), y)
    pull = 1 / (1 + np.exp(-h)) if loss == "logistic" else 2 * np.maximum(h, 0)
    gradient = class_weights(model) - 0.5 * (sides("ovo", y, 6) * pull).T @ augmented(
        model, X
    )
    assert_allclose(model.violation_, np.abs(gradient).max(), rtol=1e-6)
    assert model.violation_ <= 1e-3


@pytest.mark.parametrize("loss", LOSSES)
def test_weight_equals_repetition(loss):
    X, y = make_problem(n=60, k=4)
    weight = np.random.default_rng(1).integers(0, 4, size=len(y))
    weight[:4] = 1  # every class keeps a row
    weighted = fit(loss, X, y, weight, tol=1e-12)
    repeated = fit(loss, np.repeat(X, weight, axis=0), np.repeat(y, weight), tol=1e-12)
    assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-10)
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    assert not weighted.dual_coef_[np.flatnonzero(weight == 0)].nnz


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
