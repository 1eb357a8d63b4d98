"""What a kernel machine says of itself is true: objectives, weak duality, weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_problems import (
    KERNEL_PAIRS,
    SOME_KERNEL_PAIRS,
    accurate,
    blocks,
    gaussian,
    objectives,
)
from problems import make_problem
from reference import kernel_optimum

from polymargin import KernelSVM


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_objectives_are_those_of_the_model(machine, loss, k):
    X, y = make_problem(n=60, k=k)
    model = KernelSVM(machine, loss=loss, gamma=0.2, tol=0.05, random_state=0).fit(X, y)
    primal, dual = objectives(model, gaussian(X, X, 0.2), y, np.ones(len(y)))
    assert model.objective_ == pytest.approx(primal, rel=1e-10)
    assert model.dual_objective_ == pytest.approx(dual, rel=1e-10)
    assert model.dual_gap_ == pytest.approx((primal - dual) / primal, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    pair=st.sampled_from(KERNEL_PAIRS),
    n=st.integers(4, 40),
    k=st.integers(2, 4),
    seed=st.integers(0, 1000),
    C=st.sampled_from([1e-2, 1.0, 100.0]),
    gamma=st.sampled_from([1e-3, 0.3, 30.0]),
    rounds=st.integers(1, 5),
    cache_size=st.sampled_from([1e-3, 5e-3, 1.0]),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weak_duality(pair, n, k, seed, C, gamma, rounds, cache_size):
    """The dual objective is below the optimum, and the primal above, at any time."""
    X, y = make_problem(n=max(n, k), k=k, seed=seed)
    loss_weights = np.full(len(y), C)
    model = accurate(*pair, C=C, gamma=gamma, max_iter=rounds, cache_size=cache_size)
    model.fit(X, y)
    gram = gaussian(X, X, gamma)
    primal, dual = objectives(model, gram, y, loss_weights)
    assert model.objective_ == pytest.approx(primal, rel=1e-8)
    assert model.dual_objective_ == pytest.approx(dual, rel=1e-8, abs=1e-12 * primal)
    best = kernel_optimum(*pair, gram, y, loss_weights)
    assert dual <= best * (1 + 1e-6)
    assert primal >= best * (1 - 1e-6)


@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_dual_variables_are_feasible(machine, loss):
    X, y = make_problem(n=60, k=4)
    loss_weights = np.random.default_rng(0).uniform(0, 2, size=len(y))
    model = KernelSVM(machine, loss=loss, random_state=0).fit(X, y, loss_weights)
    u = blocks(model, y)
    assert u.min() >= 0 or u.min() == pytest.approx(0, abs=1e-12)
    if loss == "hinge":
        held = u.sum(axis=1) if machine == "cs" else u.max(axis=1)
        assert (held <= loss_weights * (1 + 1e-12)).all()


@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_weights_equal_repetition(machine, loss):
    X, y = make_problem(n=50, k=3)
    weights = np.random.default_rng(0).integers(0, 4, size=len(y))
    weights[:3] = 1  # every class keeps a row
    weighted = accurate(machine, loss, gamma=0.3).fit(X, y, weights)
    repeated = accurate(machine, loss, gamma=0.3)
    repeated.fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-8)
    assert not np.isin(weighted.support_, np.flatnonzero(weights == 0)).any()
    expected = repeated.decision_function(X)
    np.testing.assert_allclose(weighted.decision_function(X), expected, atol=1e-3)


def test_class_weights_are_sample_weights():
    X, y = make_problem(n=80, k=3)
    by_class = accurate(class_weight={0: 3.0, 2: 0.5}, gamma=0.3).fit(X, y)
    by_row = accurate(gamma=0.3).fit(X, y, np.array([3.0, 1.0, 0.5])[y])
    assert by_class.objective_ == pytest.approx(by_row.objective_, rel=1e-8)
    alike = accurate(gamma=0.3).fit(X, y)
    assert by_class.objective_ != pytest.approx(alike.objective_, rel=1e-3)


@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_duplicated_rows_share_their_pull(machine, loss):
    """Rows twice with C are rows once with 2 C, also if their labels contradict."""
    X, y = make_problem(n=40, k=3)
    X[20:] = X[:20]
    once = accurate(machine, loss, C=2.0, gamma=0.3).fit(X, y)
    twice = accurate(machine, loss, gamma=0.3).fit(np.vstack([X, X]), np.tile(y, 2))
    assert twice.objective_ == pytest.approx(once.objective_, rel=1e-8)


@pytest.mark.parametrize("gamma", [0, 1e-12, 1e12])
@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_gamma_tiny_and_huge(machine, loss, gamma):
    """A kernel of ones, where all rows are the same, and one where none is like it."""
    X, y = make_problem(n=40, k=3)
    model = accurate(machine, loss, gamma=gamma, tol=1e-6).fit(X, y)
    gram = gaussian(X, X, gamma)
    best = kernel_optimum(machine, loss, gram, y, np.ones(len(y)))
    assert model.objective_ == pytest.approx(best, rel=1e-5)
    assert model.status_ == "converged"
    if gamma > 1:
        assert (model.predict(X) == y).all()
