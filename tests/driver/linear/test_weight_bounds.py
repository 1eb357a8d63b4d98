"""Weights with bounds: a cone solver, peers, and what a user may get wrong."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification

from polymargin import LinearSVM, MaxEnt, convert, load, open_rows, save

TOL = 1e-7
BOUNDS = [(0, None), (None, 0.05), (-0.1, 0.2), (np.zeros(8), None)]


def problem(seed=0, n=60, d=8, k=3):
    X, y = make_classification(
        n, d, n_informative=4, n_classes=k, random_state=seed, class_sep=1.5
    )
    return X, y, np.random.default_rng(seed).uniform(0.3, 2, size=n)


def machine(bounds, **parameters):
    known = {"loss": "squared_hinge", "tol": TOL, "random_state": 0}
    return LinearSVM("ovr", weight_bounds=bounds, **known | parameters)


def optimum(X, y, weights, bounds, penalty, k):
    """min penalty + sum C (1 - Y s)_+^2 over the classes, each by clarabel.

    Variables: w = p - q with p, q >= 0 (so that |w| = p + q at the optimum), slacks.
    """
    n, d = X.shape
    low, high = (
        np.broadcast_to(np.inf * sign if one is None else one, d)
        for one, sign in zip(bounds, (-1, 1), strict=True)
    )
    total = 0.0
    for m in range(k):
        Y = np.where(y == m, 1.0, -1.0)[:, None]
        eye, none = np.eye(d), np.zeros((d, n))
        rows = [np.hstack([-Y * X, Y * X, -np.eye(n)]), -np.eye(2 * d + n)]
        right = [-np.ones(n), np.zeros(2 * d + n)]
        for bound, sign in ((high, 1), (low, -1)):
            kept = np.isfinite(bound)
            rows.append(sign * np.hstack([eye, -eye, none])[kept])
            right.append(sign * bound[kept])
        P = np.zeros((2 * d + n, 2 * d + n))
        q = np.zeros(2 * d + n)
        if penalty == "l2":
            P[: 2 * d, : 2 * d] = np.block([[eye, -eye], [-eye, eye]])
        else:
            q[: 2 * d] = 1
        P[2 * d :, 2 * d :] = 2 * np.diag(weights)
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
        A, b = np.vstack(rows), np.concatenate(right)
        solver = clarabel.DefaultSolver(
            sp.csc_matrix(np.triu(P)),
            q,
            sp.csc_matrix(A),
            b,
            [clarabel.NonnegativeConeT(len(b))],
            settings,
        )
        total += solver.solve().obj_val
    return total


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_the_objective_is_that_of_a_cone_solver(bounds, penalty):
    X, y, weights = problem()
    model = machine(bounds, penalty=penalty, fit_intercept=False).fit(X, y, weights)
    best = optimum(X, y, weights, bounds, penalty, 3)
    assert model.status_ == "converged"
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert model.dual_objective_ <= best * (1 + 1e-8)
    free = machine(None, penalty=penalty, fit_intercept=False).fit(X, y, weights)
    assert free.objective_ < best * (1 - 1e-4)  # the bounds matter
    for bound, beyond in zip(bounds, (np.less, np.greater), strict=True):
        if bound is not None:
            assert not np.any(beyond(model.coef_, bound))


@pytest.mark.parametrize("intercept", [True, "free"])
def test_logistic_losses_beside_a_quasi_newton_method(intercept):
    X, y, weights = problem(1, k=2)
    model = machine((0, None), loss="logistic", fit_intercept=intercept)
    model.fit(X, y, weights)
    Y, share = 2 * y - 1, 1.0 if intercept is True else 0.0

    def objective(w):
        losses = weights @ np.logaddexp(0, -Y * (X @ w[:-1] + w[-1]))
        return (w[:-1] @ w[:-1] + share * w[-1] ** 2) / 2 + losses

    limits = [(0, None)] * 8 + [(None, None)]
    best = minimize(objective, np.zeros(9), bounds=limits, method="L-BFGS-B", tol=1e-14)
    assert_allclose(model.objective_, best.fun, rtol=1e-6)
    assert_allclose(model.coef_[0], best.x[:-1], atol=2e-3)


def test_single_precision_stays_in_the_bounds():
    X, y, _ = problem(2)
    for bounds in ((-0.1, 0.1), (-0.3, 0.7)):
        model = machine(bounds, tol=1e-3).fit(X.astype(np.float32), y)
        assert model.coef_.dtype == np.float32
        assert model.coef_.min() >= bounds[0]
        assert model.coef_.max() <= bounds[1]
        assert np.isclose(model.coef_, bounds[1]).any()


def test_formats_several_labels_warm_starts_and_files(tmp_path):
    X, y, _ = problem(3)
    X[np.abs(X) < 0.3] = 0
    dense = machine((0, None)).fit(X, y)
    sparse = machine((0, None)).fit(sp.csr_array(X), y)
    assert_allclose(sparse.objective_, dense.objective_, rtol=2 * TOL)
    several = machine((0, None)).fit(X, np.eye(3, dtype=int)[y])
    assert_allclose(several.objective_, dense.objective_, rtol=2 * TOL)
    warm = machine(None, penalty="l1", warm_start=True).fit(X, y)
    warm.set_params(weight_bounds=(0, None)).fit(X, y)
    assert warm.coef_.min() == 0
    save(dense, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.weight_bounds == (0, None)
    assert_array_equal(again.coef_, dense.coef_)
    assert clone(dense).fit(X, y).n_parameters_ == dense.n_parameters_


@pytest.mark.parametrize(
    ("bounds", "parameters", "message"),
    [
        ((0,), {}, "has 1 entries; give two"),
        ((1, 2), {}, "are 1 and 2 for feature 0; give bounds with zero between them"),
        ((0, np.nan), {}, "give bounds with zero between them"),
        (([0, 0], None), {}, "there are 4 features; give None, a number, or one for"),
        (("a", None), {}, "give None, a number, or one for each"),
        ((0, None), {"penalty": "group"}, "not for penalty='group'"),
        ((0, None), {"loss": "hinge"}, "are not for machine='ovr' with loss='hinge'"),
        ((0, None), {"machine": "ww"}, "are not for machine='ww'"),
        ((0, None), {"solver": "dual"}, "solver='dual' is not for weight_bounds"),
    ],
)
def test_errors(bounds, parameters, message):
    X, y = load_iris(return_X_y=True)
    model = machine(bounds).set_params(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_neither_streams_nor_row_stores(tmp_path):
    X, y = load_iris(return_X_y=True)
    assert not hasattr(machine((0, None)), "partial_fit")
    assert "weight_bounds" not in MaxEnt().get_params()
    convert([(X, y)], tmp_path / "rows")
    with pytest.raises(ValueError, match="weight_bounds"):
        machine((0, None)).fit(open_rows(tmp_path / "rows"))
