"""One-vs-rest: each class by itself where dense rows are long, or in groups."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    LOSSES,
    assert_same_training,
    augmented,
    class_weights,
    dual_block,
    make_problem,
    penalties,
    slacks,
)
from reference import solve_primal

from polymargin import LinearSVM
from polymargin.access.rows import Rows
from polymargin.driver.linear import dual
from polymargin.driver.linear.dual import class_groups, dual_driver, separation_pays
from polymargin.driver.options import LinearOptions
from polymargin.machine.problem import state_problem
from polymargin.machine.registry import find_machine

K = 4


def wide_problem(n=120, k=K, **parameters):
    """Rows that are long enough for classes to be trained apart.

    The noise of the labels is that of the first classes: these take longer.
    """
    X, y = make_problem(n=n, d=16 * k, k=k, scale=0.3, noise=0, **parameters)
    rng = np.random.default_rng(7)
    noisy = np.flatnonzero((y < 2) & (rng.random(n) < 0.3))
    y[noisy] = 1 - y[noisy]
    return X, y


def fit(loss, X, y, sample_weight=None, **parameters):
    parameters = {"tol": 1e-8, "max_iter": 100_000, "random_state": 0} | parameters
    model = LinearSVM("ovr", loss=loss, solver="dual", **parameters)
    return model.fit(X, y, sample_weight=sample_weight)


def stated(X, y, loss="hinge", machine="ovr"):
    classes, labels = np.unique(y, return_inverse=True)
    found = find_machine(machine, loss, "exact")
    return state_problem(found, labels, classes, 1.0, np.ones(len(y)), None)


def objectives_by_class(model, X, y, loss_weights):
    """Primal and dual of every class, in plain NumPy."""
    rows, W, pair = augmented(model, X), class_weights(model), ("ovr", model.loss)
    each = np.maximum(slacks(*pair, rows @ W.T, y), 0)
    each = each**2 if model.loss == "squared_hinge" else each
    half_norms = np.sum(W**2, axis=1) / 2
    u = dual_block(model, y)
    taken = [penalties(*pair, column[:, None], loss_weights).sum() for column in u.T]
    return half_norms + loss_weights @ each, u.sum(axis=0) - taken - half_norms


def test_when():
    X, y = wide_problem()
    problem = stated(X, y)

    def pays(X, problem):
        return separation_pays(Rows(X), problem)

    assert pays(X, problem)
    assert pays(X.astype(np.float32), problem)
    assert pays(X, stated(X, y, "squared_hinge"))
    assert not pays(X, stated(X, y, "logistic"))
    assert not pays(X, stated(X, y, machine="cs"))
    assert not pays(X, stated(X, y, machine="ovo"))
    assert not pays(X, stated(X, np.minimum(y, 1)))  # one problem
    assert not pays(X[:, :-1].copy(), problem)
    assert not pays(np.asfortranarray(X), problem)
    assert not pays(sp.csr_array(X), problem)
    rows = np.ones((1 + 2**24 // X[0].nbytes, X.shape[1]))
    assert not pays(rows, problem)
    assert pays(rows[:-1], problem)
    rows[:, : X.shape[1] * 2 // 3] = 0  # stored as sparse rows
    assert not pays(rows[:-1], problem)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_optimum_of_an_independent_solver(loss, weighted):
    X, y = wide_problem(n=80)
    weight = np.random.default_rng(1).uniform(0.2, 3, size=len(y)) if weighted else None
    model = fit(loss, X, y, weight, C=0.5)
    loss_weights = 0.5 * (np.ones(len(y)) if weight is None else weight)
    best, weights = solve_primal("ovr", loss, augmented(model, X), y, loss_weights)
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert_allclose(class_weights(model), weights, atol=1e-3)
    primal, dual = objectives_by_class(model, X, y, loss_weights)
    assert_allclose(model.objective_, primal.sum())
    assert_allclose(model.dual_objective_, dual.sum())
    assert_allclose(model.dual_coef_.T @ augmented(model, X), class_weights(model))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("loss", LOSSES)
def test_lockstep_finds_the_same(monkeypatch, loss, dtype):
    X, y = wide_problem()
    tol = 1e-4 if dtype == np.float32 else 1e-8
    apart = fit(loss, X.astype(dtype), y, tol=tol)
    monkeypatch.setattr(dual, "CACHED_BYTES", 0)
    together = fit(loss, X.astype(dtype), y, tol=tol)
    assert not np.array_equal(apart.coef_, together.coef_)
    assert_allclose(apart.objective_, together.objective_, rtol=2 * tol)
    # Both are within the tolerance of one optimum, in a strongly convex problem.
    distance = np.linalg.norm(class_weights(apart) - class_weights(together))
    assert distance <= 2 * np.sqrt(2 * tol * apart.objective_)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_finished_class_is_visited_no_more(loss):
    """Every class ends within its share of the gap; what it does not visit is saved."""
    tol = 1e-3
    X, y = wide_problem(n=400)
    driver = dual_driver(Rows(X, 1.0), stated(X, y, loss), LinearOptions(tol=tol))
    visits, weights = [], []
    while not visits or visits[-1]:
        visits.append(driver.epoch(float("inf")).visits)
        weights.append(driver.weights())
    going = np.array(visits) // len(y)
    assert_array_equal(going * len(y), visits)
    assert (np.diff(going) <= 0).all()
    assert len(set(going)) > 2  # they do not end together
    # As many classes change as are visited; the others keep their weights to the bit.
    for before, after, number in zip(weights, weights[1:], going[1:], strict=False):
        assert (before != after).any(axis=0).sum() == number
    certificate = driver.certify()
    assert driver.epoch(float("inf")).moves == 0
    model = LinearSVM("ovr", loss=loss)
    model.__dict__.update(model._model(driver.weights()), classes_=np.arange(K))
    model._set_coefficients_of_rows(stated(X, y, loss).coefficients(*driver.duals()))
    primal, dual = objectives_by_class(model, X, y, np.ones(len(y)))
    assert (primal - dual <= tol * primal).all()
    assert_allclose(certificate[:2], [primal.sum(), dual.sum()])


@pytest.mark.parametrize("tol", [1e-2, 1e-4])
def test_the_sum_decides(tol):
    """A fit ends when the sum of the gaps is within the tolerance, if not before."""
    X, y = wide_problem(n=400)
    model = fit("hinge", X, y, tol=tol, history=True)
    assert model.status_ == "converged"
    assert model.dual_gap_ <= tol
    gaps, visits = model.history_["gap"], model.history_["visits"]
    assert (gaps[:-1] > tol).all()
    assert visits[0] == K * len(y)
    assert 0 < visits[-1] < visits[0]
    primal, dual = objectives_by_class(model, X, y, np.ones(len(y)))
    assert_allclose(model.dual_gap_, (primal - dual).sum() / primal.sum(), rtol=1e-6)


@pytest.mark.parametrize("order", ["acf", "permuted"])
@pytest.mark.parametrize("loss", LOSSES)
def test_number_of_threads(loss, order):
    X, y = wide_problem(n=400)
    one, *others = (
        fit(loss, X, y, tol=1e-4, order=order, history=True, n_jobs=n_jobs)
        for n_jobs in (1, 2, 4)
    )
    for other in others:
        assert_same_training(one, other)


@pytest.mark.parametrize("loss", LOSSES)
def test_integer_weight_equals_repetition(loss):
    X, y = wide_problem(n=60)
    weight = np.random.default_rng(1).integers(1, 5, size=len(y))
    weighted = fit(loss, X, y, weight, C=0.05)
    repeated = fit(loss, np.repeat(X, weight, axis=0), np.repeat(y, weight), C=0.05)
    assert_allclose(weighted.objective_, repeated.objective_, rtol=2e-8)
    distance = np.linalg.norm(class_weights(weighted) - class_weights(repeated))
    assert distance <= 2 * np.sqrt(2e-8 * weighted.objective_)
    assert weighted.objective_ > 1.2 * fit(loss, X, y, C=0.05).objective_


def test_violation_tol():
    X, y = wide_problem()
    model = fit("hinge", X, y, violation_tol=1e-3)
    assert model.status_ == "converged"
    assert model.violation_ <= 1e-3


@pytest.mark.parametrize("loss", LOSSES)
def test_warm_start(loss):
    X, y = wide_problem()
    model = fit(loss, X, y, warm_start=True, tol=1e-6)
    cold = model.n_iter_
    model.set_params(tol=1e-5).fit(X, y)
    assert model.n_iter_ < cold / 4
    model.set_params(C=2.0, tol=1e-8).fit(X, y)
    assert_allclose(model.objective_, fit(loss, X, y, C=2.0).objective_, rtol=2e-8)


def test_a_stream_goes_on_from_a_fit():
    X, y = wide_problem()
    model = fit("hinge", X, y, tol=1e-3)
    fitted = model.coef_.copy()
    model.partial_fit(X[:10], y[:10])
    assert model.status_ == "partial"
    change = np.linalg.norm(model.coef_ - fitted)
    assert 0 < change < np.linalg.norm(fitted)


def test_max_time(clock):
    clock.tick = 1.0
    X, y = wide_problem(n=2000)
    model = LinearSVM("ovr", C=1e4, tol=0, max_iter=10**9, max_time=100, solver="dual")
    with pytest.warns(UserWarning):
        model.fit(X, y)
    assert model.status_ == "max_time"
    assert_allclose(
        model.dual_coef_.T @ augmented(model, X), class_weights(model), rtol=1e-6
    )


@pytest.fixture
def grouped(monkeypatch):
    """Five classes, and what makes two groups of them."""
    monkeypatch.setattr(dual, "LANES", 2)
    monkeypatch.setattr(dual, "GROUPED_PRODUCTS", 16)
    X, y = make_problem(n=90, d=8, k=5, scale=0.5, noise=0.1)
    assert class_groups(Rows(X), stated(X, y)) == 2
    return X, y


def test_how_many_groups():
    """By what a visit has to multiply, and not by the number of threads."""
    y = np.arange(200) % 40  # three vectors of classes

    def groups(length, stored=np.asarray, machine="ovr", y=y, **parameters):
        X = np.ones((len(y), length))
        return class_groups(
            Rows(stored(X), **parameters), stated(X, y, machine=machine)
        )

    assert groups(170) == 1
    assert groups(171) == 2
    assert groups(170, bias=1.0) == 2
    assert groups(171, sp.csr_array) == 2
    assert groups(171, machine="cs") == 1
    assert groups(513, np.asfortranarray, y=y % 16) == 1  # one vector
    assert groups(513, np.asfortranarray, y=y % 20) == 2
    long = sp.csr_array(
        (np.ones(2000), (np.repeat(np.arange(2), 1000), 2 * [*range(1000)]))
    )
    assert class_groups(Rows(long), stated(long, np.arange(2))) == 1  # one column
    many = np.arange(4000) % 2000  # 125 vectors
    row = np.zeros((4000, 1000))
    row[:, :100] = 1
    assert class_groups(Rows(sp.csr_array(row)), stated(row, many)) == 12


@pytest.mark.parametrize("loss", [*LOSSES, "logistic"])
def test_groups_find_the_optimum(grouped, loss):
    X, y = grouped
    model = fit(loss, X, y, C=0.5, tol=1e-8)
    best, weights = solve_primal("ovr", loss, augmented(model, X), y, np.full(90, 0.5))
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert_allclose(class_weights(model), weights, atol=1e-3)
    assert_allclose(model.dual_coef_.T @ augmented(model, X), class_weights(model))
    objective, cold = model.objective_, model.n_iter_
    model.set_params(warm_start=True, tol=1e-7).fit(X, y)
    assert model.n_iter_ < cold / 2
    assert_allclose(model.objective_, objective, rtol=1e-7)


def test_groups_on_threads(grouped):
    one, *others = (
        fit("hinge", *grouped, tol=1e-4, history=True, n_jobs=n_jobs)
        for n_jobs in (1, 2, 4)
    )
    assert one.history_["visits"][0] == 2 * len(grouped[1])
    for other in others:
        assert_same_training(one, other)


def test_groups_in_a_stream(grouped):
    X, y = grouped
    model = fit("hinge", X, y, tol=1e-3)
    fitted = model.coef_.copy()
    model.partial_fit(X[:10], y[:10])
    assert 0 < np.linalg.norm(model.coef_ - fitted) < np.linalg.norm(fitted)
