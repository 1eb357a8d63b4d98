"""Smooth losses of a margin z = Y s, for solvers that need their derivatives.

With the weight C_i of an example, the dual variable that belongs to a margin is
``u = C_i pull(z)``, where the pull is minus the derivative of the loss; what that
variable adds to the dual objective is ``C_i worth(z)``.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class AtMargin(NamedTuple):
    """A loss at given margins.

    Attributes
    ----------
    value : ndarray
        The loss.
    pull : ndarray
        Minus its first derivative, never negative.
    curvature : ndarray
        Its second derivative (of the squared hinge, the one from the left).
    worth : ndarray
        ``value + pull * z``: minus the conjugate of the loss at minus the pull.
    """

    value: np.ndarray
    pull: np.ndarray
    curvature: np.ndarray
    worth: np.ndarray


def squared_hinge(z: np.ndarray) -> AtMargin:
    """``max(0, 1 - z)^2``."""
    slack = np.maximum(1 - z, 0)
    value = slack * slack
    return AtMargin(value, 2 * slack, 2.0 * (slack > 0), 2 * slack - value)


def logistic(z: np.ndarray) -> AtMargin:
    """``log(1 + exp(-z))``, written with exponents that are never positive."""
    size = np.abs(z)
    small = np.exp(-size)
    at_size = np.log1p(small)  # the loss at |z|
    pull_at_size = small / (1 + small)
    return AtMargin(
        at_size + np.maximum(-z, 0),
        np.where(z < 0, 1 - pull_at_size, pull_at_size),
        pull_at_size / (1 + small),
        at_size + pull_at_size * size,  # the entropy of the pull, the same at z and -z
    )


SMOOTH_LOSSES: dict[str, Callable[[np.ndarray], AtMargin]] = {
    "squared_hinge": squared_hinge,
    "logistic": logistic,
}
