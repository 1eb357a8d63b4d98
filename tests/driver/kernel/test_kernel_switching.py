"""solver="auto" with kernels: when working sets hand over to Newton steps, and back."""

import numpy as np
import pytest
from kernel_problems import KERNEL_PAIRS, dual_coef, gaussian, objectives
from numpy.testing import assert_allclose, assert_array_equal
from problems import make_problem
from reference import kernel_optimum

from polymargin import KernelSVM
from polymargin.driver.kernel import switching, work
from polymargin.driver.kernel.newton import driver
from polymargin.driver.kernel.newton.kernel_rows import KernelRows
from polymargin.driver.kernel.separate import SeparateDriver
from polymargin.driver.options import KernelOptions
from polymargin.machine.problem import state_problem
from polymargin.machine.registry import find_machine

GAMMA = 0.02


@pytest.fixture(scope="module")
def hard():
    return make_problem(n=150, k=5, noise=0.5)


@pytest.fixture
def eager(monkeypatch):
    """Newton steps begin as soon as there are no new examples, of all machines."""
    monkeypatch.setattr(SeparateDriver, "bytes_for", lambda *arguments: np.inf)
    monkeypatch.setattr(switching, "newton_work", lambda *arguments: 0.0)
    monkeypatch.setattr(switching, "LEAST_WORK", 0.0)
    monkeypatch.setattr(switching, "_PATIENT", 1e9)


def auto(machine="llw", **parameters):
    parameters = {
        "C": 1e3,
        "gamma": GAMMA,
        "tol": 1e-6,
        "random_state": 0,
        **parameters,
    }
    return KernelSVM(machine, **parameters)


def test_hard_problems_come_to_newton_steps(hard):
    block = auto(solver="block", tol=1e-3).fit(*hard)
    model = auto(tol=1e-3).fit(*hard)
    assert (model.solver_, model.status_) == ("block+newton", "converged")
    assert block.solver_ == "block"
    assert_allclose(model.objective_, block.objective_, rtol=2e-3)


@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_newton_steps_end_what_working_sets_began(hard, machine, loss, eager):
    X, y = hard
    model = auto(machine, loss=loss).fit(X, y)
    assert (model.solver_, model.status_) == ("block+newton", "converged")
    gram, loss_weights = gaussian(X, X, GAMMA), np.full(len(y), 1e3)
    primal, dual = objectives(model, gram, y, loss_weights)
    assert_allclose(model.objective_, primal, rtol=1e-8)
    assert_allclose(model.dual_objective_, dual, rtol=1e-8)
    assert model.dual_gap_ <= 1e-6
    assert model.n_kernel_evaluations_ > 0


def test_the_optimum(hard, eager):
    X, y = hard
    model = auto(C=100.0, tol=1e-8, gamma=0.2).fit(X, y)
    assert model.solver_ == "block+newton"
    gram = gaussian(X, X, 0.2)
    best = kernel_optimum("llw", "hinge", gram, y, np.full(len(y), 100.0))
    assert_allclose(model.objective_, best, rtol=2e-8)


@pytest.mark.parametrize("machine", ["llw", "ovo"])
def test_the_same_model_on_any_number_of_threads(hard, machine, eager):
    one, other = (auto(machine, n_jobs=n).fit(*hard) for n in (1, 3))
    assert one.solver_ == other.solver_ == "block+newton"
    assert one.n_iter_ == other.n_iter_
    assert_array_equal(dual_coef(one), dual_coef(other))


def test_easy_problems_stay_with_working_sets():
    X, y = make_problem(n=150, k=5)
    model = KernelSVM("ww", random_state=0).fit(X, y)
    block = KernelSVM("ww", random_state=0, solver="block").fit(X, y)
    assert model.solver_ == block.solver_ == "block"
    assert_array_equal(dual_coef(model), dual_coef(block))


@pytest.mark.parametrize("parameters", [{"violation_tol": 1e-3}, {"solver": "block"}])
def test_what_asks_for_working_sets_gets_them(hard, parameters, eager):
    assert auto(tol=1e-2, **parameters).fit(*hard).solver_ == "block"


def test_steps_that_take_too_long_are_given_up(hard, eager, monkeypatch):
    monkeypatch.setattr(switching, "_PATIENT", 1e-9)
    model = auto(tol=1e-3).fit(*hard)
    block = auto(tol=1e-3, solver="block").fit(*hard)
    assert (model.solver_, model.status_) == ("block+newton", "converged")
    assert_allclose(model.objective_, block.objective_, rtol=2e-3)
    assert model.n_kernel_evaluations_ > block.n_kernel_evaluations_


def test_rows_without_room_bring_working_sets_back(hard, eager, monkeypatch):
    def small(gram, capacity, threads, poll):
        return KernelRows(gram, 10, threads, poll)

    monkeypatch.setattr(driver, "KernelRows", small)
    model = auto(tol=1e-3).fit(*hard)
    assert (model.solver_, model.status_) == ("block+newton", "converged")
    block = auto(tol=1e-3, solver="block").fit(*hard)
    assert_allclose(model.objective_, block.objective_, rtol=2e-3)


def test_work_of_newton_steps(hard):
    """Infinite without room; more with more free variables and a smaller gap."""
    _, y = hard
    machine = find_machine("llw", "hinge")
    problem = state_problem(machine, y, np.unique(y), 1.0, np.ones(150), None)

    def newton_work(free, ratio=10.0, **options):
        u = np.zeros((150, 5))
        u[:free] = 0.5
        u[free:] = 1.0
        u[np.arange(150), y] = 0.0
        indptr = np.arange(0, 601, 4)
        classes = np.nonzero(u)[1]
        duals = problem.blocks(indptr, classes, u[np.nonzero(u)])
        return work.newton_work(problem, duals, KernelOptions(**options), ratio)

    assert newton_work(50, cache_bytes=1e5) == np.inf
    assert newton_work(50) < newton_work(100) < newton_work(100, ratio=100.0) < np.inf
    assert work.round_work(problem, 100, 1000) > 2.0 * 100 * 1000 * 5


def test_a_warm_start_at_the_optimum_takes_one_round(hard, eager):
    model = auto(warm_start=True).fit(*hard)
    objective = model.objective_
    assert model.fit(*hard).n_iter_ <= 2
    assert_allclose(model.objective_, objective, rtol=2e-6)


def test_interrupt_in_a_newton_step_keeps_the_model(hard, eager, monkeypatch):
    X, y = hard

    def interrupted(self, seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(driver.KernelNewtonDriver, "epoch", interrupted)
    model = auto(C=10.0)  # which the first rounds can predict with
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_ == "interrupted"
    assert model.score(X, y) > 0.4
