"""What holds after every example: the dual grows, and what is stored is right."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from online_problems import METHODS, check_state, expected_dual, online
from problems import make_problem

streams = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**20),
        "k": st.integers(2, 6),
        "dtype": st.sampled_from([np.float64, np.float32]),
        "sparse": st.booleans(),
    }
)
parameters = st.fixed_dictionaries(
    {
        "selection": st.sampled_from(["gain", "random"]),
        "schedule": st.sampled_from(["adaptive", "fixed"]),
        # Few steps after an example, so that few of them are made unseen.
        "steps": st.sampled_from([(0, 0), (0.3, 0), (0.1, 2), (2, 40)]),
        "hits": st.integers(1, 12),
        "violation_tol": st.sampled_from([0.0, 1e-4, 0.1]),
        "C": st.sampled_from([0.01, 1.0, 100.0]),
        "cache_size": st.sampled_from([1e-9, 2e-3, 100.0]),
        "cost": st.sampled_from(["work", "time"]),
    }
)


def make_stream(seed, k, dtype, sparse):
    """Rows with duplicates, some of them contradictory, zeros and weights of zero."""
    rng = np.random.default_rng(seed)
    X, y = make_problem(n=25, d=3, k=k, seed=seed, noise=0.2)
    X[rng.random(25) < 0.1] = 0
    for row in np.flatnonzero(rng.random(25) < 0.2):
        X[row] = X[rng.integers(25)]
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], size=25)
    X = X.astype(dtype)
    return (sp.csr_array(X) if sparse else X), y, weight


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(streams, parameters)
def test_the_dual_never_decreases(stream, parameters):
    X, y, weight = make_stream(**stream)
    model, dual = online(**parameters), 0.0
    single = X.dtype == np.float32
    for row in range(X.shape[0]):
        one = slice(row, row + 1)
        classes = np.arange(stream["k"])
        model.partial_fit(X[one], y[one], classes, weight[one])
        check_state(model, 1e-5 if single else 1e-9)
        scale = 1 + parameters["C"] * weight.sum()
        now = model.dual_objective_
        assert now >= dual - (1e-5 if single else 1e-12) * scale
        dual = now
    assert model.n_seen_ == X.shape[0]
    assert model.n_steps_["new"] == np.count_nonzero(weight)
    if parameters["violation_tol"] < 0.1:
        assert dual > 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("cache_size", [1e-9, 0.05, 100.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_long_runs_stay_right(method, cache_size, dtype):
    """Rows that the cache has lost are computed again; nothing drifts away."""
    X, y = make_problem(n=400, d=4, k=5, noise=0.2)
    model = online(C=10, cache_size=cache_size, epochs=2, **method)
    model.fit(X.astype(dtype), y)
    check_state(model, 1e-5 if dtype is np.float32 else 1e-11)
    row = np.dtype(dtype).itemsize * len(model.support_)  # bytes, at least
    capacity = max(2, int(cache_size * 1e6 / row))
    assert model._driver.cached_rows <= capacity
    few = model._driver.cached_rows < len(model.support_)
    assert few == (cache_size < 1)
    if few:  # more than the kernel of the data
        assert model.n_kernel_evaluations_ > 400 * 400


@pytest.mark.parametrize(
    ("parameters", "kernel"),
    [
        ({"kernel": "linear"}, lambda A, B: A @ B.T),
        (
            {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1},
            lambda A, B: (0.5 * A @ B.T + 1) ** 2,
        ),
        ({"kernel": lambda A, B: 2 * A @ B.T + 1}, lambda A, B: 2 * A @ B.T + 1),
    ],
)
@pytest.mark.parametrize("budget", [None, 30])
def test_other_kernels(parameters, kernel, budget):
    X, y = make_problem(n=200, d=4, k=3)
    model = online(**parameters, budget=budget, cache_size=0.01).fit(X, y)
    check_state(model, 1e-10, kernel)
    assert model.dual_objective_ == pytest.approx(expected_dual(model, kernel))


@pytest.mark.parametrize("method", METHODS)
def test_fixed_steps_come_out_as_asked(method):
    X, y = make_problem(n=3000, d=4, k=4, noise=0.3)
    model = online(steps=(1.5, 20), **method).fit(X, y)
    old, optimize = (model.n_steps_[kind] / 3000 for kind in ("old", "optimize"))
    as_asked = abs(old - 1.5) < 0.15 and abs(optimize - 20) < 2
    assert as_asked == (method["schedule"] == "fixed")
    none = online(steps=(0, 0), schedule="fixed").fit(X, y)
    assert none.n_steps_ == {"new": 3000, "old": 0, "optimize": 0}
