"""Separate binary problems on one kernel matrix."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from kernel_problems import accurate, dual_coef, gaussian, objectives
from problems import LOSSES, make_problem
from reference import kernel_optimum
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from polymargin import KernelSVM
from polymargin._core import core
from polymargin.driver.kernel import separate
from polymargin.driver.kernel.separate import SeparateDriver
from polymargin.prediction import expansion

SEPARATE = [(machine, loss) for machine in ("ovo", "ovr") for loss in LOSSES]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("machine", "loss"), SEPARATE)
def test_gaps_are_those_of_the_definitions(machine, loss, dtype):
    X, y = make_problem(n=300, d=4, k=5)
    X = X.astype(dtype)
    weights = np.random.default_rng(0).uniform(0, 2, size=len(y))
    weights[::7] = 0
    model = KernelSVM(machine, loss=loss, gamma=0.3, C=3.0).fit(X, y, weights)
    assert (model.solver_, model.status_) == ("binary", "converged")
    gram = gaussian(X.astype(float), X.astype(float), 0.3)
    primal, dual = objectives(model, gram, y, 3 * weights)
    assert model.objective_ == pytest.approx(primal, rel=1e-5)
    assert model.dual_objective_ == pytest.approx(dual, rel=1e-5)
    assert dual <= primal <= dual + 1.01e-3 * primal


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize(("machine", "loss"), SEPARATE)
def test_any_C(machine, loss, C):
    X, y = make_problem(n=60, d=3, k=3)
    X[10], y[10] = X[11], (y[11] + 1) % 3  # the same point with another label
    model = accurate(machine, loss, gamma=0.5, C=C, tol=1e-7).fit(X, y)
    weights = np.full(len(y), C)
    best = kernel_optimum(machine, loss, gaussian(X, X, 0.5), y, weights)
    assert model.objective_ == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize(("machine", "loss"), SEPARATE)
def test_whatever_is_left_out_for_a_while(machine, loss):
    """And in how little room: rows are gathered again."""
    X, y = make_problem(n=400, d=3, k=3)
    matrix = 400 * 400 * 8 / 1e6
    models = [
        KernelSVM(
            machine, loss=loss, C=10, tol=1e-6, shrinking=shrinking, cache_size=size
        )
        for shrinking, size in ((False, 100), (True, 100), (True, 1.001 * matrix))
    ]
    first, *others = [model.fit(X, y) for model in models]
    assert {model.solver_ for model in models} == {"binary"}
    for other in others:
        assert other.objective_ == pytest.approx(first.objective_, rel=2e-6)
    np.testing.assert_array_equal(dual_coef(others[0]), dual_coef(others[1]))


@pytest.mark.parametrize(("machine", "loss"), SEPARATE)
def test_rows_without_length(machine, loss):
    X, y = make_problem(n=50, d=3, k=3)
    X[::5] = 0
    model = accurate(machine, loss, kernel="linear", tol=1e-7).fit(X, y)
    best = kernel_optimum(machine, loss, X @ X.T, y, np.ones(len(y)))
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert model.dual_objective_ == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("machine", ["ovo", "ovr"])
def test_where_there_is_no_room_for_the_matrix(machine):
    X, y = make_problem(n=200, d=3, k=3)
    large = KernelSVM(machine, tol=1e-6).fit(X, y)
    small = KernelSVM(machine, tol=1e-6, cache_size=0.1).fit(X, y)
    assert (large.solver_, small.solver_[:5]) == ("binary", "block")
    assert small.objective_ == pytest.approx(large.objective_, rel=2e-6)
    with pytest.raises(ValueError, match=r"takes cache_size=0\.32 or more, not 0\.1;"):
        KernelSVM(machine, solver="binary", cache_size=0.1).fit(X, y)


def test_a_matrix_that_is_too_large_to_be_sooner(monkeypatch):
    X, y = make_problem(n=60, d=3, k=3)
    assert KernelSVM("ovr").fit(X, y).solver_ == "binary"
    monkeypatch.setattr(separate, "_FAR", 1.0)
    assert KernelSVM("ovr").fit(X, y).solver_[:5] == "block"


def test_machines_that_are_one_problem():
    X, y = make_problem(n=30, k=3)
    with pytest.raises(ValueError, match="one of auto, block, newton, s2do, smo"):
        KernelSVM("ww", solver="binary").fit(X, y)


@pytest.mark.parametrize("machine", ["ovo", "ovr"])
def test_a_warm_start_with_what_was_found(machine):
    X, y = make_problem(n=200, d=3, k=4)
    model = KernelSVM(machine, C=10, tol=1e-6, warm_start=True).fit(X, y)
    before = dual_coef(model)
    model.fit(X, y)
    assert model.n_iter_ == 1
    np.testing.assert_allclose(dual_coef(model), before, rtol=1e-12)
    model.set_params(C=1.0).fit(X, y)
    cold = KernelSVM(machine, C=1.0, tol=1e-6).fit(X, y)
    assert model.objective_ == pytest.approx(cold.objective_, rel=2e-6)


@pytest.mark.parametrize("machine", ["ovo", "ovr"])
def test_time_that_is_over_while_the_matrix_is_computed(clock, machine):
    X, y = make_problem(n=1600, d=2, k=3)
    calls = []

    def slow(A, B):
        calls.append(len(A))
        clock.now += 100
        return gaussian(A, B, 0.3)

    model = KernelSVM(machine, kernel=slow, max_time=250)
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model.fit(X, y)
    assert len(calls) == 4  # two blocks of rows, in two tiles each
    assert model.status_ == "max_time" and model.dual_gap_ == 1
    assert len(model.support_) == 0


@pytest.mark.parametrize(
    ("rows", "sizes"),
    [([0, 1, 2, 4], [2, 2]), ([-1, 1, 2, 3], [2, 2]), (None, [5, -1])],
)
def test_the_core_checks_what_it_gets(rows, sizes):
    rows = np.arange(4) if rows is None else rows
    with pytest.raises(ValueError, match="out of range"):
        core.SeparateProblems64(
            np.array(rows, dtype=np.int32),
            np.array(sizes),
            np.ones(4),
            by_pairs=True,
            tolerance=1e-3,
            by_violation=False,
            squared=False,
            shrinking=True,
            in_pairs=True,
            room=1e6,
            threads=1,
        )


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_matrix_for_every_pair(monkeypatch, loss, n_jobs):
    X, y = make_problem(n=250, d=3, k=4)
    weights = np.random.default_rng(0).integers(0, 3, size=len(y))
    model = KernelSVM("ovo", loss=loss, C=10, n_jobs=n_jobs, warm_start=True)
    whole = clone(model).fit(X, y, weights)
    monkeypatch.setattr(separate, "_NEAR", 1.0)
    model.fit(X, y, weights)
    assert model.solver_ == "binary"
    np.testing.assert_allclose(dual_coef(model), dual_coef(whole), rtol=1e-9)
    assert model.objective_ == pytest.approx(whole.objective_, rel=1e-12)
    assert model.n_kernel_evaluations_ < whole.n_kernel_evaluations_
    model.fit(X, y, weights)  # from there
    np.testing.assert_allclose(dual_coef(model), dual_coef(whole), rtol=1e-9)
    # Only what pairs need has to find room.
    model.set_params(cache_size=0.5, warm_start=False, n_jobs=1).fit(X, y, weights)
    assert model.solver_ == "binary"


def test_time_that_is_over_between_two_pairs(clock, monkeypatch):
    monkeypatch.setattr(separate, "_NEAR", 1.0)
    X, y = make_problem(n=200, d=2, k=5)

    def slow(A, B):
        clock.now += 100
        return gaussian(A, B, 0.3)

    model = KernelSVM("ovo", kernel=slow, max_time=550)
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model.fit(X, y)
    assert model.status_ == "max_time"
    assert 0 < dual_coef(model).any(axis=0).sum() < 10
    primal, dual = objectives(model, gaussian(X, X, 0.3), y, np.ones(len(y)))
    assert model.objective_ == pytest.approx(primal)
    assert model.dual_objective_ == pytest.approx(dual)


@pytest.mark.parametrize("kernel", ["linear", "sigmoid"])
@pytest.mark.parametrize(("dtype", "scale"), [(np.float32, 1e20), (float, 1e155)])
@pytest.mark.parametrize("solver", ["auto", "s2do", "block"])
def test_kernel_values_that_are_no_numbers(solver, kernel, dtype, scale):
    """Products of rows are not finite, also where their hyperbolic tangent is."""
    X, y = make_problem(n=60, d=4, k=3)
    X = (X * scale).astype(dtype)
    model = KernelSVM("ovo", kernel=kernel, gamma=1.0, solver=solver)
    with pytest.raises(ValueError, match="kernel of some rows of X with themselves is"):
        model.fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("machine", ["ovo", "ovr"])
def test_dual_variables_that_nothing_bounds(machine):
    """The kernel is not definite, and squared losses have no bounds."""
    X = (1e10 * np.random.default_rng(0).normal(size=(60, 4))).astype(np.float32)
    y = np.arange(60) % 3
    model = KernelSVM(machine, kernel="sigmoid", gamma=1.0, loss="squared_hinge")
    model.fit(X, y)
    assert (model.solver_, model.status_) == ("binary", "precision")
    assert np.isfinite(dual_coef(model)).all()


def test_coefficients_of_many_pairs_are_sparse(monkeypatch):
    """A row is in few pairs: with all of them, memory grows with classes squared."""
    X, y = make_problem(n=300, d=4, k=60)
    model = KernelSVM("ovo", random_state=0).fit(X, y)
    n_pairs = 60 * 59 // 2
    assert model.dual_coef_.shape == (len(model.support_), n_pairs)
    assert sp.issparse(model.dual_coef_)
    expected = model.decision_function(X)
    monkeypatch.setattr(expansion, "_DENSE", 0)
    tracemalloc.start()
    other = clone(model).fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * n_pairs * len(other.support_)
    np.testing.assert_allclose(other.decision_function(X), expected, rtol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_one_vs_rest_by_smo_is_a_problem_for_each_class(loss):
    """As k machines trained one by one, and by fewer iterations two at a time."""
    X, y = make_problem(n=200, d=3, k=4)
    params = {"loss": loss, "gamma": 0.5, "C": 5.0, "violation_tol": 1e-4}
    models = {
        solver: KernelSVM("ovr", solver=solver, **params).fit(X, y)
        for solver in ("smo", "s2do")
    }
    for solver, model in models.items():
        assert (model.solver_, model.status_) == (solver, "converged")
        assert model.violation_ <= 1e-4
        alone = [
            KernelSVM("ovr", solver=solver, **params).fit(X, np.where(y == c, 1, 0))
            for c in range(4)
        ]
        scores = np.column_stack([one.decision_function(X) for one in alone])
        np.testing.assert_allclose(model.decision_function(X), scores, atol=2e-3)
        # Rows come in another order there, and sums round differently.
        expected = sum(one.n_iter_ for one in alone)
        assert model.n_iter_ == pytest.approx(expected, rel=0.05)
    assert models["s2do"].n_iter_ < models["smo"].n_iter_


def test_without_room_for_the_matrix_classes_are_one_problem():
    X, y = make_problem(n=150, d=3, k=3)
    params = {"solver": "smo", "gamma": 0.5, "violation_tol": 1e-5}
    together = KernelSVM("ovr", **params).fit(X, y)
    narrow = KernelSVM("ovr", cache_size=0.05, **params).fit(X, y)
    scores = together.decision_function(X)
    np.testing.assert_allclose(narrow.decision_function(X), scores, atol=1e-3)
    assert narrow.status_ == "converged"


def two_blobs(n, distance):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) + distance * y[:, None], y


@pytest.mark.parametrize(("k", "share"), [(2, 0.3), (3, 0.8)])
def test_large_pairs_of_few_support_vectors_compute_few_kernel_values(k, share):
    X, y = two_blobs(2400, 3.0)
    if k == 3:  # a small class, whose pairs have matrices
        X[:90] += 9
        y[:90] = 2
    model = KernelSVM("ovo", tol=1e-5, random_state=0).fit(X, y)
    assert model.solver_ == ("block" if k == 2 else "binary")
    assert model.n_kernel_evaluations_ < share * len(y) ** 2
    whole = KernelSVM("ovo", tol=1e-5, solver="binary").fit(X, y)
    assert whole.n_kernel_evaluations_ == len(y) ** 2
    np.testing.assert_allclose(model.objective_, whole.objective_, rtol=2e-5)
    assert (model.predict(X) == whole.predict(X)).mean() > 0.999


def test_large_pairs_of_many_support_vectors_have_matrices():
    X, y = two_blobs(2400, 0.1)
    assert KernelSVM("ovo", random_state=0).fit(X, y).solver_ == "binary"


def test_an_interrupt_while_a_sample_is_trained(monkeypatch):
    X, y = two_blobs(2400, 3.0)
    monkeypatch.setattr(SeparateDriver, "interrupted", True)
    with pytest.raises(KeyboardInterrupt):
        KernelSVM("ovo").fit(X, y)
