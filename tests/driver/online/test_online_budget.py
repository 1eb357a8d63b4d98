"""A budget of support patterns: kept after every example, in bounded memory."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from kernel_problems import gaussian
from online_problems import (
    GAMMA,
    MACHINES,
    METHODS,
    check_state,
    dual_variables,
    online,
    rows_of,
)
from problems import is_own, make_problem

from polymargin.driver.online.learned_patterns import ARRIVALS


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("budget", [1, 7, 30])
def test_kept_after_every_example(method, budget):
    X, y = make_problem(n=60, d=3, k=4, noise=0.3)
    model = online(budget=budget, C=3, cache_size=0.001, **method)
    most = 0
    for row in range(60):
        model.partial_fit(X[row : row + 1], y[row : row + 1], np.arange(4))
        most = max(most, len(model.support_))
        check_state(model, 1e-10)
    assert most == budget


@pytest.mark.parametrize(("machine", "loss"), MACHINES)
def test_kept_by_every_machine(machine, loss):
    X, y = make_problem(n=60, d=3, k=4, noise=0.3)
    model = online(machine=machine, loss=loss, budget=12, C=3)
    for row in range(60):
        model.partial_fit(X[row : row + 1], y[row : row + 1], np.arange(4))
        check_state(model, 1e-10)
    assert len(model.support_) == 12
    model.finish()
    check_state(model, 1e-10)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_memory_is_constant_on_a_long_stream(kind):
    model = online(budget=50, C=10, cache_size=0.05)
    sizes, places, cached = [], [], []
    for seed in range(10):
        X, y = make_problem(n=400, d=5, k=4, seed=seed, noise=0.3)
        model.partial_fit(kind(X), y, np.arange(4))
        sizes.append(len(pickle.dumps(model)))
        places.append(len(model._driver.store))
        cached.append(model._driver.cached_rows)
    assert model.n_seen_ == 4000
    assert max(places) <= 50 + ARRIVALS
    assert max(cached) <= 50
    assert max(sizes[3:]) <= 1.1 * sizes[2]
    assert len(model.support_) == 50


def test_without_budget_places_are_used_again():
    """Where nothing is learned from, nothing is kept but room for a chunk."""
    X, y = make_problem(n=2000, d=3, k=3)
    model = online(violation_tol=10.0).partial_fit(X, y, np.arange(3))
    assert len(model._driver.store) == ARRIVALS
    assert len(model.support_) == 0


def without(beta, own, gram, row):
    """The dual without a pattern."""
    beta = beta.copy()
    beta[row] = 0
    return beta[own].sum() - np.sum(beta * (gram @ beta)) / 2


def test_the_least_important_pattern_leaves():
    """Two machines take the same steps until the first has one pattern too many."""
    X, y = make_problem(n=100, d=3, k=4, noise=0.3)
    free, bound = (
        online(C=3, schedule="fixed", budget=b, selection="random") for b in (None, 12)
    )
    for row in range(100):
        chunk = X[row : row + 1], y[row : row + 1], np.arange(4)
        free.partial_fit(*chunk)
        bound.partial_fit(*chunk)
        if len(free.support_) > 12:
            break
    assert len(free.support_) == 13
    beta, labels, _ = dual_variables(free)
    rows, own = rows_of(free), is_own(labels, 4)
    gram = gaussian(rows, rows, GAMMA)
    duals = [without(beta, own, gram, row) for row in range(13)]
    assert bound.dual_objective_ == pytest.approx(max(duals), rel=1e-12)
    left = np.delete(rows, np.argmax(duals), axis=0)
    np.testing.assert_array_equal(
        np.sort(rows_of(bound), axis=0), np.sort(left, axis=0)
    )


def test_a_budget_still_learns():
    X, y = make_problem(n=1000, d=5, k=3, noise=0.05)
    X += 3 * np.eye(3, 5)[y]  # the classes lie apart
    whole, bound = online().fit(X, y), online(budget=100).fit(X, y)
    assert len(bound.support_) <= 100 < len(whole.support_)
    assert bound.score(X, y) > whole.score(X, y) - 0.1
    assert bound.dual_objective_ < whole.dual_objective_


def test_finish_keeps_the_budget():
    X, y = make_problem(n=300, d=3, k=4, noise=0.3)
    model = online(budget=40, C=3, tol=1e-6).fit(X, y)
    before = model.dual_objective_
    model.finish()
    assert model.dual_objective_ >= before
    assert len(model.support_) <= 40
    check_state(model, 1e-9)


def test_all_support_vectors_and_a_budget_are_a_contradiction():
    X, y = make_problem()
    with pytest.raises(ValueError, match="budget=5 would bound") as caught:
        online(budget=5, epochs="converged").fit(X, y)
    assert str(caught.value).endswith(".")
