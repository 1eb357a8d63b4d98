"""Where Newton steps begin at another C."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine

from polymargin import LinearSVM, path
from polymargin.driver.linear.newton.solution import FARTHEST, Solution
from polymargin.machine.problem import state_problem
from polymargin.machine.registry import find_machine

LABELS = np.array([0, 1, 2])


def problem(C, machine="cs", loss="hinge"):
    machine = find_machine(machine, loss)
    return state_problem(machine, LABELS, np.arange(3), C, np.ones(3), None)


def solution(C, value, before=None, smooth=False):
    duals = None if smooth else (np.arange(4), np.arange(3), np.array([C, value, 0]))
    weights = np.full((2, 3), float(value))
    return Solution(weights, np.array([8.0]), duals, np.full(3, float(C)), before)


def duals_at(near, C):
    starts, classes, values = near.duals_at(problem(C))
    return sp.csr_array((values, classes, starts), shape=(3, 3)).toarray()


def test_dual_variables_go_on_as_they_went():
    """From 1 to 2 and on to 4: what was at its bound is at the new one."""
    near = solution(2.0, 0.5, solution(1.0, 0.4))
    assert_allclose(duals_at(near, 4.0), np.diag([4, 0.7, 0]))
    assert near.weights_at(problem(4.0)) is near.weights


def test_no_dual_variable_is_negative():
    near = solution(2.0, 0.1, solution(1.0, 0.4))
    assert_allclose(duals_at(near, 4.0), np.diag([4, 0, 0]))


def test_weights_of_a_smooth_loss_go_on_in_the_logarithm():
    near = solution(2.0, 0.5, solution(1.0, 0.4, smooth=True), smooth=True)
    of_four = problem(4.0, "ovr", "squared_hinge")
    assert_allclose(near.weights_at(of_four), 0.6)
    assert near.duals_at(of_four) is None


@pytest.mark.parametrize("C", [2.0, 1.5, 2.0 + 1.01 * FARTHEST])
def test_elsewhere_it_begins_where_it_is(C):
    """At the same C, back again, or too far on."""
    near = solution(2.0, 0.5, solution(1.0, 0.4))
    assert near.duals_at(problem(C)) is None
    assert near.weights_at(problem(C)) is near.weights


def test_one_value_of_C_points_nowhere():
    assert solution(2.0, 0.5).duals_at(problem(4.0)) is None


@pytest.mark.parametrize("machine", ["cs", "ww", "llw", "ovr"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_optimum_does_not_depend_on_the_start(machine, loss):
    X, y = load_iris(return_X_y=True)
    options = {"loss": loss, "solver": "newton", "tol": 1e-8}
    for model in path(X, y, [0.1, 0.2, 1.0, 30.0], machine, **options):
        alone = LinearSVM(machine, C=model.C, **options).fit(X, y)
        assert model.dual_gap_ <= 1e-8
        assert model.objective_ == pytest.approx(alone.objective_, rel=1e-7)


@pytest.mark.parametrize("machine", ["cs", "ww"])
def test_two_values_of_C_save_steps(machine, monkeypatch):
    """Beside a start from one; nothing in it is random."""
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    y = np.where(np.arange(len(y)) % 7 == 0, (y + 1) % 3, y)  # so that there are losses
    grid = 0.1 * 2.0 ** np.arange(9)

    def steps():
        models = path(X, y, grid, machine, solver="newton")
        return sum(model.n_iter_ for model in models)

    both = steps()
    monkeypatch.setattr(Solution, "_share", lambda *args: None)
    assert both < steps()


def test_other_rows_are_not_gone_on_from():
    X, y = load_iris(return_X_y=True)
    model = LinearSVM("cs", solver="newton", warm_start=True)
    for C in (0.1, 0.2):
        model.set_params(C=C).fit(X, y)
    model.set_params(C=0.4).fit(X[::2], y[::2])
    alone = LinearSVM("cs", solver="newton", C=0.4).fit(X[::2], y[::2])
    assert model.objective_ == pytest.approx(alone.objective_, rel=2e-3)
