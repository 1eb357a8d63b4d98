"""The small problem of the cutting plane method against an interior-point solver."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp

from polymargin.driver.linear.simplex_qp import minimise_over_simplex


def reference(H, b):
    """The minimum of 1/2 a.Ha - b.a over the unit simplex."""
    size = len(b)
    unit = max(np.abs(H).max(), np.abs(b).max())  # its tolerances are absolute
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(np.triu(H / unit)),
        -b / unit,
        sp.csc_matrix(np.vstack([np.ones((1, size)), -np.eye(size)])),
        np.append(1.0, np.zeros(size)),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(size)],
        settings,
    ).solve()
    assert solution.status == clarabel.SolverStatus.Solved
    return solution.obj_val * unit


def make(kind, rng):
    """H and b: full rank, low rank, repeated planes, one plane, all zero."""
    size = rng.integers(1, 40)
    rank = {"full": size + 3, "low": 3, "repeated": 5, "parallel": 8, "zero": 0}[kind]
    G = rng.normal(size=(size, rank))
    b = rng.random(size)
    if kind == "repeated":  # the same planes again, some with another offset
        half = size // 2
        G[:half], b[: half // 2] = G[size - half :], b[size - half :][: half // 2]
    if kind == "parallel":  # planes near to each other, as late epochs add them
        G = G[:1] + 1e-4 * G
        b = 0.5 + 1e-8 * b
    if rng.random() < 0.5:  # R >= 0
        G, b = np.vstack([G, np.zeros(rank)]), np.append(b, 0.0)
    scale = 10.0 ** rng.integers(-3, 4)
    return G @ G.T * scale**2, b * scale**2


@pytest.mark.parametrize("kind", ["full", "low", "repeated", "parallel", "zero"])
def test_minimum(kind):
    rng = np.random.default_rng(0)
    for _ in range(60):
        H, b = make(kind, rng)
        start = rng.random(len(b)) * (rng.random(len(b)) < 0.5)
        start[rng.integers(len(b))] = 1
        start /= start.sum()
        a = minimise_over_simplex(H, b, start)
        assert (a >= 0).all()
        assert abs(a.sum() - 1) < 1e-12
        terms = a @ np.abs(H) @ a + np.abs(b) @ a
        value = a @ H @ a / 2 - b @ a
        assert abs(value - reference(H, b)) <= 1e-8 * terms
        # The optimality conditions, to rounding: no derivative is below the mean.
        gradient = H @ a - b
        assert a @ gradient - gradient.min() <= 1e-11 * max(terms, np.abs(H).max())


def test_bounds_are_exact_zeros():
    a = minimise_over_simplex(np.eye(3), np.array([5.0, 0.0, 0.0]), np.ones(3) / 3)
    assert a.tolist() == [1.0, 0.0, 0.0]


def test_start_at_the_optimum_stays():
    H, b = np.diag([1.0, 2.0, 3.0]), np.zeros(3)
    best = np.array([6.0, 3.0, 2.0]) / 11
    np.testing.assert_allclose(minimise_over_simplex(H, b, best), best, rtol=1e-14)
