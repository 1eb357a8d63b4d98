"""Crammer and Singer's own order: always the example of largest violation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from problems import PAIRS, make_model, make_problem, make_sparse_problem

from polymargin import LinearSVM


def fit(X, y, machine="cs", loss="hinge", **parameters):
    parameters = {"C": 0.3, "max_iter": 20_000, "random_state": 0} | parameters
    return make_model(machine, loss, **parameters).fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_reaches_the_optimum(machine, loss):
    X, y = make_problem(n=40, d=5, k=4, seed=9)
    parameters = {"machine": machine, "loss": loss, "tol": 1e-6}
    model = fit(X, y, order="max_violation", **parameters)
    best = fit(X, y, **parameters | {"tol": 1e-8})
    assert_allclose(model.objective_, best.objective_, rtol=2e-6)
    # No chance in it: another seed changes nothing.
    other = fit(X, y, order="max_violation", random_state=1, **parameters)
    assert_array_equal(model.coef_, other.coef_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_begins_with_the_largest():
    """At W = 0 all violate by one: the first visit is to the first row, and only it."""
    X, y = make_problem(n=30, d=5, k=3, seed=10)
    model = LinearSVM(order="max_violation", C=1e-9, max_iter=1, tol=0).fit(X, y)
    # So small a C changes no score: every visit is to the first that is not at C yet.
    assert_array_equal(model.support_, np.arange(len(y)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_obeys_max_time():
    """In the middle of an epoch, which takes minutes."""
    X, y = make_sparse_problem(n=20_000, d=2_000, k=30, nonzeros=30)
    model = LinearSVM(order="max_violation", max_time=0.2, solver="dual").fit(X, y)
    assert (model.status_, model.n_iter_) == ("max_time", 0)
    assert len(model.support_) < len(y)


def test_streams_visit_every_row():
    X, y = make_problem(n=50, d=5, k=3, seed=11)
    models = [
        LinearSVM(order=order, random_state=0).partial_fit(X, y, classes=np.arange(3))
        for order in ("permuted", "max_violation")
    ]
    assert_array_equal(models[0].coef_, models[1].coef_)
