"""Where online learning ends: the solution of the batch machine."""

import numpy as np
import pytest
import scipy.sparse as sp
from kernel_problems import gaussian
from online_problems import GAMMA, MACHINES, METHODS, check_state, online, rows_of
from problems import losses, make_problem, slacks
from reference import kernel_optimum

from polymargin import KernelSVM


def batch(C=1.0):
    return KernelSVM("cs", C=C, gamma=GAMMA, tol=1e-8, random_state=0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [np.float32, np.float64, sp.csr_array])
def test_enough_epochs_meet_the_batch_solution(method, kind):
    X, y = make_problem(n=150, d=4, k=4, noise=0.2)
    best = batch(3.0).fit(X, y).objective_
    model = online(C=3.0, epochs=60, **method).fit(kind(X), y)
    assert model.dual_objective_ == pytest.approx(best, rel=1e-4)
    assert model.dual_objective_ <= best * (1 + 1e-5)
    assert model.n_seen_ == 60 * 150


@pytest.mark.parametrize(("machine", "loss"), MACHINES)
@pytest.mark.parametrize("C", [0.05, 20.0])
@pytest.mark.parametrize("k", [2, 4])
def test_every_machine_meets_an_interior_point_solver(machine, loss, C, k):
    """By steps alone, and by the method of `KernelSVM` from where they have led."""
    X, y = make_problem(n=40, d=3, k=k, noise=0.3, seed=k)
    weight = np.random.default_rng(0).uniform(0.2, 3, size=len(y))
    gram = gaussian(X, X, GAMMA)
    best = kernel_optimum(machine, loss, gram, y, C * weight)
    same = {"machine": machine, "loss": loss, "C": C}
    for method in METHODS[::3]:
        model = online(epochs=400, violation_tol=1e-7, **same, **method)
        model.fit(X, y, sample_weight=weight)
        assert model.dual_objective_ == pytest.approx(best, rel=2e-5)
        assert model.dual_objective_ <= best * (1 + 1e-6)
        assert model.gap(X, y, sample_weight=weight) < 1e-3
        check_state(model, 1e-9)
    model = online(epochs="converged", tol=1e-8, **same)
    model.fit(X, y, sample_weight=weight)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    check_state(model, 1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_epochs_go_on_where_all_rows_are_support_patterns(method):
    X, y = make_problem(n=80, d=6, k=4, noise=0.5)
    best = batch(0.01).fit(X, y)
    assert len(best.support_) == 80
    first, last = (
        online(C=0.01, epochs=epochs, violation_tol=1e-6, **method).fit(X, y)
        for epochs in (1, 40)
    )
    assert len(first.support_) == len(last.support_) == 80
    assert last.dual_objective_ > first.dual_objective_
    assert last.dual_objective_ == pytest.approx(best.objective_, rel=1e-6)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("C", [0.1, 30.0])
def test_converged_against_an_interior_point_solver(k, C):
    X, y = make_problem(n=40, k=k, seed=k)
    weight = np.random.default_rng(0).uniform(0.2, 3, size=len(y))
    weight[5] = 0
    by_class = {0: 2.0}
    loss_weights = C * weight * np.where(y == 0, 2.0, 1.0)
    best = kernel_optimum("cs", "hinge", gaussian(X, X, GAMMA), y, loss_weights)
    model = online(C=C, epochs="converged", tol=1e-8, class_weight=by_class)
    model.fit(X, y, sample_weight=weight)
    assert model.status_ == "converged"
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert model.dual_objective_ == pytest.approx(best, rel=1e-6)
    assert 0 <= model.dual_gap_ <= 1e-8
    check_state(model, 1e-10)
    # Steps with a tiny violation lead there, too.
    slow = online(C=C, epochs=300, violation_tol=1e-7, class_weight=by_class)
    slow.fit(X, y, sample_weight=weight)
    assert slow.dual_objective_ == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("kind", [np.float32, np.float64, sp.csr_array])
def test_finish_solves_the_problem_of_the_support_patterns(kind):
    X, y = make_problem(n=300, d=4, k=4, noise=0.2)
    model = online(C=3.0, tol=1e-5)
    for start in range(0, 300, 50):
        chunk = slice(start, start + 50)
        model.partial_fit(kind(X)[chunk], y[chunk], np.arange(4))
    labels, before = model._driver.patterns()[1], model.dual_objective_
    best = batch(3.0).fit(rows_of(model), labels)
    assert model.finish() is model
    assert model.status_ == "converged"
    assert model.objective_ == pytest.approx(best.objective_, rel=2e-5)
    assert model.dual_objective_ == pytest.approx(best.objective_, rel=2e-5)
    assert model.dual_objective_ >= before * (1 - 1e-6)
    check_state(model, 1e-5 if kind is np.float32 else 1e-9)
    model.partial_fit(kind(X)[:50], y[:50])  # and goes on
    assert not hasattr(model, "objective_")
    assert model.status_ == "complete"
    check_state(model, 1e-5 if kind is np.float32 else 1e-9)


def test_precomputed():
    X, y = make_problem(n=120, d=4, k=3)
    gram = gaussian(X, X, GAMMA)
    new = gaussian(make_problem(n=30, d=4, k=3, seed=1)[0], X, GAMMA)
    by_name = online(epochs=3).fit(X, y)
    by_matrix = online(kernel="precomputed", epochs=3).fit(gram, y)
    assert by_matrix.dual_objective_ == pytest.approx(by_name.dual_objective_, rel=0.05)
    expected = by_matrix.dual_coef_
    np.testing.assert_allclose(
        by_matrix.decision_function(new), new[:, by_matrix.support_] @ expected
    )
    converged = online(kernel="precomputed", epochs="converged", tol=1e-7).fit(gram, y)
    best = batch().fit(X, y).objective_
    assert converged.objective_ == pytest.approx(best, rel=1e-6)
    assert by_matrix.finish().dual_objective_ <= best * (1 + 1e-9)
    assert by_matrix.gap(gram, y) >= 0


@pytest.mark.parametrize("budget", [None, 30])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_gap_bounds_how_far_the_optimum_is(dtype, budget):
    X, y = make_problem(n=150, d=4, k=4, noise=0.2)
    weight = np.random.default_rng(0).uniform(0, 2, size=len(y))
    best = batch(2.0).fit(X, y, sample_weight=weight).objective_
    for epochs in (1, 3, 30):
        model = online(C=2.0, epochs=epochs, budget=budget)
        model.fit(X.astype(dtype), y, sample_weight=weight)
        gap = model.gap(X, y, sample_weight=weight)
        beta = np.zeros((150, 4))
        beta[model.support_] = model.dual_coef_
        gram = gaussian(X, X, GAMMA)
        loss = losses("cs", "hinge", slacks("cs", "hinge", gram @ beta, y), y)
        primal = np.sum(beta * (gram @ beta)) / 2 + 2.0 * weight @ loss
        assert gap == pytest.approx(1 - model.dual_objective_ / primal, abs=1e-5)
        assert gap >= 1 - model.dual_objective_ / best - 1e-5
    assert budget or gap < 1e-3
