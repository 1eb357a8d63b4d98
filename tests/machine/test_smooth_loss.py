"""Smooth losses: derivatives by differences, and the conjugate by its definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from polymargin.machine.smooth_loss import SMOOTH_LOSSES

Z = np.array([-40.0, -3.0, -0.7, 0.0, 0.3, 0.9, 1.6, 5.0, 30.0])
DEFINITIONS = {
    "squared_hinge": lambda z: np.maximum(1 - z, 0) ** 2,
    "logistic": lambda z: np.logaddexp(0, -z),
}


@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_value_and_derivatives(name):
    value, step = DEFINITIONS[name], 1e-6
    at = SMOOTH_LOSSES[name](Z)
    assert_allclose(at.value, value(Z), rtol=1e-14)
    slope = (value(Z + step) - value(Z - step)) / (2 * step)
    assert_allclose(-at.dual_variable, slope, atol=1e-7)
    duals = [SMOOTH_LOSSES[name](Z + change).dual_variable for change in (step, -step)]
    assert_allclose(at.curvature, (duals[1] - duals[0]) / (2 * step), atol=1e-7)


@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_worth_is_what_a_dual_variable_adds(name):
    """The least of loss(t) + pull * t over all t, which is taken at the margin."""
    at = SMOOTH_LOSSES[name](Z)
    t = np.linspace(-60, 60, 240_001)
    tangent = DEFINITIONS[name](t)[:, None] + at.dual_variable * t[:, None]
    assert_allclose(at.dual_term, tangent.min(axis=0), atol=1e-6)


@pytest.mark.parametrize("name", SMOOTH_LOSSES)
def test_extreme_margins(name):
    with np.errstate(all="raise", under="ignore"):
        at = SMOOTH_LOSSES[name](np.array([-1e5, 1e5]))
    assert all(np.isfinite(values).all() for values in at)
    assert at.dual_variable[1] == at.value[1] == 0
