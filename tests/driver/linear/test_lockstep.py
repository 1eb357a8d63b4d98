"""Newton steps of all classes side by side: how far along them one goes."""

import numpy as np

from polymargin.driver.linear.newton import lockstep
from polymargin.machine.problem import Problem
from polymargin.machine.registry import MACHINES


def test_a_search_that_is_cut_short_still_falls(monkeypatch):
    """A row that begins to count beyond a point makes the objective steep there."""
    monkeypatch.setattr(lockstep, "SEARCHES", 6)
    machine = MACHINES["ovr", "squared_hinge"]
    problem = Problem(machine, np.array([0, -1]), 1, np.ones(2))
    newton = lockstep.LockstepNewton(
        np.ones((2, 1)), problem, lambda *_: False, lambda: None
    )
    W, step = np.zeros((1, 1)), np.array([[-0.5]])
    z, dz = np.array([[0.0], [1.05]]), np.array([[-0.5], [500.0]])

    def objective(length):
        losses = np.maximum(1 - (z - length * dz), 0) ** 2
        return float(((W - length * step) ** 2).sum() / 2 + losses.sum())

    # The derivative at zero is -1.
    gradient, primal = np.array([[-2.0]]), np.array([objective(0)])
    (length,) = newton._lengths(W, z, primal, gradient, step, dz)
    assert 0 < length < 1
    assert objective(length) < objective(0)
