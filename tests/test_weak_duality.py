"""Weak duality and ascent on random problems, in every order and number format."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from problems import (
    ALL_PAIRS,
    augmented,
    class_weights,
    dual_objective,
    has_variable,
    make_model,
    pair_of,
    primal_objective,
)
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


@st.composite
def problems(draw):
    """X, y and C_i: any shape and scale, with twins, contradictions and empty rows."""
    n = draw(st.integers(2, 40))
    d = draw(st.integers(1, 12))
    k = draw(st.integers(2, 6) | st.just(70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, d)) * 10.0 ** draw(st.integers(-3, 3))
    X *= rng.random((n, d)) < draw(st.sampled_from([0.1, 0.5, 1.0]))
    if draw(st.booleans()):
        X *= 10.0 ** rng.integers(-2, 3, size=d)
    y = rng.integers(k, size=n)
    if draw(st.booleans()):  # duplicates, half of them with another label
        twins = rng.integers(n, size=n // 2)
        X[: n // 2] = X[twins]
    if draw(st.booleans()):
        X[rng.random(n) < 0.3] = 0
    y[:2] = 0, 1
    weights = None
    if draw(st.booleans()):
        weights = rng.choice([0.0, 0.1, 1.0, 3.0], size=n)
        weights[0] = 1
    if draw(st.booleans()):
        X = sp.csr_array(X)
    return X, y, weights


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(
    max_examples=1300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    problem=problems(),
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
    caps = C * (np.ones(len(y)) if weights is None else weights)
    W, kept = None, 1
    if reduced:
        W, kept = reduced_weights(model, X, y, caps), occurring(model, X, y, caps)
    terms = np.abs(primal).max() + np.abs(dual).max()
    rounding = (1e-11 if dtype == np.float64 else 1e-4) * terms
    rounding += 100 * np.finfo(dtype).eps * size_of_terms(model, X, y, caps, W)
    assert (primal >= dual - rounding).all()
    assert (np.diff(dual) >= -rounding).all()
    assert primal.min() >= dual[-1] - rounding
    assert dual[0] >= -rounding  # the dual starts from zero

    assert abs(model.objective_ - primal_objective(model, X, y, caps, W)) <= rounding
    recomputed = dual_objective(model, X, y, caps, kept)
    assert abs(model.dual_objective_ - recomputed) <= rounding
    assert abs(model.objective_ - primal[-1]) <= rounding


def size_of_terms(model, X, y, caps, W=None):
    """What rounding is relative to: dual variables, and C_i times scores around one."""
    W = class_weights(model) if W is None else W
    scores = np.abs(augmented(model, X)) @ np.abs(W).T
    if pair_of(model)[0] == "ovo":
        labels = np.searchsorted(model.classes_, y)
        scores *= has_variable("ovo", labels, scores.shape[1])
    return np.abs(model.dual_coef_).sum() + np.sum(caps * (1 + scores.sum(axis=1)))


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
