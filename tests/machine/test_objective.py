"""Optima, certificates and dual variables against independent computations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from problems import (
    ALL_PAIRS,
    BINARY,
    ENTROPY,
    augmented,
    bounded_by_loss_weight,
    class_weights,
    dual_block,
    dual_objective,
    few_classes,
    has_variable,
    is_bounded,
    losses,
    make_model,
    make_problem,
    penalties,
    primal_objective,
    rotated,
    scores_of,
    slacks,
    uses_maximum,
    violations,
)
from reference import solve_primal
from sklearn.utils import compute_sample_weight


def weighted_problem(k, weighting, C=1.0, seed=0):
    """X, y, the arguments of the weights, and C_i."""
    X, y = make_problem(n=30 + 5 * k, d=4, k=k, seed=seed)
    rng = np.random.default_rng(seed + 1)
    sample = class_weight = None
    loss_weights = np.full(len(y), C)
    if weighting in ("sample", "both"):
        sample = rng.uniform(0.2, 3, size=len(y))
        loss_weights = loss_weights * sample
    if weighting in ("class", "both"):
        class_weight = {label: 0.5 + label for label in range(k)}
        loss_weights = loss_weights * compute_sample_weight(class_weight, y)
    return X, y, sample, class_weight, loss_weights


def fit(machine, loss, X, y, sample=None, **parameters):
    parameters = {"tol": 1e-8, "max_iter": 1_000_000, "random_state": 0} | parameters
    return make_model(machine, loss, **parameters).fit(X, y, sample_weight=sample)


def apart(model, X):
    """W - W(u), of which one-vs-one has a row for each pair.

    Weights of "dual" are those of its dual variables, to rounding; Newton steps bring
    the best of both together at the optimum only.
    """
    return class_weights(model) - model.dual_coef_.T @ augmented(model, X)


def assert_same_weights(model, weights):
    """Nearly the same; where the optimum is zero, as near as the gap says.

    The objective is strongly convex, so that |W - W*|^2 <= 2 gap.
    """
    gap = max(model.objective_ - model.dual_objective_, 0)
    atol = max(1e-3 * np.abs(weights).max(), np.sqrt(2 * gap) + 1e-9)
    assert_allclose(class_weights(model), weights, rtol=0, atol=atol)


@pytest.mark.parametrize(
    ("machine", "loss", "weighting", "k", "intercept"),
    rotated(
        ALL_PAIRS,
        ["none", "sample", "class", "both"],
        [2, 3, 5],
        [False, True],
        times=4,
    ),
)
def test_independent_solver_agrees(machine, loss, weighting, k, intercept):
    X, y, sample, class_weight, loss_weights = weighted_problem(k, weighting)
    model = fit(
        machine,
        loss,
        X,
        y,
        sample,
        class_weight=class_weight,
        fit_intercept=intercept,
        intercept_scaling=2.0,
    )
    best, weights = solve_primal(machine, loss, augmented(model, X), y, loss_weights)
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert_allclose(model.dual_objective_, best, rtol=1e-6)
    assert_same_weights(model, weights)


@pytest.mark.parametrize(("machine", "loss", "C"), rotated(ALL_PAIRS, [1e-3, 0.1, 4.0]))
def test_independent_solver_agrees_over_C(machine, loss, C):
    X, y = make_problem(n=60, d=5, k=4, seed=3)
    model = fit(machine, loss, X, y, C=C)
    best, weights = solve_primal(
        machine, loss, augmented(model, X), y, np.full(len(y), C)
    )
    assert_allclose(model.objective_, best, rtol=1e-6)
    assert_same_weights(model, weights)


# Far from the optimum primal, dual and violation differ in every digit: a certificate
# that repeats one of them for the other shows here.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["auto", "dual"])
@pytest.mark.parametrize(
    ("machine", "loss", "k", "max_iter"),
    rotated(ALL_PAIRS, [2, 5, 70], [1, 3, 1000], times=2),
)
def test_certificate_is_recomputed_from_the_model(machine, loss, k, max_iter, solver):
    k = few_classes(machine, k)
    X, y, sample, class_weight, loss_weights = weighted_problem(k, "both", C=0.7)
    weights = {"class_weight": class_weight, "C": 0.7}
    model = fit(
        machine, loss, X, y, sample, max_iter=max_iter, solver=solver, **weights
    )
    primal = primal_objective(model, X, y, loss_weights)
    dual = dual_objective(model, X, y, loss_weights)
    assert_allclose(model.objective_, primal, rtol=1e-10)
    assert_allclose(model.dual_objective_, dual, rtol=1e-10)
    assert_allclose(model.dual_gap_, (primal - dual) / primal, atol=1e-10)
    violation = violations(model, X, y, loss_weights).max()
    if "newton" in model.solver_:
        violation = max(violation, np.abs(apart(model, X)).max())
    assert_allclose(model.violation_, violation, rtol=1e-6, atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("machine", "loss", "k", "max_iter", "intercept"),
    rotated(ALL_PAIRS, [2, 3, 70], [1, 1000], [False, True], times=2),
)
def test_dual_variables_are_feasible_and_give_the_weights(
    machine, loss, k, max_iter, intercept
):
    k = few_classes(machine, k)
    X, y, sample, class_weight, loss_weights = weighted_problem(k, "both", C=0.03)
    model = fit(
        machine,
        loss,
        X,
        y,
        sample,
        C=0.03,
        class_weight=class_weight,
        max_iter=max_iter,
        fit_intercept=intercept,
        solver="dual",  # by Newton steps in the limit
    )
    b = model.dual_coef_.toarray()
    scale = np.abs(b).max()
    if machine not in BINARY:
        assert_allclose(b.sum(axis=1), 0, atol=1e-12 * scale)
    assert_allclose(
        b.T @ augmented(model, X), class_weights(model), rtol=0, atol=1e-10 * scale
    )
    u = dual_block(model, y)
    assert u.min() >= 0
    assert not u[~has_variable(machine, y, u.shape[1])].any()
    if is_bounded(model):
        bounded = bounded_by_loss_weight(model, u)
        assert (bounded <= loss_weights * (1 + 1e-12)).all()
        if loss == "hinge":  # else the bound is not tested; an entropy never reaches it
            assert (bounded >= loss_weights * (1 - 1e-9)).any()
    assert_allclose(model.support_, np.flatnonzero(b.any(axis=1)))
    assert len(model.support_) > 0
    if machine == "llw":  # the mean of a block reaches every class
        assert (model.dual_coef_[model.support_].toarray() != 0).mean() > 0.9


@pytest.mark.parametrize("solver", ["auto", "dual"])
@pytest.mark.parametrize(("machine", "loss", "k"), rotated(ALL_PAIRS, [2, 4]))
def test_complementary_slackness(machine, loss, k, solver):
    """The gap is a sum over rows and classes of terms that are never negative.

    And of 1/2 |W - W(u)|^2, which rounding alone keeps from zero with epochs only.
    """
    X, y, sample, _, loss_weights = weighted_problem(k, "sample")
    model = fit(machine, loss, X, y, sample, solver=solver)
    h = slacks(machine, loss, scores_of(model, X), y)
    u = dual_block(model, y)
    gap = model.objective_ - model.dual_objective_
    young = loss_weights * losses(machine, loss, h, y) - (u * h).sum(axis=1)
    young = young + penalties(machine, loss, u, loss_weights)
    assert young.min() >= -1e-9
    between = (apart(model, X) ** 2).sum() / 2
    assert solver == "auto" or between <= 1e-9 * model.objective_
    assert_allclose(young.sum() + between, gap, atol=1e-9 * model.objective_)
    if loss in ENTROPY:  # every variable is inside its bounds
        return
    xi = np.maximum(h, 0)
    room = gap + 1e-9 * model.objective_
    if uses_maximum(machine):
        xi = xi.max(axis=1, keepdims=True)
        assert (u * (xi - h)).max() <= room  # only the worst classes carry weight
        pushed, push = xi[:, 0], u.sum(axis=1)
        weight = loss_weights
    else:
        assert (u * (xi - h)).max() <= room  # u > 0 only inside the margin
        variable = has_variable(machine, y, u.shape[1])
        pushed, push = xi[variable], u[variable]
        weight = loss_weights[np.nonzero(variable)[0]]
    if loss == "hinge":
        assert ((weight - push) * pushed).max() <= room
    else:
        assert (weight * (pushed - push / (2 * weight)) ** 2).max() <= room


@pytest.mark.parametrize(("machine", "loss"), ALL_PAIRS)
def test_violation_tol_bounds_the_recomputed_violation(machine, loss):
    X, y, sample, _, loss_weights = weighted_problem(4, "sample")
    model = fit(machine, loss, X, y, sample, violation_tol=1e-6)
    assert model.status_ == "converged"
    assert violations(model, X, y, loss_weights).max() <= 1e-6 * (1 + 1e-6) + 1e-12
