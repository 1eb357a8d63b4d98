"""Newton steps for one-vs-one: every pair of classes has a problem of its own."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    augmented,
    class_pairs,
    class_weights,
    dual_block,
    dual_objective,
    make_problem,
    make_sparse_problem,
    primal_objective,
    scores_of,
    sides,
    slacks,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from polymargin import LinearSVM
from polymargin._core import core
from polymargin.access import rows_of

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


# Epochs, threads, starts and ends


@pytest.mark.parametrize("loss", LOSSES)
def test_finished_pairs_take_part_no_more(loss):
    X, y = make_problem(n=300, d=12, k=5)
    X[y == 0] *= 5
    model = fit(loss, X, y, C=10, history=True)
    moves, visits = model.history_["moves"], model.history_["visits"]
    assert moves[0] == 10 > moves[-1] > 0
    assert (np.diff(moves) <= 0).all()
    # A product in the step and two at its end, of the rows of the pairs that are left.
    assert visits[0] >= 3 * 4 * len(y)
    assert 0 < visits[-1] < visits[0]


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_number_of_threads(loss, dtype, k):
    X, y = make_sparse_problem(n=3000, d=300, k=k, dtype=dtype)
    one, *others = (
        fit(loss, X, y, tol=1e-4, history=True, n_jobs=n_jobs) for n_jobs in (1, 2, 5)
    )
    for other in others:
        assert_array_equal(one.coef_, other.coef_)
        assert_array_equal(one.intercept_, other.intercept_)
        assert_array_equal(one.dual_coef_.toarray(), other.dual_coef_.toarray())
        for name in ("objective", "dual_objective", "violation", "visits", "moves"):
            assert_array_equal(one.history_[name], other.history_[name])


@pytest.mark.parametrize("loss", LOSSES)
def test_warm_start(loss):
    X, y = make_problem(n=200, k=4)
    warm = tron(loss, tol=1e-6, warm_start=True).fit(X, y)
    needed = warm.n_iter_
    assert warm.set_params(tol=1e-5).fit(X, y).n_iter_ < needed / 2
    for C in (1.3, 10.0, 100.0):
        warm.set_params(C=C).fit(X, y)
        cold = tron(loss, C=C, tol=1e-5).fit(X, y)
        assert_allclose(warm.objective_, cold.objective_, rtol=1e-5)
        assert warm.n_iter_ <= cold.n_iter_


@pytest.mark.parametrize("loss", LOSSES)
def test_warm_start_from_the_dual_method_and_back(loss):
    X, y = make_problem(n=200, k=4)
    model = LinearSVM("ovo", loss=loss, tol=1e-6, random_state=0, warm_start=True)
    model.set_params(C=0.1, solver="dual", max_iter=10_000).fit(X, y)
    objective, needed = model.objective_, model.n_iter_
    model.set_params(solver="tron").fit(X, y)
    assert model.n_iter_ <= 3
    assert_allclose(model.objective_, objective, rtol=2e-6)
    model.set_params(solver="dual").fit(X, y)
    assert model.n_iter_ <= needed / 2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_max_time_keeps_the_last_steps(n_jobs):
    X, y = make_sparse_problem(n=20_000, d=5000, k=20, nonzeros=50)
    model = tron(tol=0, C=100, max_time=1.5, n_jobs=n_jobs)
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"raise max_time \(now 1.5 s\)"):
        model.fit(X, y)
    assert time.perf_counter() - start < 8
    assert model.status_ == "max_time"
    assert model.dual_objective_ < model.objective_ < 100 * 19 * X.shape[0]
    assert (model.predict(X[:2000]) == y[:2000]).mean() > 0.2


def test_max_time_before_the_first_step():
    X, y = make_sparse_problem(n=20_000, d=5000, k=20, nonzeros=50)
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model = tron(max_time=1e-4).fit(X, y)
    assert model.status_ == "max_time" and model.n_iter_ == 0
    assert not model.coef_.any()
    assert_allclose(model.objective_, 19 * 20_000)  # every loss is one at zero


INTERRUPTED = """
    import time
    import numpy as np
    from polymargin import LinearSVM
    from problems import make_sparse_problem

    X, y = make_sparse_problem(n=60_000, d=20_000, k=12, nonzeros=40)
    model = LinearSVM("ovo", loss="squared_hinge", solver="tron", C=1e3, tol=0)
    model.set_params(n_jobs={n_jobs})
    print("ready", flush=True)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        stopped = time.time()
        assert model.coef_.any() and len(model.support_)
        assert model.dual_gap_ == np.inf
        print(stopped, model.status_, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt(n_jobs, helpers_on_path):
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(INTERRUPTED.format(n_jobs=n_jobs))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=helpers_on_path,
        start_new_session=True,
    )
    try:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        time.sleep(3)
        assert process.poll() is None, process.stderr.read()
        sent = time.time()
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, err
    stopped, status = out.split()
    assert status == "interrupted"
    assert float(stopped) - sent < 2  # the rest of a product, and the dual variables


# As in test_estimator_checks: two independent runs are compared to 1e-7.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([tron(loss, violation_tol=1e-11) for loss in LOSSES])
def test_estimator(estimator, check):
    check(estimator)


def test_hinge_is_refused():
    X, y = make_problem()
    with pytest.raises(ValueError, match=r"'tron' does not train machine='ovo' with"):
        fit("hinge", X, y)


# Some of the rows


@pytest.mark.parametrize("bias", [0.0, 2.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "layout", [np.ascontiguousarray, np.asfortranarray, sp.csr_array]
)
def test_subset_has_the_chosen_rows(layout, dtype, bias):
    """In their order, repeated ones too; and it keeps the memory alive."""
    X = np.random.default_rng(0).normal(size=(30, 4)).astype(dtype)
    chosen = np.array([7, 0, 29, 7, 3])
    subset = rows_of(layout(X), bias).subset(chosen)
    assert (subset.size, subset.features) == (5, 4 + (bias > 0))
    expected = X[chosen]
    if bias:
        expected = np.column_stack([expected, np.full(5, bias, dtype=dtype)])
    V = np.eye(subset.features, dtype=dtype)
    assert_array_equal(core.products(subset, V, 1), expected)
    again = subset.subset(np.array([4, 1]))
    assert_array_equal(core.products(again, V, 1), expected[[4, 1]])


@pytest.mark.parametrize("index", [-1, 30, 2**32, -(2**63)])
def test_subset_refuses_rows_that_are_not_there(index):
    rows = rows_of(np.ones((30, 4)))
    message = rf"indices\[1\] is {index}; give row numbers from 0 to 29"
    with pytest.raises(IndexError, match=message):
        rows.subset(np.array([0, index]))
    with pytest.raises(IndexError, match=r"from 0 to 1"):
        rows.subset(np.array([0, 5])).subset(np.array([0, 2]))


def test_subset_refuses_what_is_no_row_number():
    for indices in (np.array([0.5]), np.array([[0]]), np.array([True])):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            rows_of(np.ones((30, 4))).subset(indices)
