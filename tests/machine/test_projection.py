"""Blocks of all examples at once: projections, derivatives, dual terms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from unified import UNIFIED_PAIRS, unified_machine

from polymargin.machine.projection import Blocks, thresholds
from polymargin.machine.registry import find_machine

SIGMAS = (0.3, 20.0)


def make_blocks(name, loss, n=30, k=5, seed=0):
    rng = np.random.default_rng(seed)
    labels, loss_weights = rng.integers(k, size=n), rng.uniform(0.5, 2, size=n)
    machine = unified_machine(name, loss)
    return Blocks(machine, labels, loss_weights, k), rng


def feasible(blocks, rng):
    """Random variables inside their bounds, many of them at one."""
    zero = np.zeros(blocks.shape)
    h = blocks.violations(rng.normal(size=blocks.shape) * 2)
    return blocks.project(zero, h, 1.0)


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize(("name", "loss"), UNIFIED_PAIRS)
def test_a_projection_is_better_than_what_is_around_it(name, loss, sigma):
    """It maximises a concave function: no feasible point has more."""
    blocks, rng = make_blocks(name, loss)
    u = feasible(blocks, rng)
    h = blocks.violations(rng.normal(size=blocks.shape))
    best = blocks.project(u, h, sigma)
    value = blocks.distance(best, h, u, sigma)
    for _ in range(30):
        other = feasible(blocks, rng)
        step = rng.uniform(0, 1) ** 4
        between = (1 - step) * best + step * other
        assert blocks.distance(between, h, u, sigma) <= value * (1 + 1e-12)


@pytest.mark.parametrize(("name", "loss"), UNIFIED_PAIRS)
def test_projections_are_feasible(name, loss):
    blocks, rng = make_blocks(name, loss)
    h = blocks.violations(rng.normal(size=blocks.shape) * 3)
    u = blocks.project(feasible(blocks, rng), h, 1e6)
    assert u.min() >= 0
    if blocks.missing is not None:
        assert not u[blocks.missing].any()
    if loss == "hinge":
        used = u.sum(axis=1) if blocks.maximum else u.max(axis=1)
        assert np.all(used <= blocks.loss_weights * (1 + 1e-14))


def dense_curvature(blocks, curvature):
    """J of every example, as (n, k, k)."""
    n, k = blocks.shape
    q, r = np.zeros((2, n, k))
    q[curvature.rows, curvature.classes] = curvature.q
    r[curvature.rows, curvature.classes] = curvature.r
    return q[:, :, None] * np.eye(k) - curvature.gamma[:, None, None] * (
        r[:, :, None] * r[:, None, :]
    )


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize(("name", "loss"), UNIFIED_PAIRS)
def test_the_derivative_of_a_projection(name, loss, sigma):
    blocks, rng = make_blocks(name, loss)
    u = feasible(blocks, rng)
    h = blocks.violations(rng.normal(size=blocks.shape))
    curvature = blocks.step_curvature(blocks.project(u, h, sigma), sigma)
    J = dense_curvature(blocks, curvature)
    dh = blocks.changes(rng.normal(size=blocks.shape)) * 1e-7
    change = blocks.project(u, h + dh, sigma) - blocks.project(u, h - dh, sigma)
    assert_allclose(
        change / 2, np.einsum("iab,ib->ia", J, dh), atol=1e-9 * sigma * 1e-3
    )


@pytest.mark.parametrize(
    ("name", "loss"), [("ovr", "logistic"), ("maxent", "log"), ("ww", "squared_hinge")]
)
def test_pulls_are_derivatives_of_the_losses(name, loss):
    rng = np.random.default_rng(0)
    labels, loss_weights = rng.integers(4, size=20), rng.uniform(0.5, 2, size=20)
    blocks = Blocks(find_machine(name, loss), labels, loss_weights, 4)
    h = blocks.violations(rng.normal(size=blocks.shape))
    dh = blocks.changes(rng.normal(size=blocks.shape))
    step = 1e-5
    slope = (blocks.losses(h + step * dh) - blocks.losses(h - step * dh)) / (2 * step)
    u = blocks.loss_gradient(h)
    assert_allclose(slope, np.vdot(u, dh), rtol=1e-8)
    J = dense_curvature(blocks, blocks.loss_curvature(u))
    change = blocks.loss_gradient(h + step * dh) - blocks.loss_gradient(h - step * dh)
    assert_allclose(change / (2 * step), np.einsum("iab,ib->ia", J, dh), atol=1e-8)
    # Fenchel: the dual term of the gradient is the loss less u.h, h counted from zero.
    inner = np.vdot(u, h - blocks.targets)
    assert_allclose(blocks.dual_terms(u), blocks.losses(h) - inner, rtol=1e-12)


@pytest.mark.parametrize(("name", "loss"), UNIFIED_PAIRS)
def test_coefficients_are_the_transpose_of_margins(name, loss):
    blocks, rng = make_blocks(name, loss)
    scores, u = rng.normal(size=blocks.shape), feasible(blocks, rng)
    if blocks.centred:
        scores -= scores.mean(axis=1, keepdims=True)
    assert_allclose(
        np.vdot(blocks.coefficients(u), scores), -np.vdot(u, blocks.changes(scores))
    )


def test_thresholds_of_ties_and_single_variables():
    v = np.array([[3.0, 3.0, 0.0], [5.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    bound, hard = np.ones(3), np.zeros(3)
    theta = thresholds(v, bound, hard)
    assert_allclose(theta, [2.5, 4.0, 2 / 3])
    soft = thresholds(v, np.zeros(3), np.full(3, 0.5))
    assert_allclose(np.maximum(v - soft[:, None], 0).sum(axis=1), 0.5 * soft)


@pytest.mark.parametrize("name", ["cs", "adm", "atm"])
def test_a_bound_that_rounding_swallows_is_kept(name):
    """A step much longer than the bound leaves none of its digits."""
    labels, bounds = np.array([0, 1]), np.array([1e-300, 1.0])
    blocks = Blocks(unified_machine(name, "hinge"), labels, bounds, 3)
    h = blocks.violations(np.array([[0.0, 3.0, 1.0], [2.0, 0.0, 1.0]]))
    u = blocks.project(np.zeros(blocks.shape), h, 1e20)
    assert (u >= 0).all()
    assert_allclose(u.sum(axis=1), bounds)
