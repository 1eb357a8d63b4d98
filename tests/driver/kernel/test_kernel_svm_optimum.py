"""The optimum of kernel machines, by an interior-point solver and in other ways."""

import numpy as np
import pytest
import scipy.sparse as sp
from kernel_problems import KERNEL_PAIRS, SOME_KERNEL_PAIRS, accurate, gaussian
from problems import make_problem
from reference import kernel_optimum
from sklearn.metrics.pairwise import laplacian_kernel

from polymargin import KernelSVM, LinearSVM


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_against_an_interior_point_solver(machine, loss, k):
    X, y = make_problem(n=40, k=k, seed=k)
    loss_weights = np.random.default_rng(0).uniform(0.2, 3, size=len(y))
    model = accurate(machine, loss, gamma=0.2).fit(X, y, sample_weight=loss_weights)
    best = kernel_optimum(machine, loss, gaussian(X, X, 0.2), y, loss_weights)
    assert model.objective_ == pytest.approx(best, rel=1e-6)
    assert model.dual_objective_ == pytest.approx(best, rel=1e-6)


def laplacian(A, B):
    return laplacian_kernel(A, B, 0.3)


def polynomial(A, B):
    return (0.5 * A @ B.T + 1) ** 2


@pytest.mark.parametrize("C", [1e-2, 1e2])
@pytest.mark.parametrize(
    ("parameters", "function"),
    [
        ({"kernel": "linear"}, lambda A, B: A @ B.T),
        ({"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1}, polynomial),
        (
            {"kernel": "laplacian", "gamma": 0.3},
            laplacian,
        ),
        ({"kernel": polynomial}, polynomial),
    ],
)
def test_other_kernels(parameters, function, C):
    X, y = make_problem(n=30, d=3, k=3)
    model = accurate(C=C, **parameters).fit(X, y)
    best = kernel_optimum("ww", "hinge", function(X, X), y, np.full(len(y), C))
    assert model.objective_ == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_the_linear_kernel_is_the_linear_machine(machine, loss):
    X, y = make_problem(n=80, d=5, k=3)
    kernel = accurate(machine, loss, kernel="linear", C=0.1).fit(X, y)
    linear = LinearSVM(
        machine, loss=loss, fit_intercept=False, C=0.1, tol=1e-9, random_state=0
    ).fit(X, y)
    assert kernel.objective_ == pytest.approx(linear.objective_, rel=1e-8)
    expected = linear.decision_function(X)
    np.testing.assert_allclose(kernel.decision_function(X), expected, atol=1e-3)


@pytest.mark.parametrize(("machine", "loss"), SOME_KERNEL_PAIRS)
def test_one_kernel_in_different_clothes(machine, loss):
    """By name, as a function, as a matrix, and of CSR rows."""
    X, y = make_problem(n=90, k=4)
    new = make_problem(n=50, k=4, seed=1)[0]
    by_name = accurate(machine, loss, gamma=0.3).fit(X, y)
    scores = by_name.decision_function(new)

    def function(A, B):
        return gaussian(A, B, 0.3)

    by_function = accurate(machine, loss, kernel=function).fit(X, y)
    by_matrix = accurate(machine, loss, kernel="precomputed").fit(function(X, X), y)
    of_csr = accurate(machine, loss, gamma=0.3).fit(sp.csr_array(X), y)
    for model, rows in (
        (by_function, new),
        (by_matrix, function(new, X)),
        (of_csr, new),
        (of_csr, sp.csr_array(new)),
        (by_name, sp.csr_array(new)),
    ):
        assert model.objective_ == pytest.approx(by_name.objective_, rel=1e-8)
        np.testing.assert_allclose(model.decision_function(rows), scores, atol=1e-3)


@pytest.mark.parametrize("seed", [0, 4])
@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_rounding_of_one_example_does_not_stop_the_others(machine, loss, seed):
    """Labels say nothing and points are near each other: most variables are free."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(120, 1)), np.arange(120) % 6
    model = KernelSVM(machine, loss=loss, gamma=1.0, tol=1e-5, random_state=0)
    assert model.fit(X, y).status_ == "converged"


@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_single_precision(machine, loss):
    X, y = make_problem(n=90, k=3)
    double = KernelSVM(machine, loss=loss, tol=1e-4, random_state=0).fit(X, y)
    single = KernelSVM(machine, loss=loss, tol=1e-4, random_state=0)
    single.fit(X.astype(np.float32), y)
    assert single.dual_coef_.dtype == np.float32
    assert single.support_vectors_.dtype == np.float32
    assert single.objective_ == pytest.approx(double.objective_, rel=2e-4)


@pytest.mark.parametrize("rank", [60, 1000])
@pytest.mark.parametrize(("machine", "loss"), KERNEL_PAIRS)
def test_nystroem_of_full_rank_is_exact(machine, loss, rank):
    X, y = make_problem(n=60, k=3)
    exact = accurate(machine, loss, tol=1e-7, gamma=0.3).fit(X, y)
    model = accurate(
        machine, loss, tol=1e-7, gamma=0.3, approximation="nystroem", rank=rank
    ).fit(X, y)
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-6)
    expected = exact.decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=5e-3)
    assert model.n_kernel_evaluations_ == 2 * 60**2


def test_the_approximated_problem_is_not_better():
    """Its kernel is smaller, so that the same margins take larger weights."""
    X, y = make_problem(n=200, k=3)
    exact = accurate(gamma=0.3, tol=1e-6).fit(X, y)
    found = [
        accurate(gamma=0.3, tol=1e-6, approximation="nystroem", rank=rank).fit(X, y)
        for rank in (5, 20, 80)
    ]
    objectives = [model.objective_ for model in found] + [exact.objective_]
    assert objectives == sorted(objectives, reverse=True)
    assert not hasattr(found[0], "support_")
    assert found[0].dual_coef_.shape == (5, 3)
