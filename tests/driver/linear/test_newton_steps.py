"""Proximal Newton steps against an interior-point method, for the unified family."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from problems import PAIRS, make_problem, rotated
from unified import UNIFIED_PAIRS, unified_machine, unified_optimum

from polymargin import LinearSVM
from polymargin._core import core
from polymargin.driver.linear.newton.blas import BLAS
from polymargin.driver.newton.cholesky import PANEL, positive_solver
from polymargin.driver.newton.curvature import coefficient_rows
from polymargin.machine.projection import Blocks


def core_rows(X):
    if sp.issparse(X):
        arrays = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int64)
        return core.DoubleRows(BLAS, *arrays, X.shape[1])
    return core.DoubleRows(BLAS, np.ascontiguousarray(X, dtype=float))


class Newton:
    """The core's Newton steps for one problem, without an intercept."""

    def __init__(self, name, loss, X, labels, loss_weights, k, tol=0.0):
        machine = unified_machine(name, loss)
        self.newton = core.Newton(
            core_rows(X),
            machine.axes(k),
            labels.astype(np.int32),
            np.asarray(loss_weights, dtype=float),
            k,
            "none",
            tol,
            False,
            1,
            np.zeros(0, np.int64),
            np.zeros(0, np.int32),
        )
        self.primal, self.dual = np.inf, -np.inf

    def step(self) -> bool:
        report = self.newton.epochs(np.inf, 1)
        self.primal, self.dual = report.primal_estimate, report.dual
        return report.moves > 0

    @property
    def gap(self):
        return self.primal - self.dual


def train(name, loss, X, labels, loss_weights, k, tol=1e-10, most=600):
    newton = Newton(name, loss, X, labels, loss_weights, k, tol)
    for _ in range(most):
        if not newton.step():
            break
        # Weak duality, at every step.
        assert newton.gap >= -1e-12 * newton.primal
    return newton


def check(name, loss, X, labels, loss_weights, k, tol=1e-9):
    newton = train(name, loss, X, labels, loss_weights, k)
    best = unified_optimum(name, loss, X, labels, loss_weights, k)
    assert_allclose(newton.primal, best, rtol=tol)
    assert_allclose(newton.dual, best, rtol=tol)
    return newton


@pytest.mark.parametrize(("name", "loss", "k"), rotated(UNIFIED_PAIRS, [2, 4]))
def test_optimum(name, loss, k):
    X, y = make_problem(n=60, d=5, k=k, seed=k)
    loss_weights = np.random.default_rng(0).uniform(0.2, 3, size=60)
    check(name, loss, X, y, loss_weights, k)


@pytest.mark.parametrize(
    ("name", "loss", "C"), rotated(UNIFIED_PAIRS, [1e-6, 1e-3, 1e3, 1e6], times=2)
)
def test_any_weight_of_the_losses(name, loss, C):
    """The certificate alone tells: with such C the oracle itself loses digits."""
    X, y = make_problem(n=50, d=4, k=3, noise=0.3)
    newton = train(name, loss, X, y, np.full(50, C), 3, tol=1e-9)
    assert newton.gap <= 1e-9 * newton.primal


@pytest.mark.parametrize(("name", "loss"), UNIFIED_PAIRS)
def test_rows_that_contradict_each_other(name, loss):
    X, y = make_problem(n=40, d=4, k=3)
    X, y = np.vstack([X, X]), np.concatenate([y, (y + 1) % 3])
    check(name, loss, X, y, np.ones(80), 3)


@pytest.mark.parametrize(("name", "loss"), UNIFIED_PAIRS)
def test_features_of_very_different_sizes(name, loss):
    X, y = make_problem(n=60, d=4, k=3, noise=0.2)
    X = np.column_stack([X * [1e6, 1, 1, 1], np.ones(60), np.full(60, 3.0)])
    newton = train(name, loss, X, y, np.ones(60), 3, tol=1e-6)
    assert newton.gap <= 1e-6 * newton.primal


@pytest.mark.parametrize(("name", "loss"), UNIFIED_PAIRS)
def test_more_features_than_rows(name, loss):
    X, y = make_problem(n=20, d=30, k=3)
    X[:, 20:] = X[:, :10]
    check(name, loss, X, y, np.full(20, 10.0), 3)


APART = ("llw", "ats", "rm", "mmr")  # classes that meet only in a sum that is zero


@pytest.mark.parametrize(
    ("name", "loss", "sparse", "form"),
    rotated(UNIFIED_PAIRS, [False, True], ["primal", "dual", "cg"], times=3)
    + rotated(
        [pair for pair in UNIFIED_PAIRS if pair[0] != "ovr"],  # weights sum to zero
        [True, False],
        ["conjugate_class"],
    )
    + rotated([pair for pair in UNIFIED_PAIRS if pair[0] in APART], [False], ["class"]),
)
def test_the_forms_of_the_system_agree(name, loss, sparse, form):
    X, y = make_problem(n=40, d=6, k=4)
    X[np.abs(X) < 0.5] = 0
    loss_weights = np.full(40, 2.0)
    rows = sp.csr_array(X) if sparse else X
    steps = Newton(name, loss, rows, y, loss_weights, 4)
    for _ in range(3):
        steps.step()
    u, sigma = steps.newton.last_point()
    u = u.reshape(40, 4)
    blocks = Blocks(unified_machine(name, loss), y, loss_weights, 4)
    if blocks.smooth:
        curvature = blocks.loss_curvature(u)
    else:
        curvature = blocks.step_curvature(u, sigma)
    random = np.random.default_rng(0).random(blocks.shape)
    gradient = X.T @ blocks.coefficients(random)
    # By definition: I + sum_i E^T J_i E (x) x x^T, on the weights row by row.
    n, k = blocks.shape
    H = np.eye(X.shape[1] * k)
    q, r = np.zeros((2, n, k))
    q[curvature.rows, curvature.classes] = curvature.q
    r[curvature.rows, curvature.classes] = curvature.r
    for i in range(n):
        J = np.diag(q[i]) - curvature.gamma[i] * np.outer(r[i], r[i])
        E = coefficient_rows(blocks, np.full(k, i), np.arange(k))
        H += np.kron(np.outer(X[i], X[i]), E.T @ J @ E)
    expected = np.linalg.solve(H, gradient.ravel()).reshape(gradient.shape)
    found = steps.newton.solution(form, np.ascontiguousarray(gradient).ravel())
    found = found.reshape(expected.shape)
    assert_allclose(found, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())


def test_one_huge_feature_needs_the_primal_form():
    """Few rows are free: 1 + x.x / sigma of the dual form has none of the digits."""
    X, y = make_problem(n=60, d=4, k=2, noise=0.2)
    X = np.column_stack([X * [1, 1, 1e6, 1], np.ones(60)])
    newton = train("cs", "hinge", X, y, np.full(60, 1e6), 2, tol=1e-3, most=100)
    assert newton.gap <= 1e-3 * newton.primal


def test_large_systems_are_factorised_in_panels():
    rng = np.random.default_rng(0)
    size = 2 * PANEL + 77
    A = rng.normal(size=(size, 40))
    A = A @ A.T + np.eye(size)
    right, polls = rng.normal(size=size), []
    x = positive_solver(A.copy(), lambda: polls.append(1))(right)
    assert_allclose(A @ x, right, atol=1e-9)
    assert len(polls) >= 3


@pytest.mark.parametrize(
    "change",
    [
        {"indices": [0, 5]},
        {"indices": [0, -1]},
        {"starts": [0, 2, 1]},
        {"starts": [1, 1, 2]},
        {"labels": [0, 7]},
        {"labels": [-1, 0]},
        {"loss_weights": [1.0, np.nan]},
        {"set_starts": [0, 1, 9]},
    ],
)
def test_the_core_checks_what_newton_steps_get(change):
    given = {
        "indices": [0, 1],
        "starts": [0, 1, 2],
        "labels": [0, 1],
        "loss_weights": [1.0, 1.0],
        "set_starts": [],
        **change,
    }
    with pytest.raises(ValueError):
        rows = core.DoubleRows(
            BLAS,
            np.ones(2),
            np.array(given["indices"], np.int32),
            np.array(given["starts"], np.int64),
            2,
        )
        core.Newton(
            rows,
            unified_machine("cs", "hinge").axes(2),
            np.array(given["labels"], np.int32),
            np.array(given["loss_weights"]),
            2,
            "none",
            1e-3,
            False,
            1,
            np.array(given["set_starts"], np.int64),
            np.zeros(0, np.int32),
        )


@pytest.mark.parametrize(
    ("machine", "loss"), [pair for pair in PAIRS if "hinge" in pair[1]]
)
def test_units_of_features_do_not_matter(machine, loss):
    """W for X times t and C over t squared is W over t, by the same steps."""
    X, y = make_problem(n=60, d=5, k=4)
    model, scaled = (
        LinearSVM(
            machine, loss=loss, C=0.1 / t**2, fit_intercept=False, solver="newton"
        )
        for t in (1.0, 2.0**-20)
    )
    model.fit(X, y)
    scaled.fit(X * 2.0**-20, y)
    assert scaled.n_iter_ == model.n_iter_
    assert scaled.status_ == model.status_ == "converged"
    assert_allclose(scaled.coef_ * 2.0**-20, model.coef_, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("machine", ["llw", "adm", "ats", "atm", "mmr", "rm"])
def test_weights_sum_to_zero_on_long_rows(machine):
    """One feature that is large: what rounding adds to all classes would show."""
    X = np.array([[-651.79115261], [-174.71729233], [1663.72399139], [659.14774983]])
    parameters = {"C": 10.0, "fit_intercept": False, "tol": 1e-6, "solver": "newton"}
    model = LinearSVM(machine, **parameters).fit(X, [0, 1, 0, 2])
    assert abs(model.coef_.sum()) <= 4 * np.finfo(float).eps * np.abs(model.coef_).max()
