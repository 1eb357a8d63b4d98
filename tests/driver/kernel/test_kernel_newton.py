"""Proximal Newton steps with a kernel: optima, odd data, starts and ends."""

import numpy as np
import pytest
from kernel_problems import (
    KERNEL_PAIRS,
    SOME_KERNEL_PAIRS,
    dual_coef,
    gaussian,
    objectives,
)
from numpy.testing import assert_allclose, assert_array_equal
from problems import is_bounded, make_problem
from reference import kernel_optimum
from sklearn.exceptions import ConvergenceWarning

from polymargin import KernelSVM
from polymargin.access.gram import Gram
from polymargin.access.kernels import make_kernel
from polymargin.driver.kernel.newton import kernel_rows, system
from polymargin.driver.kernel.newton.driver import KernelNewtonDriver
from polymargin.driver.kernel.newton.kernel_rows import KernelRows, NoRoom
from polymargin.driver.newton import cholesky
from polymargin.driver.newton.curvature import coefficient_rows
from polymargin.driver.options import KernelOptions
from polymargin.machine.problem import state_problem
from polymargin.machine.registry import find_machine


def newton(machine="ww", loss="hinge", **parameters):
    common = {"tol": 1e-9, "solver": "newton", "fit_intercept": False}
    parameters = common | parameters
    return KernelSVM(machine, loss=loss, **parameters)


def driver_of(machine, loss, X, y, C=1.0, **options):
    kernel = make_kernel("rbf", 0.2, 3, 0.0, X)
    problem = state_problem(
        find_machine(machine, loss), y, np.unique(y), C, np.ones(len(y)), None
    )
    gram = Gram(kernel, kernel.points(X))
    return KernelNewtonDriver(gram, problem, KernelOptions(**options))


def check_optimum(model, gram, y, loss_weights, tol=1e-9):
    """The certificate is that of the model, and the objective that of the oracle."""
    assert model.status_ == "converged"
    primal, dual = objectives(model, gram, y, loss_weights)
    assert_allclose(model.objective_, primal, rtol=1e-9)
    assert_allclose(model.dual_objective_, dual, rtol=1e-9, atol=1e-9 * primal)
    assert model.dual_objective_ <= model.objective_ * (1 + 1e-13)
    used = loss_weights > 0
    best = kernel_optimum(
        model.machine,
        model.loss,
        gram[np.ix_(used, used)],
        y[used],
        loss_weights[used],
    )
    assert_allclose(model.objective_, best, rtol=2 * tol)
    assert_allclose(model.dual_objective_, best, rtol=2 * tol)
    assert is_bounded(model) == (model.loss != "squared_hinge")


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_optimum(machine, loss, k):
    X, y = make_problem(n=40, k=k, seed=k)
    weight = np.random.default_rng(0).choice([0.0, 0.5, 2.0], size=len(y))
    weight[:k] = 1.0  # of a class there is something
    model = newton(machine, loss, gamma=0.2).fit(X, y, sample_weight=weight)
    assert model.solver_ == "newton"
    check_optimum(model, gaussian(X, X, 0.2), y, weight)


@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_singular_kernels_and_rows_that_contradict_each_other(machine, loss):
    X, y = make_problem(n=30, d=3, k=3)
    X = np.vstack([X, X])
    y = np.concatenate([y, (y + 1) % 3])
    model = newton(machine, loss, kernel="linear").fit(X, y)
    check_optimum(model, X @ X.T, y, np.ones(60))


@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_any_weight_of_the_losses(machine, loss, C):
    """The certificate alone tells: with such C the oracle itself loses digits."""
    X, y = make_problem(n=40, d=4, k=3, noise=0.3)
    model = newton(machine, loss, C=C, gamma=0.2, tol=1e-8).fit(X, y)
    assert model.status_ == "converged"
    primal, dual = objectives(model, gaussian(X, X, 0.2), y, np.full(40, C))
    assert primal - dual <= 2e-8 * primal


@pytest.mark.parametrize("form", ["whole", "classes", "mean"])
@pytest.mark.parametrize(
    ("machine", "loss"), [pair for pair in KERNEL_PAIRS if pair[0] != "ovo"]
)
def test_the_system(machine, loss, form, monkeypatch):
    """Its solution, in weights that are written out for an explicit feature map."""
    monkeypatch.setattr(system, "cheapest_form", lambda *sizes: (form, 0.0))
    X, y = make_problem(n=20, d=3, k=3)
    driver = driver_of(machine, loss, X, y, C=2.0)
    if form == "mean" and not system.shares_mean(driver.blocks):
        return
    steps, blocks = driver.newton, driver.blocks
    for _ in range(3):
        steps.step()
    if blocks.smooth:
        curvature = blocks.loss_curvature(steps.point.u)
    else:
        curvature = blocks.step_curvature(steps.point.u, steps.sigma)
    features = np.linalg.cholesky(gaussian(X, X, 0.2) + 1e-14 * np.eye(20))
    n, k = blocks.shape
    H = np.eye(n * k)
    q, r = np.zeros((2, n, k))
    q[curvature.rows, curvature.classes] = curvature.q
    r[curvature.rows, curvature.classes] = curvature.r
    for i in range(n):
        J = np.diag(q[i]) - curvature.gamma[i] * np.outer(r[i], r[i])
        E = coefficient_rows(blocks, np.full(k, i), np.arange(k))
        H += np.kron(np.outer(features[i], features[i]), E.T @ J @ E)
    b = blocks.coefficients(np.random.default_rng(0).random(blocks.shape))
    expected = np.linalg.solve(H, (features.T @ b).ravel()).reshape(n, k)
    step = steps.system.solve(curvature, driver.space.weights(b), 1e-12)
    size = np.abs(expected).max()
    assert_allclose(features.T @ step[0], expected, atol=1e-8 * size)
    assert_allclose(step[1], features @ expected, atol=1e-8 * size)


@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_the_same_model_on_any_number_of_threads(machine, loss, monkeypatch):
    monkeypatch.setattr(kernel_rows, "_WIDTH", 16)
    X, y = make_problem(n=100, d=4, k=3)
    one, other = (newton(machine, loss, n_jobs=n).fit(X, y) for n in (1, 3))
    assert one.n_iter_ == other.n_iter_
    assert_array_equal(dual_coef(one), dual_coef(other))


@pytest.mark.parametrize("C", [0.01, 100.0])
@pytest.mark.parametrize("machine", ["cs", "ww", "llw", "ovr"])
def test_the_unit_of_features_changes_no_step(machine, C):
    """Features times 8 and C over 64, powers of two, have the same scores."""
    X, y = make_problem(n=60, d=3, k=3, noise=0.2)
    common = {"kernel": "linear", "solver": "newton", "random_state": 0}
    common["fit_intercept"] = False  # a constant does not change with the unit
    model = KernelSVM(machine, C=C, **common).fit(X, y)
    other = KernelSVM(machine, C=C / 64, **common).fit(8 * X, y)
    assert model.status_ == other.status_ == "converged"
    assert model.n_iter_ == other.n_iter_
    assert_allclose(other.dual_coef_ * 64, model.dual_coef_, rtol=1e-6, atol=1e-9 * C)


@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_warm_start(machine, loss):
    X, y = make_problem(n=100, k=3, noise=0.2)
    warm = newton(machine, loss, tol=1e-6, warm_start=True).fit(X, y)
    needed = warm.n_iter_
    warm.set_params(tol=1e-5).fit(X, y)
    assert warm.n_iter_ <= max(2, needed / 2)
    warm.set_params(C=1.3, tol=1e-6).fit(X, y)
    cold = newton(machine, loss, tol=1e-6, C=1.3).fit(X, y)
    assert_allclose(warm.objective_, cold.objective_, rtol=2e-6)


def test_float32_rows_have_coefficients_in_double_precision():
    X, y = make_problem(n=60, k=3)
    model = newton(tol=1e-4).fit(X.astype(np.float32), y)
    assert model.status_ == "converged"
    assert model.dual_coef_.dtype == np.float64
    assert model.predict(X).tolist() == newton(tol=1e-4).fit(X, y).predict(X).tolist()
    double = newton(tol=1e-4).fit(X, y)
    assert_allclose(model.objective_, double.objective_, rtol=2e-4)


def test_lengths_are_in_double_precision():
    """In that of the rows, beyond 1e38 they would overflow, with a warning of NumPy."""
    X, y = make_problem(n=20, d=3, k=3)
    X = X.astype(np.float32)
    machine = find_machine("ww", "hinge")
    problem = state_problem(machine, y, np.unique(y), 1.0, np.ones(20), None)
    kernel = make_kernel("linear", 0.2, 3, 0.0, X)
    gram = Gram(kernel, kernel.points(X))
    driver = KernelNewtonDriver(gram, problem, KernelOptions())
    assert isinstance(driver.newton.longest, float)


@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_stopping_by_violation(machine, loss):
    X, y = make_problem(n=60, k=3)
    model = newton(machine, loss, tol=0, violation_tol=1e-6).fit(X, y)
    assert model.status_ == "converged"
    assert model.violation_ <= 1e-6
    assert model.dual_gap_ <= 1e-5


def test_a_kernel_that_is_not_positive_definite_ends():
    X, y = make_problem(n=60, k=3)
    model = newton(kernel="sigmoid", gamma=1.0, coef0=-1.0, C=10, max_iter=200)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_what_has_no_room_is_said():
    X, y = make_problem(n=300, k=3)
    with pytest.raises(ValueError, match=r"cache_size=1 or more, not 0.5; raise cache"):
        newton(cache_size=0.5).fit(X, y)
    kernel = make_kernel("rbf", 0.2, 3, 0.0, X)
    rows = KernelRows(Gram(kernel, kernel.points(X)), 10, 1, lambda: None)
    rows.fetch(np.arange(8))
    with pytest.raises(NoRoom):
        rows.fetch(np.arange(5, 13))
    assert rows.n_evaluations == 8 * 300


def test_max_time_inside_a_factorisation_keeps_the_last_step(monkeypatch):
    """Of two panels, the second is not begun any more."""
    X, y = make_problem(n=200, k=3)
    monkeypatch.setattr(cholesky, "PANEL", 20)
    driver = driver_of("cs", "hinge", X, y, C=100)
    for _ in range(3):
        assert not driver.epoch(1e9).stopped
    before = driver.certify()
    panels, pivot = [], cholesky._pivot

    def slow(*arguments, **parameters):
        panels.append(1)
        driver.end = -np.inf
        return pivot(*arguments, **parameters)

    monkeypatch.setattr(cholesky, "_pivot", slow)
    report = driver.epoch(1e9)
    assert report.stopped and len(panels) == 1
    assert driver.certify() == before
    monkeypatch.setattr(cholesky, "_pivot", pivot)
    assert driver.epoch(1e9).moves


def test_max_time(clock):
    clock.tick = 1.0
    X, y = make_problem(n=300, k=4, noise=0.5)
    with pytest.warns(ConvergenceWarning, match=r"raise max_time \(now 60 s\)"):
        model = newton("llw", C=1000, tol=0, max_time=60).fit(X, y)
    assert model.dual_objective_ <= model.objective_ < np.inf


def test_interrupt_keeps_the_model(monkeypatch):
    X, y = make_problem(n=200, k=4)
    step, count = KernelNewtonDriver.epoch, []

    def interrupted(self, seconds):
        count.append(1)
        if len(count) == 6:
            raise KeyboardInterrupt
        return step(self, seconds)

    monkeypatch.setattr(KernelNewtonDriver, "epoch", interrupted)
    model = newton("cs", tol=1e-9)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_ == "interrupted"
    assert model.score(X, y) > 0.5
