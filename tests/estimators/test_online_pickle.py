"""Pickling in mid-stream and going on is the same as never stopping."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from online_problems import METHODS, assert_same_model, check_state, online
from problems import make_problem

X, y = make_problem(n=240, d=4, k=5, noise=0.2)
VARIANTS = [
    {},
    {"budget": 40},
    {"cache_size": 1e-9},
    {"budget": 40, "cache_size": 0.02},
]
KINDS = [np.float32, np.float64, sp.csr_array, lambda A: sp.csr_array(A, dtype="f")]
# Each of them with each of the others, but not all with all.
CASES = [
    (KINDS[(a + b) % 4], METHODS[a], VARIANTS[b]) for a in range(4) for b in range(4)
]


def by_pickle(model):
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("again", [by_pickle, copy.deepcopy])
@pytest.mark.parametrize(("kind", "method", "variant"), CASES)
def test_a_stream_goes_on(kind, method, variant, again):
    rows, parameters = kind(X), {"C": 5, "steps": (1, 10), **method, **variant}
    straight, broken = online(**parameters), online(**parameters)
    for start in range(0, 240, 60):
        chunk = slice(start, start + 60)
        straight.partial_fit(rows[chunk], y[chunk], np.arange(5))
        before = broken = broken.partial_fit(rows[chunk], y[chunk], np.arange(5))
        broken = again(broken)
        assert_same_model(broken, before)
    assert_same_model(broken, straight)
    np.testing.assert_array_equal(broken.predict(X), straight.predict(X))


def test_what_goes_on_leaves_the_other_alone():
    model = online(C=5).partial_fit(X[:200], y[:200], np.arange(5))
    again, scores = copy.deepcopy(model), model.decision_function(X)
    again.partial_fit(X[200:], y[200:])
    np.testing.assert_array_equal(model.decision_function(X), scores)
    check_state(model)
    check_state(again)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_after_fit_and_finish(kernel):
    data = X @ X.T if kernel == "precomputed" else X
    model = online(kernel=kernel, epochs=2).fit(data, y)
    assert_same_model(by_pickle(model), model)
    other = by_pickle(model).finish()
    np.testing.assert_array_equal(model.finish().dual_coef_, other.dual_coef_)
    assert_same_model(by_pickle(model), model)


def test_a_fresh_stream_can_be_pickled():
    model = online(violation_tol=10.0).partial_fit(X[:5], y[:5], np.arange(5))
    assert len(model.support_) == 0
    assert (by_pickle(model).decision_function(X) == 0).all()


@pytest.mark.parametrize(
    ("part", "at", "change"),
    [
        ("patterns", 0, lambda places: places[:-1]),
        ("patterns", 0, lambda places: places * 0),
        ("patterns", 1, lambda labels: labels + 7),
        ("patterns", 2, lambda loss_weights: loss_weights * np.nan),
        ("patterns", 4, lambda starts: starts[::-1].copy()),
        ("patterns", 4, lambda starts: starts * 2),
        ("patterns", 5, lambda places: places + 10**6),
        ("patterns", 5, lambda places: places * 0),
        ("patterns", 6, lambda coefficients: coefficients[:1]),
        ("patterns", 7, lambda gradients: gradients + np.inf),
        ("cache", 0, lambda places: places * 0),
        ("cache", 1, lambda rows: rows[:, :1].copy()),
        ("cache", 1, lambda rows: rows[:1]),
        ("state", 0, lambda random: (0, 0, 0, 0)),
        ("state", 1, lambda weights: (np.nan, 1.0, 1.0)),
        ("state", 2, lambda candidate: (10**6, 0, 1)),
    ],
)
def test_damaged_arrays_are_refused(part, at, change):
    """A pickle may be trusted and still be damaged: no step begins from it."""
    driver = online(random_state=0).fit(X, y)._driver
    state = driver.__getstate__()
    entries = list(state["_saved"][part])
    entries[at] = change(entries[at])
    state["_saved"][part] = tuple(entries)
    with pytest.raises(ValueError):
        driver.__setstate__(state)


def test_a_number_of_places_that_cannot_be():
    driver = online(random_state=0).fit(X, y)._driver
    state = driver.__getstate__()
    state["_saved"]["places"] = -1
    with pytest.raises(ValueError, match="places"):
        driver.__setstate__(state)


def test_damaged_rows_of_the_store():
    """SciPy would follow indices anywhere: they are checked before it sees them."""
    model = online(C=5).partial_fit(sp.csr_array(X), y, np.arange(5))
    stored = model._driver.store._points.rows
    stored.indptr[1] = 2**30
    model._driver._expansion = None
    with pytest.raises(ValueError, match="the store of patterns is not a valid CSR"):
        model.predict(X)
    with pytest.raises(ValueError, match="the store of patterns is not a valid CSR"):
        by_pickle(model)
