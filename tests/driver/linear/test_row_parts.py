"""Drivers of parts of the rows: shared weights, rounds, and what is kept of them."""

import numpy as np
import pytest
from problems import PAIRS, make_model, make_problem

from polymargin.access.rows import Rows
from polymargin.driver.linear.row_parts import DriverState, part_driver
from polymargin.machine.problem import state_problem

X, Y = make_problem(n=90, d=5, k=4)


def make_part(model, rows, weights_of=None, seed=0):
    machine = model._machine()
    classes = np.arange(4)
    ones = np.ones(len(Y[rows]))
    problem = state_problem(machine, Y[rows], classes, 0.5, ones, None)
    core_rows = Rows(np.ascontiguousarray(X[rows]), 1.0).core
    options = model._driver_options(seed)
    return part_driver(core_rows, X.dtype, problem, options, weights_of)


FIRST, SECOND, ALL = slice(0, 40), slice(40, 90), slice(0, 90)


@pytest.mark.parametrize(("machine", "loss"), PAIRS)
def test_shared_weights(machine, loss):
    """Steps on parts add up to W as all dual variables have it."""
    model = make_model(machine, loss)
    one = make_part(model, FIRST)
    two = make_part(model, SECOND, weights_of=one)
    for _ in range(3):
        for driver in (one, two):
            assert 0 < driver.round(float("inf")).visits <= 100
    W = one.weights()
    assert np.array_equal(W, two.weights())
    assert one.squared_norm() == pytest.approx(np.sum(W**2))
    whole = make_part(model, ALL)
    whole.set_duals(*DriverState.join([DriverState.of(one), DriverState.of(two)]).duals)
    assert np.allclose(whole.weights(), W, atol=1e-12)
    terms = one.dual_terms() + two.dual_terms()
    assert whole.dual_terms() == pytest.approx(terms)
    # The same from parts, added to weights of their own.
    keeper = make_part(model, slice(0, 0))
    for driver in (one, two):
        driver.share_weights(keeper)
        driver.add_blocks()
    assert np.allclose(keeper.weights(), W, atol=1e-12)
    primal, dual, _ = whole.certify()
    assert dual <= primal


def test_a_round_is_what_the_schedule_says():
    model = make_model("cs", "hinge", order="permuted", shrinking=False)
    permuted = make_part(model, ALL)
    assert [permuted.round(float("inf")).visits for _ in range(3)] == [90] * 3
    adaptive = make_part(make_model("cs", "hinge"), ALL)
    visits = [adaptive.round(float("inf")).visits for _ in range(20)]
    assert visits[0] == 90 and len(set(visits)) > 1
    assert np.mean(visits) == pytest.approx(90, rel=0.1)


@pytest.mark.parametrize("order", ["acf", "permuted"])
def test_states(order):
    """Split and joined they are what they were, and a driver goes on from them."""
    driver = make_part(make_model("cs", "hinge", order=order, shrinking=False), ALL)
    for _ in range(3):
        driver.round(float("inf"))
    state = DriverState.of(driver)
    parts = list(state.split([20, 30, 40]))
    again = DriverState.join(parts)
    for one, other in zip(state.arrays, again.arrays, strict=True):
        assert np.array_equal(one, other)
    followers = [make_part(make_model("cs", "hinge", order=order), ALL) for _ in "ab"]
    for follower, kept in zip(followers, (state, again), strict=True):
        follower.set_weights(driver.weights())
        kept.restore(follower)
        assert np.array_equal(follower.losses(), driver.losses())
        follower.round(float("inf"))
    assert np.array_equal(followers[0].weights(), followers[1].weights())


def test_wrong_partners():
    one = make_part(make_model("cs", "hinge"), ALL)
    with pytest.raises(ValueError, match="one entry per row"):
        one.set_losses(np.zeros(3))
    narrow = make_model("cs", "hinge")
    problem = state_problem(
        narrow._machine(), Y, np.arange(4), 1.0, np.ones(len(Y)), None
    )
    rows, options = Rows(X[:, :2].copy()).core, narrow._driver_options(seed=0)
    with pytest.raises(ValueError, match="same features and classes"):
        part_driver(rows, X.dtype, problem, options, one)
    with pytest.raises(ValueError, match="same features and classes"):
        make_part(narrow, FIRST).share_weights(
            part_driver(rows, X.dtype, problem, options)
        )
