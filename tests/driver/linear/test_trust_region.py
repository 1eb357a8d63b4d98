"""Steps in trust regions against dense linear algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from polymargin.driver.linear.trust_region import Step, newton_step, next_radius


@pytest.fixture
def problem():
    """Gradients and Hessians I + X^T D X of six problems."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12)) * np.linspace(0.1, 3, 12)
    curvature = rng.random((30, 6))
    gradient = rng.normal(size=(12, 6)) * 10.0 ** np.arange(-3, 3)
    return X, curvature, gradient


def step_of(X, curvature, gradient, radius, out_of_time=lambda: False):
    def hessian(V, D):
        return V + X.T @ (D * (X @ V))

    return newton_step(gradient, curvature, radius, hessian, out_of_time)


def dense(X, D):
    return np.eye(X.shape[1]) + X.T @ (D[:, None] * X)


def check_column(X, D, g, s, predicted, slope, size):
    H = dense(X, D)
    assert_allclose(predicted, -(g @ s + s @ H @ s / 2), rtol=1e-9)
    assert_allclose(slope, g @ s, rtol=1e-9)
    assert_allclose(size, np.linalg.norm(s), rtol=1e-9)
    cauchy = g @ g / (g @ H @ g)
    # At least as good as the best step against the gradient that is as long.
    length = min(cauchy, size / np.linalg.norm(g))
    best = length * (g @ g) - length**2 * (g @ H @ g) / 2
    assert predicted >= best * (1 - 1e-9)


def test_without_a_boundary_the_residual_is_a_tenth(problem):
    X, curvature, gradient = problem
    step = step_of(X, curvature, gradient, np.full(6, 1e9))
    assert not step.at_boundary.any()
    assert step.products > 1
    for m in range(6):
        residual = gradient[:, m] + dense(X, curvature[:, m]) @ step.change[:, m]
        assert np.linalg.norm(residual) <= 0.1001 * np.linalg.norm(gradient[:, m])
        check_column(
            X, curvature[:, m], gradient[:, m], step.change[:, m], *summary(step, m)
        )


def summary(step, m):
    return step.predicted[m], step.slope[m], step.size[m]


def test_each_column_has_its_own_region(problem):
    X, curvature, gradient = problem
    free = step_of(X, curvature, gradient, np.full(6, 1e9))
    radius = free.size * [0.01, 0.5, 0.9, 2, 5, 100]
    step = step_of(X, curvature, gradient, radius)
    assert step.at_boundary.tolist() == [True] * 3 + [False] * 3
    assert_allclose(step.size[:3], radius[:3])
    assert_allclose(step.change[:, 3:], free.change[:, 3:], rtol=1e-9)
    for m in range(6):
        check_column(
            X, curvature[:, m], gradient[:, m], step.change[:, m], *summary(step, m)
        )
        alone = step_of(X, curvature[:, [m]], gradient[:, [m]], radius[[m]])
        assert_allclose(step.change[:, [m]], alone.change, atol=1e-8 * step.size[m])


def test_a_column_without_gradient_rests(problem):
    X, curvature, gradient = problem
    gradient[:, 2] = 0
    step = step_of(X, curvature, gradient, np.full(6, 1e9))
    assert not step.change[:, 2].any()
    assert step.change[:, [0, 1, 3, 4, 5]].any(axis=0).all()


def test_no_time(problem):
    answers = iter([False, True])
    assert step_of(*problem, np.full(6, 1e9), lambda: next(answers)) is None


def radius_after(ratio, at_boundary=False, size=1.0, radius=2.0):
    """The radius after a step of slope -1 whose objective falls by `ratio` / 2."""
    one = np.ones(1)
    step = Step(None, one / 2, -one, size * one, np.array([at_boundary]), 1)
    return next_radius(radius * one, step, -ratio * one / 2)[0] / radius


def test_radius():
    assert radius_after(-3.0) == 0.125  # 0.25 min(|s|, radius) at the least
    assert radius_after(0.0) == 0.25
    assert radius_after(0.1) == pytest.approx(0.5 / 0.95 / 2)
    assert radius_after(0.5) == pytest.approx(1 / 1.5 / 2)
    assert radius_after(0.9) == 1
    assert radius_after(0.9, at_boundary=True) == 4
    assert radius_after(2.5) == 2  # concave along the step: four times its size
