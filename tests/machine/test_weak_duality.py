"""Weak duality and ascent on random problems, in every order and number format."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from problems import (
    ALL_PAIRS,
    dual_objective,
    make_model,
    primal_objective,
)
from random_problems import random_problems, size_of_terms
from reduced import REDUCIBLE, model_weights, occurring, reduced_weights

ORDERS = [
    ("acf", True, True),
    ("acf", False, False),
    ("max_violation", False, False),
] + [
    ("permuted", shrinking, cooling)
    for shrinking in (False, True)
    for cooling in (False, True)
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(
    max_examples=500,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    problem=random_problems(),
    pair=st.sampled_from(ALL_PAIRS),
    schedule=st.sampled_from(ORDERS),
    C=st.integers(-6, 6).map(lambda power: 10.0**power),
    intercept=st.booleans(),
    dtype=st.sampled_from([np.float64, np.float64, np.float32]),
    max_iter=st.sampled_from([1, 5, 40]),
    reduced=st.booleans(),
)
def test_weak_duality(problem, pair, schedule, C, intercept, dtype, max_iter, reduced):
    X, y, weights = problem
    X = X.astype(dtype)
    order, shrinking, cooling = schedule
    reduced = reduced and pair in REDUCIBLE
    model = make_model(
        *pair,
        C=C,
        features="reduced" if reduced else "full",
        tol=1e-6,
        max_iter=max_iter,
        fit_intercept=intercept,
        order=order,
        shrinking=shrinking,
        cooling=cooling,
        random_state=0,
        history=True,
    ).fit(X, y, sample_weight=weights)
    primal, dual = model.history_["objective"], model.history_["dual_objective"]
    assert np.isfinite(primal).all() and np.isfinite(dual).all()
    assert np.isfinite(model_weights(model)).all()
    loss_weights = C * (np.ones(len(y)) if weights is None else weights)
    W, kept = None, 1
    if reduced:
        W, kept = (
            reduced_weights(model, X, y, loss_weights),
            occurring(model, X, y, loss_weights),
        )
    terms = np.abs(primal).max() + np.abs(dual).max()
    rounding = (1e-11 if dtype == np.float64 else 1e-4) * terms
    rounding += 100 * np.finfo(dtype).eps * size_of_terms(model, X, y, loss_weights, W)
    assert (primal >= dual - rounding).all()
    assert (np.diff(dual) >= -rounding).all()
    assert primal.min() >= dual[-1] - rounding
    assert dual[0] >= -rounding  # the dual starts from zero

    assert (
        abs(model.objective_ - primal_objective(model, X, y, loss_weights, W))
        <= rounding
    )
    recomputed = dual_objective(model, X, y, loss_weights, kept)
    assert abs(model.dual_objective_ - recomputed) <= rounding
    assert abs(model.objective_ - primal[-1]) <= rounding


@pytest.mark.parametrize("schedule", ORDERS)
@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_every_order_reaches_the_same_optimum(machine, loss, schedule):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(4, size=60)
    order, shrinking, cooling = schedule
    parameters = {"C": 0.3, "max_iter": 50_000, "random_state": 0}
    model = make_model(
        machine,
        loss,
        order=order,
        shrinking=shrinking,
        cooling=cooling,
        tol=1e-7,
        **parameters,
    ).fit(X, y)
    best = make_model(machine, loss, tol=1e-8, **parameters).fit(X, y)
    np.testing.assert_allclose(model.objective_, best.objective_, rtol=2e-7)
