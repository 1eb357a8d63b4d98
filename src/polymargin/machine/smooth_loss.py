"""Smooth losses of a margin z = Y s, for solvers that need their derivatives.

With the weight C_i of an example, the dual variable that belongs to a margin is
``u = C_i dual_variable(z)``, minus the derivative of the loss; what that variable adds
to the dual objective is ``C_i dual_term(z)``.
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
    dual_variable : ndarray
        Minus its first derivative, never negative.
    curvature : ndarray
        Its second derivative (of the squared hinge, the one from the left).
    dual_term : ndarray
        ``value + dual_variable * z``: minus the conjugate of the loss at minus the dual
        variable.
    """

    value: np.ndarray
    dual_variable: np.ndarray
    curvature: np.ndarray
    dual_term: np.ndarray


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
    dual_at_size = small / (1 + small)
    return AtMargin(
        at_size + np.maximum(-z, 0),
        np.where(z < 0, 1 - dual_at_size, dual_at_size),
        dual_at_size / (1 + small),
        at_size + dual_at_size * size,  # the entropy, the same at z and -z
    )


SMOOTH_LOSSES: dict[str, Callable[[np.ndarray], AtMargin]] = {
    "squared_hinge": squared_hinge,
    "logistic": logistic,
}
