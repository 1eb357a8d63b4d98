"""One-vs-one by Newton steps: epochs, threads, how fits start, stop and fail."""

import time
from threading import Event

import numpy as np
import pytest
from callbacks import AfterSteps
from numpy.testing import assert_allclose, assert_array_equal
from patience import HANGS
from problems import assert_same_training, make_problem, make_sparse_problem
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from polymargin import LinearSVM
from polymargin.access.rows import Rows
from polymargin.driver.linear.solvers import tron_driver
from polymargin.machine.problem import Problem
from polymargin.machine.registry import MACHINES

LOSSES = ("squared_hinge", "logistic")


def tron(loss="squared_hinge", **parameters):
    return LinearSVM("ovo", loss=loss, solver="tron", **({"tol": 1e-9} | parameters))


@pytest.mark.parametrize("loss", LOSSES)
def test_finished_pairs_take_part_no_more(loss):
    X, y = make_problem(n=300, d=12, k=5)
    X[y == 0] *= 5
    model = tron(loss, C=10, history=True).fit(X, y)
    moves, visits = model.history_["moves"], model.history_["visits"]
    assert moves[0] == 10 > moves[-1] > 0
    assert (np.diff(moves) <= 0).all()
    # A product in the step and two at its end, of the rows of the pairs that are left.
    assert visits[0] >= 3 * 4 * len(y)
    assert 0 < visits[-1] < visits[0]


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_number_of_threads(loss, dtype, k):
    X, y = make_sparse_problem(n=3000, d=300, k=k, dtype=dtype)
    one, *others = (
        tron(loss, tol=1e-4, history=True, n_jobs=n_jobs).fit(X, y)
        for n_jobs in (1, 2, 5)
    )
    for other in others:
        assert_same_training(one, other)


@pytest.mark.parametrize("loss", LOSSES)
def test_warm_start(loss):
    X, y = make_problem(n=200, k=4)
    warm = tron(loss, tol=1e-6, warm_start=True).fit(X, y)
    needed = warm.n_iter_
    assert warm.set_params(tol=1e-5).fit(X, y).n_iter_ < needed / 2
    for C in (1.3, 10.0, 100.0):
        warm.set_params(C=C).fit(X, y)
        cold = tron(loss, C=C, tol=1e-5).fit(X, y)
        assert_allclose(warm.objective_, cold.objective_, rtol=1e-5)
        assert warm.n_iter_ <= cold.n_iter_


@pytest.mark.parametrize("loss", LOSSES)
def test_warm_start_from_the_dual_method_and_back(loss):
    X, y = make_problem(n=200, k=4)
    model = LinearSVM("ovo", loss=loss, tol=1e-6, random_state=0, warm_start=True)
    model.set_params(C=0.1, solver="dual", max_iter=10_000).fit(X, y)
    objective, needed = model.objective_, model.n_iter_
    model.set_params(solver="tron").fit(X, y)
    assert model.n_iter_ <= 3
    assert_allclose(model.objective_, objective, rtol=2e-6)
    model.set_params(solver="dual").fit(X, y)
    assert model.n_iter_ <= needed / 2


def test_max_time_before_the_first_step(clock):
    X, y = make_sparse_problem(n=2000, d=500, k=20, nonzeros=50)
    clock.tick = 1.0
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model = tron(max_time=1.5).fit(X, y)
    assert model.status_ == "max_time" and model.n_iter_ == 0
    assert not model.coef_.any()
    assert_allclose(model.objective_, 19 * 2000)  # every loss is one at zero


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt(interrupted, n_jobs):
    X, y = make_sparse_problem(n=6000, d=2000, k=12, nonzeros=40)
    model, ready = tron(C=1e3, tol=0, max_time=300, n_jobs=n_jobs), Event()
    model.set_callbacks(AfterSteps(2, ready.set))
    interrupted(lambda: model.fit(X, y), ready)
    assert model.status_ == "interrupted"
    assert model.coef_.any() and len(model.support_)
    assert model.dual_gap_ == np.inf


def driver_of(n_jobs):
    X, y = make_problem(n=100, k=3)
    problem = Problem(MACHINES["ovo", "squared_hinge"], y, 3, np.ones(100))
    options = tron()._driver_options(threads=n_jobs)
    driver = tron_driver(Rows(X, options.bias), problem, options)
    driver.epoch(np.inf)  # all pairs have begun
    return driver


def test_a_signal_reaches_the_other_threads():
    """Those that run are told to stop, and nothing runs when it is passed on."""
    driver = driver_of(n_jobs=2)
    another_runs, ended = Event(), []

    def work(number):
        pair = driver.pairs[number]
        if number == 0:
            another_runs.wait(HANGS)
            raise KeyboardInterrupt
        another_runs.set()
        give_up = time.perf_counter() + HANGS
        while pair.end > 0 and time.perf_counter() < give_up:
            time.sleep(0.01)
        ended.append(pair.end)

    with pytest.raises(KeyboardInterrupt):
        driver._each(work, list(driver.pairs))
    assert ended and set(ended) == {-np.inf}


def test_a_step_stops_at_its_next_product():
    pair = driver_of(n_jobs=1).pairs[0]
    weights = pair.weights()
    product, products = pair._hessian, []

    def stop_after_one(V, curvature):
        pair.stop()
        products.append(1)
        return product(V, curvature)

    pair._hessian = stop_after_one
    assert pair.epoch(np.inf).stopped
    assert len(products) == 1
    assert_array_equal(pair.weights(), weights)


# As in test_estimator_checks: two independent runs are compared to 1e-7.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([tron("squared_hinge", violation_tol=1e-11)])
def test_estimator(estimator, check):
    check(estimator)


def test_hinge_is_refused():
    X, y = make_problem()
    with pytest.raises(ValueError, match=r"'tron' does not train machine='ovo' with"):
        tron("hinge").fit(X, y)
