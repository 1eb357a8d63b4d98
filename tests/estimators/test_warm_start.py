"""Warm starts: the same optimum, sooner."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from problems import (
    ALL_PAIRS,
    BINARY,
    as_hard,
    bounded_by_loss_weight,
    dual_block,
    few_classes,
    is_bounded,
    make_model,
    make_problem,
    rotated,
)
from sklearn.datasets import load_digits

from polymargin import LinearSVM

GRID = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600] / 16, y[:600]


@pytest.mark.parametrize(
    ("machine", "loss", "grid"), rotated(ALL_PAIRS, [GRID, GRID[::-1]])
)
def test_along_a_grid(digits, machine, loss, grid):
    X, y = digits
    # Where the one goes on by Newton steps and the other does not, numbers of
    # iterations cannot be compared.
    parameters = {"tol": 1e-4, "max_iter": 5000, "random_state": 0, "solver": "dual"}
    warm = make_model(machine, loss, warm_start=True, **parameters)
    warm_epochs = cold_epochs = 0
    for C in (as_hard(machine, loss, 10, C) for C in grid):
        warm.set_params(C=C).fit(X, y)
        cold = make_model(machine, loss, C=C, **parameters).fit(X, y)
        assert warm.status_ == "converged"
        assert_allclose(warm.objective_, cold.objective_, rtol=2e-4)
        assert_feasible(warm, y, C)
        warm_epochs += warm.n_iter_
        cold_epochs += cold.n_iter_
    # Downwards a warm start saves little, and so it does where classes do not meet.
    if grid is GRID:
        assert warm_epochs < (1.25 if machine in BINARY else 1) * cold_epochs


def assert_feasible(model, y, C):
    u = dual_block(model, y)
    assert u.min() >= 0
    if is_bounded(model):
        bounded = bounded_by_loss_weight(model, u)
        assert bounded.max() <= C * (1 + 1e-9)


@pytest.mark.parametrize(("machine", "loss", "k"), rotated(ALL_PAIRS, [3, 70]))
def test_from_the_optimum_nothing_is_left_to_do(machine, loss, k):
    k = few_classes(machine, k)
    X, y = make_problem(n=60 + k, k=k)
    model = make_model(machine, loss, C=0.1, warm_start=True, random_state=0)
    model.set_params(tol=1e-6, max_iter=20_000).fit(X, y)
    needed = model.n_iter_
    model.set_params(tol=1e-5).fit(X, y)
    assert model.n_iter_ <= max(needed / 4, 1)  # one is the least there is
    assert model.dual_gap_ <= 1e-5


@pytest.mark.parametrize(
    ("machine", "loss", "changed"),
    rotated(ALL_PAIRS, ["rows", "classes", "labels", "features"], times=2),
)
def test_other_data_is_safe(machine, loss, changed):
    """Where the old duals do not fit, the fit is the cold one."""
    X, y = make_problem(n=60, k=3)
    new_X, new_y = {
        "rows": (X[:50], y[:50]),
        "classes": (X, np.where(np.arange(60) < 5, 3, y)),
        "labels": (X, (y + 1) % 3),
        "features": (X[:, :4], y),
    }[changed]
    parameters = {"C": 0.2, "tol": 1e-6, "max_iter": 20_000}
    warm = make_model(machine, loss, warm_start=True, random_state=0, **parameters)
    warm.fit(X, y).fit(new_X, new_y)
    cold = make_model(machine, loss, random_state=0, **parameters).fit(new_X, new_y)
    assert warm.coef_.shape == cold.coef_.shape
    if changed != "features":
        assert_array_equal(warm.coef_, cold.coef_)
    assert_allclose(warm.objective_, cold.objective_, rtol=2e-6)
    assert_feasible(warm, new_y, 0.2)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_a_few_relabelled_rows_are_safe(machine, loss):
    X, y = make_problem(n=60, k=3)
    other = y.copy()
    other[::7] = (other[::7] + 1) % 3
    parameters = {"C": 0.2, "tol": 1e-6, "max_iter": 20_000}
    warm = make_model(machine, loss, warm_start=True, random_state=0, **parameters)
    warm.fit(X, y).fit(X, other)
    cold = make_model(machine, loss, random_state=0, **parameters).fit(X, other)
    assert_allclose(warm.objective_, cold.objective_, rtol=2e-6)
    assert_feasible(warm, other, 0.2)


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_weights_that_change_are_safe(machine, loss):
    X, y = make_problem(n=60, k=3)
    weight = np.random.default_rng(0).choice([0.0, 0.5, 4.0], size=60)
    parameters = {"C": 0.2, "tol": 1e-6, "max_iter": 20_000}
    warm = make_model(machine, loss, warm_start=True, random_state=0, **parameters)
    cold = make_model(machine, loss, random_state=0, **parameters)
    cold.fit(X, y, sample_weight=weight)
    warm.fit(X, y).fit(X, y, sample_weight=weight)
    assert_allclose(warm.objective_, cold.objective_, rtol=2e-6)
    assert not dual_block(warm, y)[weight == 0].any()
    warm.fit(X, y)  # and back: rows that had weight zero come in again
    assert_allclose(warm.objective_, cold.fit(X, y).objective_, rtol=2e-6)


# What set_params can turn into one another.
SVM_PAIRS = [pair for pair in ALL_PAIRS if pair[0] != "maxent"]


@pytest.mark.parametrize(
    ("machine", "loss", "same", "k"), rotated(SVM_PAIRS, ["machine", "loss"], [2, 5])
)
def test_another_machine_is_safe(machine, loss, same, k):
    """Duals of one machine need not be feasible for another: ww sums exceed C."""
    X, y = make_problem(n=60, k=k)
    others = [
        other
        for other in SVM_PAIRS
        if other != (machine, loss)
        and (other[0] == machine if same == "machine" else other[1] == loss)
    ]
    assert others
    parameters = {"C": 0.2, "tol": 1e-6, "max_iter": 20_000, "random_state": 0}
    for other in others:
        model = make_model(machine, loss, warm_start=True, **parameters).fit(X, y)
        model.set_params(machine=other[0], loss=other[1]).fit(X, y)
        cold = LinearSVM(other[0], loss=other[1], **parameters).fit(X, y)
        assert_allclose(model.objective_, cold.objective_, rtol=2e-6)
        assert_feasible(model, y, 0.2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "loss", "order"), rotated(ALL_PAIRS, ["acf", "permuted"])
)
def test_one_epoch_at_a_time_approaches_the_optimum(digits, machine, loss, order):
    X, y = digits
    model = make_model(machine, loss, C=0.1, order=order, tol=0, max_iter=1)
    model.set_params(warm_start=True, random_state=np.random.RandomState(0))
    duals = []
    for _ in range(60):
        model.fit(X, y)
        duals.append(model.dual_objective_)
    assert (np.diff(duals) >= -1e-12 * duals[-1]).all()
    best = make_model(machine, loss, C=0.1, tol=1e-6, random_state=0).fit(X, y)
    assert model.objective_ == pytest.approx(best.objective_, rel=0.02)


def test_between_number_formats(digits):
    X, y = digits
    model = LinearSVM(C=0.1, warm_start=True, random_state=0).fit(X, y)
    model.fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32
    assert model.status_ == "converged"
    model.fit(X, y)
    assert model.coef_.dtype == np.float64
    assert model.dual_gap_ <= 1e-3


def test_without_warm_start_nothing_is_kept(digits):
    X, y = digits
    model = LinearSVM(C=0.1, random_state=0).fit(X, y)
    coef = model.coef_.copy()
    assert_array_equal(model.fit(X, y).coef_, coef)
