"""A driver with scaled steps is one on scaled rows; its order of visits can go on."""

import numpy as np
import pytest
from problems import PAIRS, make_model, make_problem

from polymargin.access.rows import Rows
from polymargin.driver.linear.dual import sequential_driver, set_schedule
from polymargin.machine.problem import state_problem


def make_driver(X, y, machine, loss):
    model = make_model(machine, loss)
    ones = np.ones(len(y))
    classes = np.unique(y)
    problem = state_problem(model._machine(), y, classes, 1.0, ones, None)
    options = model._driver_options(seed=1)
    driver = sequential_driver("Sequential", Rows(X).core, X.dtype, problem, options)
    set_schedule(driver, options)
    return driver


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
@pytest.mark.parametrize("k", [3, 70])  # dense and sparse blocks
def test_scale_is_a_scale_of_rows(machine, loss, k):
    """With a power of four both are the same to the last bit."""
    X, y = make_problem(n=150, d=5, k=k)
    scaled, doubled = (make_driver(Z, y, machine, loss) for Z in (X, 2 * X))
    scaled.set_scale(4.0)
    moves = 0  # an optimum without weights is reached at once
    for _ in range(5):
        reports = [driver.epoch(float("inf")) for driver in (scaled, doubled)]
        moves += reports[0].moves
        assert reports[0].dual == reports[1].dual
    assert moves > 0
    for one, other in zip(scaled.duals(), doubled.duals(), strict=True):
        assert np.array_equal(one, other)
    # V = sigma A u, where the rows of the other are twice as long.
    assert np.allclose(scaled.weights(), 2 * doubled.weights(), rtol=1e-12)
    assert scaled.dual_terms() == doubled.dual_terms()


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_partial_sums_make_the_certificate(machine, loss):
    X, y = make_problem(n=90, d=5, k=3)
    driver = make_driver(X, y, machine, loss)
    driver.epoch(float("inf"))
    primal, dual, violation = driver.certify()
    losses, terms, largest = driver.partial_sums()
    half = np.sum(driver.weights() ** 2) / 2
    assert (losses + half, terms - half) == pytest.approx((primal, dual), rel=1e-12)
    assert largest == violation


def test_order_of_visits_goes_on():
    X, y = make_problem(n=90, d=5, k=3)
    driver, later = (make_driver(X, y, "cs", "hinge") for _ in range(2))
    for _ in range(4):
        driver.epoch(float("inf"))
    memory = driver.schedule_memory()
    assert len(np.unique(memory)) > 10
    later.recall_schedule(memory)
    assert np.array_equal(later.schedule_memory(), memory)


def test_a_share_of_an_epoch():
    X, y = make_problem(n=90, d=5, k=3)
    driver = make_driver(X, y, "cs", "hinge")
    assert driver.epoch(float("inf"), 0.1).visits == 9
