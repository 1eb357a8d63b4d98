"""Machines that are one, and losses that bound each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from problems import LOSSES, SUM_TO_ZERO, make_model, make_problem

from polymargin import KernelSVM, LinearSVM

TOL = 1e-8


def fit(machine, loss, X, y, C, **parameters):
    parameters = {"tol": TOL, "max_iter": 100_000, "random_state": 0} | parameters
    return make_model(machine, loss, C=C, **parameters).fit(X, y)


def assert_same_model(one, other):
    """Both within the tolerance of one optimum of a strongly convex problem."""
    assert_allclose(one.objective_, other.objective_, rtol=3 * TOL)
    distance = np.linalg.norm(one.coef_ - other.coef_) / np.sqrt(2)
    assert distance <= 2 * np.sqrt(2 * TOL * one.objective_)


# With two classes there is one wrong class. Where weights sum to zero, s_y = -s_m: of
# all that are violated the slacks are the same, once (adm, llw, atm, mmr) or twice.
@pytest.mark.parametrize(
    ("one", "other", "times"),
    [
        ("cs", "ww", 1),
        ("adm", "llw", 1),
        ("atm", "llw", 1),
        ("mmr", "llw", 1),
        ("ats", "llw", 2),
        ("rm", "llw", 2),
    ],
)
@pytest.mark.parametrize("loss", LOSSES)
def test_machines_that_are_one_with_two_classes(loss, one, other, times):
    X, y = make_problem(n=50, k=4, seed=4)
    y = y % 2
    for C in (0.05, 1.0):
        models = fit(one, loss, X, y, C), fit(other, loss, X, y, times * C)
        assert_same_model(*models)
        assert models[0].coef_.shape == (1, X.shape[1])
        assert models[0].decision_function(X).shape == (50,)


@pytest.mark.parametrize("loss", LOSSES)
def test_kernel_machines_that_are_one_with_two_classes(loss):
    X, y = make_problem(n=50, k=2, seed=5)
    parameters = {"loss": loss, "tol": TOL, "random_state": 0}
    for one, other in (("cs", "ww"), ("adm", "llw")):
        scores = [
            KernelSVM(name, **parameters).fit(X, y).decision_function(X)
            for name in (one, other)
        ]
        assert_allclose(*scores, atol=1e-3)


# For every W: the largest of some slacks, their sum, and as many times the largest.
@pytest.mark.parametrize(
    ("least", "most", "times"),
    [("cs", "ww", 3), ("adm", "llw", 3), ("atm", "ats", 4), ("mmr", "atm", None)],
)
@pytest.mark.parametrize("loss", LOSSES)
def test_losses_bound_each_other(loss, least, most, times):
    X, y = make_problem(n=60, k=4, seed=6)
    low, high = (fit(name, loss, X, y, 0.2).objective_ for name in (least, most))
    assert low <= high * (1 + TOL)
    assert low < 0.999 * high  # they are not the same
    if times is not None:
        assert high <= fit(least, loss, X, y, times * 0.2).objective_ * (1 + TOL)


def test_reinforced_machine_is_between_two_of_lee_lin_wahba():
    """With L = sum_{m != y} [1 + s_m]_+, k - 1 - s_y = sum_{m != y} (1 + s_m) <= L: the
    loss of rm is between L and 2 L, and with W = (k - 1) V, L is k - 1 times llw's.
    """
    (X, y), k, C = make_problem(n=60, k=4, seed=7), 4, 0.2
    found = fit("rm", "hinge", X, y, C).objective_
    bounds = [
        (k - 1) ** 2 * fit("llw", "hinge", X, y, times * C / (k - 1)).objective_
        for times in (1, 2)
    ]
    assert bounds[0] * (1 - TOL) <= found <= bounds[1] * (1 + TOL)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("machine", SUM_TO_ZERO)
def test_weights_sum_to_zero(machine, loss):
    X, y = make_problem(n=60, k=5, seed=8)
    model = fit(machine, loss, X, y, 0.3, tol=1e-3)
    both = np.column_stack([model.coef_, model.intercept_])
    assert_allclose(both.sum(axis=0), 0, atol=1e-12 * np.abs(both).max())


def test_one_vs_rest_cannot_tell_the_most_frequent_class():
    """One point that belongs to three classes with probabilities 0.4, 0.3 and 0.3
    (004, footnote 1): no class is more frequent than all others together, so that
    every score of one-vs-rest is -1. Lee-Lin-Wahba decides for the first class.
    """
    X, y = np.ones((100, 1)), np.repeat([0, 1, 2], [40, 30, 30])
    parameters = {"C": 1.0, "fit_intercept": False, "tol": 1e-9, "random_state": 0}
    rest = LinearSVM("ovr", **parameters).fit(X, y).decision_function(X[:1])
    assert_allclose(rest, -1, atol=1e-6)
    for machine in ("llw", "rm"):
        model = LinearSVM(machine, **parameters).fit(X, y)
        scores = model.decision_function(X[:1])[0]
        assert scores[0] > scores[1:].max() + 0.5
        assert_allclose(scores.sum(), 0, atol=1e-9)
