"""Exponentiated gradient and cutting planes, the solvers to compare with."""

import re
from threading import Event

import numpy as np
import pytest
import scipy.sparse as sp
from callbacks import AfterSteps
from counted_time import count_time
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    PAIRS,
    augmented,
    class_weights,
    dual_block,
    dual_objective,
    make_problem,
    make_sparse_problem,
    primal_objective,
    violations,
)
from random_problems import random_problems, size_of_terms
from reference import solve_primal
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from polymargin import LinearSVM

EG, CP = SOLVERS = ("exponentiated_gradient", "cutting_plane")
# What each reaches on the problems here. Exponentiated gradient is sublinear, and the
# slower the larger C |x|^2.
TOLERANCES = {EG: 1e-4, CP: 1e-7}
ignore_convergence = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)


def fit(solver, X, y, sample_weight=None, **parameters):
    parameters = {
        "C": 0.3,
        "tol": TOLERANCES.get(solver, 1e-8),
        "max_iter": 20_000,
        "random_state": 0,
    } | parameters
    model = LinearSVM(solver=solver, **parameters)
    return model.fit(X, y, sample_weight=sample_weight)


def check_certificate(model, X, y, loss_weights, rtol=1e-10):
    """Objectives from the definitions, weak duality, feasibility, W = X^T b."""
    primal = primal_objective(model, X, y, loss_weights)
    dual = dual_objective(model, X, y, loss_weights)
    assert_allclose(model.objective_, primal, rtol=rtol)
    assert_allclose(model.dual_objective_, dual, rtol=rtol, atol=rtol * primal)
    assert dual <= primal * (1 + rtol)
    u = dual_block(model, y)
    assert (u >= 0).all()
    assert (
        u.sum(axis=1) <= loss_weights * (1 + 10 * np.finfo(model.coef_.dtype).eps)
    ).all()
    W = model.dual_coef_.toarray().T.astype(float) @ augmented(model, X)
    if len(model.classes_) == 2:  # `class_weights` halves the difference
        W = np.vstack([W[0] - W[1], W[1] - W[0]]) / 2
    assert_allclose(class_weights(model), W, rtol=0, atol=rtol**0.5 * np.abs(W).max())


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("k", [2, 4, 9])
@pytest.mark.parametrize("solver", SOLVERS)
def test_optimum(solver, k, intercept):
    X, y = make_problem(n=60, d=5, k=k, seed=k)
    model = fit(solver, X, y, fit_intercept=intercept, intercept_scaling=2.0)
    assert (model.solver_, model.status_) == (solver, "converged")
    loss_weights = np.full(len(y), model.C)
    best, _ = solve_primal("cs", "hinge", augmented(model, X), y, loss_weights)
    assert_allclose(model.objective_, best, rtol=TOLERANCES[solver])
    assert_allclose(model.dual_objective_, best, rtol=TOLERANCES[solver])
    other = fit("dual", X, y, fit_intercept=intercept, intercept_scaling=2.0)
    assert_allclose(model.objective_, other.objective_, rtol=TOLERANCES[solver])
    check_certificate(model, X, y, loss_weights)


@pytest.mark.parametrize("solver", SOLVERS)
def test_more_than_64_classes(solver):
    X, y = make_sparse_problem(n=300, d=50, k=70, seed=1)
    model = fit(solver, X, y, tol=1e-3)
    other = fit("dual", X, y)
    assert_allclose(model.objective_, other.objective_, rtol=1e-3)
    check_certificate(model, X, y, np.full(len(y), model.C))


@ignore_convergence
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_dual_rises_in_every_epoch(solver, C, dtype):
    """Also where nothing converges in the time given; empty rows and weights of 0."""
    X, y = make_problem(n=80, d=6, k=5, seed=3)
    X[::7] = 0
    weights = np.arange(len(y)) % 4 / 2
    parameters = {"C": C, "max_iter": 30, "history": True, "fit_intercept": False}
    model = fit(solver, X.astype(dtype), y, weights, **parameters)
    dual, primal = model.history_["dual_objective"], model.history_["objective"]
    rounding = {np.float32: 1e-5, np.float64: 1e-12}[dtype] * np.abs(dual).max()
    assert (np.diff(dual) >= -rounding).all()
    assert np.ptp(dual) > 100 * rounding  # it does rise
    assert (primal >= dual.max() - rounding).all()
    assert model.coef_.dtype == model.dual_coef_.dtype == dtype
    rtol = {np.float32: 1e-4, np.float64: 1e-10}[dtype]
    check_certificate(model, X, y, C * weights, rtol=rtol)
    assert not dual_block(model, y)[(weights == 0) | ~X.any(axis=1)].any()


@ignore_convergence
@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    problem=random_problems(),
    solver=st.sampled_from(SOLVERS),
    C=st.integers(-6, 6).map(lambda power: 10.0**power),
    intercept=st.booleans(),
    dtype=st.sampled_from([np.float64, np.float32]),
)
def test_weak_duality(problem, solver, C, intercept, dtype):
    """On any scale, with twins, contradictions, empty rows and weights of zero."""
    X, y, weights = problem
    X = X.astype(dtype)
    model = fit(
        solver, X, y, weights, C=C, fit_intercept=intercept, max_iter=15, history=True
    )
    primal, dual = model.history_["objective"], model.history_["dual_objective"]
    loss_weights = C * (np.ones(len(y)) if weights is None else weights)
    rounding = 100 * np.finfo(dtype).eps * size_of_terms(model, X, y, loss_weights)
    rounding += (1e-11 if dtype == np.float64 else 1e-4) * np.abs([primal, dual]).max()
    assert np.isfinite(model.coef_).all()
    assert (np.diff(dual) >= -rounding).all()
    assert primal.min() >= dual[-1] - rounding
    assert (
        abs(model.objective_ - primal_objective(model, X, y, loss_weights)) <= rounding
    )
    assert (
        abs(model.dual_objective_ - dual_objective(model, X, y, loss_weights))
        <= rounding
    )
    u = dual_block(model, y)
    assert (u >= 0).all()
    assert (u.sum(axis=1) <= loss_weights * (1 + 100 * np.finfo(dtype).eps)).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_violation(solver):
    X, y = make_problem(n=60, d=5, k=4, seed=4)
    model = fit(solver, X, y, tol=1e-9 if solver == CP else 1e-5)
    expected = violations(model, X, y, np.full(len(y), model.C)).max()
    assert_allclose(model.violation_, expected, rtol=1e-6, atol=1e-9)


def test_cutting_planes_reach_a_violation():
    X, y = make_problem(n=60, d=5, k=4, seed=4)
    model = fit(CP, X, y, violation_tol=1e-6)
    assert model.status_ == "converged"
    assert model.violation_ <= 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_equal_repetition(solver):
    X, y = make_problem(n=40, d=4, k=3, seed=5)
    weights = np.arange(len(y)) % 3
    weighted = fit(solver, X, y, weights)
    repeated = fit(solver, np.repeat(X, weights, axis=0), np.repeat(y, weights))
    halves = fit(solver, X, y, weights / 2, class_weight=dict.fromkeys(range(3), 2.0))
    for other in (repeated, halves):
        assert_allclose(weighted.objective_, other.objective_, rtol=TOLERANCES[solver])
        difference = np.abs(weighted.coef_ - other.coef_).max()
        assert difference < 20 * TOLERANCES[solver] ** 0.5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("solver", SOLVERS)
def test_formats(solver, dtype):
    X, y = make_sparse_problem(n=100, d=30, k=4, seed=6, dtype=dtype)
    sparse = fit(solver, X, y, tol=1e-3)
    dense = fit(solver, np.asfortranarray(X.toarray()), y, tol=1e-3)
    assert sparse.coef_.dtype == dense.coef_.dtype == dtype
    assert_allclose(sparse.coef_, dense.coef_, rtol=0, atol=1e-3)
    repeated = sp.csr_array(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), X.shape
    )
    assert_allclose(
        fit(solver, repeated, y, tol=1e-3).objective_, sparse.objective_, rtol=1e-3
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_same_seed_same_model(solver):
    X, y = make_problem(n=60, d=5, k=4, seed=7)
    one, two = (fit(solver, X, y, tol=1e-3, random_state=1) for _ in range(2))
    assert_array_equal(one.coef_, two.coef_)
    other = fit(solver, X, y, tol=1e-3, random_state=2)
    assert np.array_equal(one.coef_, other.coef_) == (solver == CP)  # no chance there


@pytest.mark.parametrize("before", ["dual", *SOLVERS])
@pytest.mark.parametrize("solver", SOLVERS)
def test_warm_start(solver, before):
    """It starts where the other ended, and goes on to another C."""
    X, y = make_problem(n=60, d=5, k=4, seed=8)
    model = fit(before, X, y, tol=TOLERANCES[solver] / 10, warm_start=True)
    epochs = fit(solver, X, y).n_iter_
    again = model.set_params(solver=solver, tol=TOLERANCES[solver]).fit(X, y)
    assert again.n_iter_ <= max(2, epochs // 10)
    assert again.status_ == "converged"
    warm = model.set_params(C=0.4).fit(X, y)
    cold = fit("dual", X, y, C=0.4)
    assert_allclose(warm.objective_, cold.objective_, rtol=TOLERANCES[solver])
    check_certificate(warm, X, y, np.full(len(y), 0.4))


@pytest.mark.parametrize(
    ("machine", "loss"),
    [pair for pair in PAIRS if pair not in (("cs", "hinge"), ("maxent", "log"))],
)
@pytest.mark.parametrize("solver", SOLVERS)
def test_other_machines_are_refused(solver, machine, loss):
    X, y = make_problem(n=20)
    with pytest.raises(ValueError, match=f"solver='{solver}'") as caught:
        LinearSVM(machine, loss=loss, solver=solver).fit(X, y)
    message = str(caught.value)
    assert f"machine={machine!r}" in message and f"loss={loss!r}" in message
    assert re.search(r"choose one of auto, dual(, tron)?, newton\.$", message)


@pytest.mark.parametrize("solver", SOLVERS)
def test_partial_fit_is_refused(solver):
    X, y = make_problem(n=20)
    model = LinearSVM(solver=solver)
    with pytest.raises(AttributeError) as caught:
        model.partial_fit(X, y, classes=np.unique(y))
    assert f"solver='{solver}', which needs all rows" in str(caught.value.__cause__)
    assert not hasattr(model, "coef_")


@ignore_convergence
@pytest.mark.parametrize("solver", SOLVERS)
def test_max_time(monkeypatch, solver):
    """Time is counted: a few epochs are over before it is."""
    modules = "driver.loop", "driver.epochs", "driver.linear.cutting_plane"
    count_time(monkeypatch, *modules)
    X, y = make_sparse_problem(n=2000, d=2000, k=30, nonzeros=30)
    model = fit(solver, X, y, tol=0, max_time=60)
    assert model.status_ == "max_time" and model.n_iter_ >= 1
    assert (model.predict(X) == y).mean() > 0.2


@pytest.mark.parametrize(
    "parameters",
    [{"solver": EG}, {"solver": CP}, {"order": "max_violation", "solver": "dual"}],
    ids=lambda parameters: next(iter(parameters.values())),
)
def test_interrupt_keeps_the_model(interrupted, parameters):
    X, y = make_sparse_problem(n=400, d=200, k=30, nonzeros=30)
    model = LinearSVM(tol=0, max_iter=10**9, C=100, max_time=300, random_state=0)
    ready = Event()
    model.set_params(**parameters).set_callbacks(AfterSteps(2, ready.set))
    interrupted(lambda: model.fit(X, y), ready)
    assert model.status_ == "interrupted"
    assert model.coef_.any()
    # What is kept belongs together.
    coef = (model.dual_coef_.T @ X).toarray()
    assert np.abs(coef - model.coef_).max() < 1e-6 * np.abs(coef).max()


def test_both_ignore_what_is_of_the_dual_method():
    X, y = load_iris(return_X_y=True)
    for solver in SOLVERS:
        models = [
            fit(solver, X, y, tol=1e-2, C=0.01, **parameters)
            for parameters in ({}, {"order": "max_violation", "restricted": "sort"})
        ]
        assert_array_equal(models[0].coef_, models[1].coef_)


# What needs more epochs than there is time for.
SLOW = {
    "check_sample_weight_equivalence_on_dense_data": "compares two runs to 1e-7",
    "check_sample_weight_equivalence_on_sparse_data": "compares two runs to 1e-7",
    "check_class_weight_classifiers": "C |x|^2 is above 100,000",
}


@ignore_convergence
@parametrize_with_checks(
    [
        LinearSVM(solver=CP, tol=1e-11, max_iter=300),
        LinearSVM(solver=EG, tol=1e-4, max_iter=300),
    ],
    expected_failed_checks=lambda model: SLOW if model.solver == EG else {},
)
def test_estimator(estimator, check):
    check(estimator)
