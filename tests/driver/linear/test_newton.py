"""The estimators with proximal Newton steps: optima, odd data, starts and ends."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    ALL_PAIRS,
    SOME_PAIRS,
    augmented,
    dual_objective,
    is_bounded,
    make_problem,
    make_sparse_problem,
    primal_objective,
    rotated,
)
from reference import solve_primal
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning

from polymargin import KernelSVM, LinearSVM
from polymargin._core import core
from polymargin.access.rows import Rows
from polymargin.driver.epochs import run_epochs
from polymargin.driver.linear.newton.blas import BLAS
from polymargin.driver.linear.newton.driver import NewtonDriver
from polymargin.driver.loop import Stopping
from polymargin.driver.options import LinearOptions
from polymargin.machine.problem import state_problem
from polymargin.machine.registry import find_machine

SVM_PAIRS = [pair for pair in ALL_PAIRS if pair[0] != "maxent"]


def newton(machine="cs", loss="hinge", **parameters):
    return LinearSVM(machine, loss=loss, solver="newton", **parameters)


def train(machine, loss, X, y, loss_weights, tol=1e-9, threads=1):
    """Run the driver itself, which also trains maximum entropy."""
    machine = find_machine(machine, loss)
    problem = state_problem(machine, y, np.unique(y), 1.0, loss_weights, None)
    driver = NewtonDriver(
        Rows(X, 1.0), problem, LinearOptions(tol=tol, threads=threads)
    )
    return driver, run_epochs(driver, Stopping(tol, max_iter=500))


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(ALL_PAIRS, [2, 3]))
def test_optimum(machine, loss, k):
    X, y = make_problem(n=50, d=4, k=k, noise=0.2)
    loss_weights = np.random.default_rng(0).choice([0.0, 0.5, 2.0], size=50)
    _, run = train(machine, loss, X, y, loss_weights)
    features = np.column_stack([X, np.ones(50)])
    used = loss_weights > 0
    best, _ = solve_primal(machine, loss, features[used], y[used], loss_weights[used])
    assert run.status == "converged"
    assert_allclose(run.certificate.primal, best, rtol=2e-9)
    assert_allclose(run.certificate.dual, best, rtol=2e-9)


@pytest.mark.parametrize(
    ("machine", "loss", "sparse"), rotated(SVM_PAIRS, [False, True])
)
def test_the_certificate_is_that_of_the_model(machine, loss, sparse):
    """With rows that are empty, and weights that are zero."""
    X, y = make_problem(n=60, d=5, k=4)
    X[::7] = 0
    weight = np.where(np.arange(60) % 5 == 1, 0.0, 1.0)
    model = newton(machine, loss, C=0.7, fit_intercept=False, tol=1e-7)
    model.fit(sp.csr_array(X) if sparse else X, y, sample_weight=weight)
    assert model.status_ == "converged"
    loss_weights = 0.7 * weight
    assert_allclose(
        model.objective_, primal_objective(model, X, y, loss_weights), rtol=1e-12
    )
    assert_allclose(
        model.dual_objective_, dual_objective(model, X, y, loss_weights), rtol=1e-9
    )
    assert model.dual_objective_ <= model.objective_ * (1 + 1e-13)
    assert is_bounded(model) == (loss != "squared_hinge")


@pytest.mark.parametrize(("machine", "loss"), SVM_PAIRS)
def test_the_same_model_on_any_number_of_threads(machine, loss):
    X, y = make_problem(n=80, d=5, k=5)
    one = newton(machine, loss, n_jobs=1).fit(X, y)
    for n_jobs in (2, 5):
        other = newton(machine, loss, n_jobs=n_jobs).fit(X, y)
        assert_array_equal(one.coef_, other.coef_)
        assert_array_equal(one.dual_coef_.toarray(), other.dual_coef_.toarray())


@pytest.mark.parametrize(
    ("machine", "loss", "load"),
    rotated(SOME_PAIRS, [load_wine, load_breast_cancer, load_digits]),
)
def test_features_as_they_come(machine, loss, load):
    X, y = load(return_X_y=True)
    _, run = train(machine, loss, X, y, np.ones(len(y)), tol=1e-3)
    assert run.status == "converged"
    assert run.iterations <= 150


@pytest.mark.parametrize(("machine", "loss"), SVM_PAIRS)
def test_float32_rows_have_float32_weights(machine, loss):
    X, y = make_problem(n=60, k=3)
    model = newton(machine, loss).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32
    assert model.status_ == "converged"
    double = newton(machine, loss).fit(X.astype(np.float32).astype(float), y)
    assert_allclose(model.coef_, double.coef_, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("machine", "loss"), SVM_PAIRS)
def test_warm_start(machine, loss):
    X, y = make_problem(n=100, k=3, noise=0.2)
    warm = newton(machine, loss, tol=1e-6, warm_start=True).fit(X, y)
    needed = warm.n_iter_
    warm.set_params(tol=1e-5).fit(X, y)
    assert warm.n_iter_ <= max(2, needed / 2)
    warm.set_params(C=1.3).fit(X, y)
    cold = newton(machine, loss, tol=1e-6, C=1.3).fit(X, y)
    assert_allclose(warm.objective_, cold.objective_, rtol=2e-5)


@pytest.mark.parametrize(("machine", "loss"), SVM_PAIRS)
def test_stopping_by_violation(machine, loss):
    X, y = make_problem(n=60, k=3)
    model = newton(machine, loss, violation_tol=1e-6).fit(X, y)
    assert model.status_ == "converged"
    assert model.violation_ <= 1e-6
    assert model.dual_gap_ <= 1e-5


def test_sparse_text():
    X, y = make_sparse_problem(n=400, d=3000, k=6)
    model = newton("cs", tol=1e-6).fit(X, y)
    other = LinearSVM("cs", solver="dual", tol=1e-6, random_state=0).fit(X, y)
    assert_allclose(model.objective_, other.objective_, rtol=2e-6)


def test_max_time_keeps_the_last_step(clock):
    """Also when the time is over in the middle of a step."""
    clock.tick = 1.0
    X, y = make_sparse_problem(n=800, d=300, k=10, nonzeros=20)
    model = newton("cs", C=100, tol=0, max_time=50)
    with pytest.warns(ConvergenceWarning, match=r"raise max_time \(now 50 s\)"):
        model.fit(X, y)
    assert model.status_ == "max_time"
    loss_weights = np.full(len(y), 100.0)
    assert_allclose(
        model.objective_, primal_objective(model, X, y, loss_weights), rtol=1e-9
    )


def test_interrupt_keeps_the_model(monkeypatch):
    X, y = make_problem(n=200, k=4)
    steps, count = NewtonDriver.epochs_at_once, []

    def interrupted(self, seconds, most):
        count.append(1)
        if len(count) == 5:
            raise KeyboardInterrupt
        return steps(self, seconds, 1)

    monkeypatch.setattr(NewtonDriver, "epochs_at_once", interrupted)
    model = newton("cs", tol=1e-9)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_ == "interrupted"
    assert model.score(X, y) > 0.5


def test_one_constant_feature_and_duplicated_rows():
    X, y = make_problem(n=40, k=3)
    X = np.vstack([X, X])
    X[:, 0] = 5.0
    y = np.concatenate([y, (y + 1) % 3])
    for machine, loss in SVM_PAIRS:
        model = newton(machine, loss, tol=1e-8).fit(X, y)
        assert model.status_ == "converged"
        features = augmented(model, X)
        best, _ = solve_primal(machine, loss, features, y, np.ones(80))
        assert_allclose(model.objective_, best, rtol=2e-8)


@pytest.mark.parametrize(
    ("machine", "loss", "scale"),
    rotated(SVM_PAIRS, [1e-300, 1e-160, 1.0, 1e150], times=2),
)
@pytest.mark.parametrize("C", [1e-300, 1e-10, 1e10])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_whatever_the_scales_numbers_are_finite(machine, loss, scale, C):
    X, y = make_problem(n=12, d=3, k=3)
    model = newton(machine, loss, C=C, max_iter=20, fit_intercept=False)
    with np.errstate(all="ignore"):
        model.fit(X * scale, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.dual_coef_.data).all()
    assert model.dual_gap_ >= 0
    assert model.status_ != "converged" or model.dual_gap_ <= model.tol


@pytest.mark.parametrize("features", [2**62, 2**61, 2**59 + 1])
def test_sizes_that_no_memory_has(features):
    """Products of them may not wrap: (2^62)(4) would be nothing at all."""
    machine = find_machine("cs", "hinge")
    starts = np.arange(5, dtype=np.int64)
    indices = np.arange(4, dtype=np.int32)
    rows = core.DoubleRows(BLAS, np.ones(4), indices, starts, features)
    none = np.zeros(0, np.int64), np.zeros(0, np.int32)
    options = 4, "none", 1e-3, False, 1
    with pytest.raises(MemoryError, match="GB of memory in one piece"):
        core.Newton(rows, machine.axes(4), indices, np.ones(4), *options, *none)


@pytest.mark.parametrize("model", [newton(), KernelSVM("ovo", kernel="laplacian")])
def test_columns_whose_numbers_do_not_fit(model):
    """What is cut to 32 bits would be another column."""
    indices = np.array([0, 1, 1, 2**32 + 2, 0, 2], dtype=np.int64)
    shape = 3, 2**32 + 10
    X = sp.csr_array((np.ones(6), indices, np.array([0, 2, 4, 6])), shape=shape)
    with pytest.raises(ValueError, match="takes at most 2147483647 columns"):
        model.fit(X, [0, 1, 2])
