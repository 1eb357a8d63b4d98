"""The minimiser of a quadratic model with a penalty: sweeps and conjugate gradients.

Sweeps over the features find out which weights are zero. Where features are correlated
they would take long to find the others; there the penalty is smooth, and a Newton step
by conjugate gradients gets them. A weight that would change its sign on the way is
zero instead; sweeps bring it back if that was wrong.
"""

from collections.abc import Callable

import numpy as np

from .penalty import Penalty

ROUNDS = 30  # of sweeps and a Newton step, at most
RESIDUAL = 0.01  # of a Newton step, over that of the beginning
LENGTHS = (1.0, 0.5, 0.2, 0.05)  # of a Newton step, that are tried


def minimise(
    model, W, penalty: Penalty, left: float, is_over: Callable[[], bool]
) -> np.ndarray:
    """Return weights that nearly minimise the model, beginning with W.

    `left` is the share of what was gained in all that a last round may gain. Whenever
    time is over, what was found so far is returned.
    """
    W, total = W.copy(), 0.0
    for _ in range(ROUNDS):
        gain = model.descend(W, penalty)
        if is_over():
            break
        gain += _newton_step(model, W, penalty, is_over)
        total += gain
        if gain <= left * total or is_over():
            break
    return W


def _newton_step(model, W, penalty: Penalty, is_over: Callable[[], bool]) -> float:
    """Change weights that are not zero; return by how much the model falls."""
    smooth = penalty.smooth(W)
    if not smooth.any():
        return 0.0
    gradient = model.gradient()
    wrong = np.where(smooth, gradient + penalty.slopes(W), 0.0)
    bend = penalty.curvature(W)
    step = _solve(
        lambda S: np.where(smooth, model.product(S) + bend(S), 0.0),
        -wrong,
        np.where(smooth, model.diagonal(), 1.0),
        model.products,
        is_over,
    )
    before = penalty.value(W)
    for length in LENGTHS:
        moved = penalty.nearest(W, length * step)
        change = np.vdot(gradient, moved) + np.vdot(moved, model.product(moved)) / 2
        change += penalty.value(W + moved) - before
        if change < 0:
            W += moved
            model.move(moved)
            return -change
    return 0.0


def _solve(product, right, diagonal, most: int, is_over) -> np.ndarray:
    """Conjugate gradients, preconditioned by a diagonal, with so many products."""
    x, residual = np.zeros_like(right), right.copy()
    scaled = residual / diagonal
    direction, rho = scaled.copy(), float(np.vdot(residual, scaled))
    enough = RESIDUAL**2 * rho
    for _ in range(most):
        if rho <= enough or is_over():
            break
        q = product(direction)
        bend = float(np.vdot(direction, q))
        if bend <= 0:
            break
        length = rho / bend
        x += length * direction
        residual -= length * q
        scaled = residual / diagonal
        rho, before = float(np.vdot(residual, scaled)), rho
        direction = scaled + rho / before * direction
    return x
