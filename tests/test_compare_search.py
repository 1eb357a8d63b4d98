"""The search for parameters: walks with warm starts choose as cold fits do."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from polymargin import KernelSVM, LinearSVM, MaxEnt, OnlineSVM, compare
from polymargin.comparison import search
from polymargin.comparison.search import can_walk, choose_parameters, score_on_a_walk
from polymargin.protocols import Protocol

TIGHT = {"tol": 1e-6, "max_iter": 100_000, "random_state": 0}
GRID = {"C": (0.01, 0.1, 1.0, 10.0)}
KERNEL_GRID = {"gamma": (0.01, 0.1, 1.0), "C": (0.1, 1.0, 10.0)}
NAMES = {"C": "C", "gamma": "gamma"}


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    X, y = X[:400] / 16, y[:400]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    return X, y, list(folds.split(X, y))


@pytest.mark.parametrize(
    ("estimator", "grid", "refinements"),
    [
        (LinearSVM("cs", **TIGHT), GRID, 1),
        (LinearSVM("ovr", loss="squared_hinge", **TIGHT), GRID, 0),
        (MaxEnt(**TIGHT), GRID, 0),
        (KernelSVM("ww", **TIGHT), KERNEL_GRID, 1),
    ],
)
def test_walks_choose_what_cold_fits_choose(digits, estimator, grid, refinements):
    X, y, parts = digits
    warm, cold = (
        choose_parameters(estimator, X, y, parts, grid, refinements, warm=warm)
        for warm in (True, False)
    )
    assert warm.parameters == cold.parameters
    assert warm.n_points == cold.n_points
    assert warm.score == pytest.approx(cold.score, abs=1 / len(y))


def test_walks_are_taken_and_told(digits, monkeypatch):
    X, y, parts = digits
    taken, told = [], []

    def walk(*arguments):
        taken.append(arguments[4])
        return score_on_a_walk(*arguments)

    monkeypatch.setattr(search, "score_on_a_walk", walk)
    estimator = LinearSVM("ww", random_state=0)
    before = clone(estimator).get_params()
    choose_parameters(
        *(estimator, X, y, parts, GRID), tell=lambda *point: told.append(point)
    )
    assert taken == [GRID]
    assert told == [({"C": C}, number) for number, C in enumerate(GRID["C"], 1)]
    assert estimator.get_params() == before and not hasattr(estimator, "coef_")
    choose_parameters(estimator, X, y, parts, GRID, warm=False)
    assert len(taken) == 1


def test_who_can_walk(digits):
    _, y, parts = digits
    only_C = {"C": "C"}
    assert can_walk(LinearSVM(), y, parts, only_C)
    assert can_walk(KernelSVM(), y, parts, NAMES)
    assert can_walk(KernelSVM(gamma=0.1), y, parts, only_C)
    # gamma="scale" would look at the rows held out.
    assert not can_walk(KernelSVM(), y, parts, only_C)
    assert not can_walk(LinearSVM(), y, parts, {"tol": "tol"})
    assert not can_walk(LinearSVM(), y, parts, {"C": "C", "tol": "tol"})
    assert not can_walk(OnlineSVM(), y, parts, only_C)
    assert not can_walk(LinearSVC(), y, parts, only_C)
    pipeline = make_pipeline(StandardScaler(), LinearSVM())
    assert not can_walk(pipeline, y, parts, {"C": "linearsvm__C"})

    class Mine(LinearSVM):
        pass

    assert not can_walk(Mine(), y, parts, only_C)


def test_parts_without_a_class_are_trained_without_it():
    X, y = load_iris(return_X_y=True)
    whole = (np.arange(0, 150, 2), np.arange(1, 150, 2))
    part = (np.arange(100), np.arange(100, 150))  # its class was not seen
    assert not can_walk(LinearSVM(), y, [whole, part], {"C": "C"})
    choice = choose_parameters(LinearSVM(), X, y, [part], {"C": (0.1, 1.0)})
    assert choice.score == 0


@pytest.mark.parametrize("warm", [True, False])
def test_smallest_of_equals(warm):
    X, y = np.repeat(np.eye(3), 20, axis=0), np.repeat(np.arange(3), 20)
    parts = [(np.arange(0, 60, 2), np.arange(1, 60, 2))]
    grid = {"gamma": (4.0, 1.0), "C": (8.0, 2.0)}
    found = choose_parameters(KernelSVM(), X, y, parts, grid, warm=warm)
    assert found.parameters == {"C": 2.0, "gamma": 1.0} and found.score == 1


def test_passes_are_counted_from_nothing(monkeypatch):
    """A model of three passes after two others would be one of nine."""

    def walk(*arguments):
        raise AssertionError("walked")

    monkeypatch.setattr(search, "score_on_a_walk", walk)
    protocol = Protocol(
        "few", repeats=1, validation_share=0.2, grid={"C": (0.1, 1.0)}, passes=(3,)
    )
    report = compare("iris", "cs", protocol, convergence=False, scaling=False)
    assert not report.summary.failures
