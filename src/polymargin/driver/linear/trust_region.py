"""Trust regions for several convex problems at once, one in each column.

The problems run in lockstep, so that they share the products with the Hessians, but
each has its own region and its own end (Lin, Weng and Keerthi, JMLR 9, 2008).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

ACCEPT, POOR, GOOD = 1e-4, 0.25, 0.75  # eta of (3.2): achieved over predicted
SHRINK_MOST, SHRINK, GROW = 0.25, 0.5, 4.0  # sigma of (3.2): factors of the radius
INNER_TOLERANCE = 0.1


class Step(NamedTuple):
    """Approximate minimisers of quadratic models in their trust regions.

    Attributes
    ----------
    change : ndarray of shape (features, columns)
    predicted : ndarray of shape (columns,)
        How much the models decrease.
    slope : ndarray of shape (columns,)
        Inner products of gradient and change.
    size : ndarray of shape (columns,)
        Norms of the changes.
    at_boundary : ndarray of bool of shape (columns,)
    products : int
        Products with the Hessians that were needed.
    """

    change: np.ndarray
    predicted: np.ndarray
    slope: np.ndarray
    size: np.ndarray
    at_boundary: np.ndarray
    products: int


def dots(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Inner products of the columns of two arrays."""
    return np.einsum("fm,fm->m", a, b)


def newton_step(
    gradient: np.ndarray,
    curvature: np.ndarray,
    radius: np.ndarray,
    hessian: Callable[[np.ndarray, np.ndarray], np.ndarray],
    out_of_time: Callable[[], bool],
) -> Step | None:
    """Minimise ``g.s + 1/2 s.Hs`` over ``|s| <= radius`` by conjugate gradients.

    A column ends when its residual is a tenth of its gradient, or at the boundary
    (Steihaug). Columns that have ended are carried along until half of them have.

    Parameters
    ----------
    gradient : ndarray of shape (features, columns)
    curvature : ndarray of shape (examples, columns)
        What the Hessians are made of.
    radius : ndarray of shape (columns,)
    hessian : callable
        ``hessian(V, curvature)`` is H V, column by column.
    out_of_time : callable
        Asked before every product.

    Returns
    -------
    step : Step or None
        None if there was not enough time.
    """
    change, residual = np.zeros_like(gradient), -gradient
    at_boundary = np.zeros(len(radius), dtype=bool)
    products = 0

    columns = np.arange(len(radius))  # those carried along
    s, r, p = change.copy(), residual.copy(), residual.copy()
    square = dots(r, r)
    enough = INNER_TOLERANCE**2 * square
    running = square > enough
    most = max(len(gradient), 5)
    while running.any() and products < most:
        if out_of_time():
            return None
        if 2 * running.sum() <= len(columns):
            change[:, columns], residual[:, columns] = s, r
            columns, curvature = columns[running], curvature[:, running]
            s, r, p = s[:, running], r[:, running], p[:, running]
            square, enough = square[running], enough[running]
            running = running[running]
        product = hessian(p, curvature)
        products += 1
        length = np.divide(square, dots(p, product), where=running, out=0 * square)
        ahead = s + length * p
        outside = running & (dots(ahead, ahead) > radius[columns] ** 2)
        if outside.any():
            limit = _to_boundary(s, p, radius[columns])
            length = np.where(outside, np.minimum(length, limit), length)
            ahead = s + length * p
            at_boundary[columns] |= outside
        s = ahead
        r -= length * product

        before, square = square, np.where(running, dots(r, r), square)
        running &= ~outside & (square > enough)
        p *= np.divide(square, before, where=running, out=0 * square)
        p += r
        p[:, ~running] = 0
    change[:, columns], residual[:, columns] = s, r

    slope = dots(gradient, change)
    # The model at s is 1/2 (g.s - s.r), because r = -g - Hs.
    predicted = (dots(change, residual) - slope) / 2
    size = np.sqrt(dots(change, change))
    return Step(change, predicted, slope, size, at_boundary, products)


def _to_boundary(s, p, radius):
    """The positive root t of |s + t p| = radius; infinite where p is zero."""
    a, b = dots(p, p), dots(s, p)
    c = np.maximum(radius**2 - dots(s, s), 0)
    root = np.sqrt(b * b + a * c)
    # Of the two ways to write the root, the one without cancellation.
    above, below = np.where(b > 0, c, root - b), np.where(b > 0, b + root, a)
    return np.divide(above, below, where=below > 0, out=np.full_like(a, np.inf))


def next_radius(radius, step: Step, increase) -> np.ndarray:
    """The radius after a step that increased the objective by `increase` (3.2)."""
    # The factor of the step that minimises the parabola through both objectives.
    excess = increase - step.slope
    factor = np.full_like(radius, GROW)
    np.divide(-0.5 * step.slope, excess, where=excess > 0, out=factor)
    scaled = np.maximum(factor, SHRINK_MOST) * step.size
    ratio = np.divide(
        -increase, step.predicted, where=step.predicted > 0, out=-np.ones_like(radius)
    )
    return np.select(
        [ratio < ACCEPT, ratio < POOR, ratio < GOOD, step.at_boundary],
        [
            np.minimum(scaled, SHRINK * radius),
            np.maximum(SHRINK_MOST * radius, np.minimum(scaled, SHRINK * radius)),
            np.maximum(SHRINK_MOST * radius, np.minimum(scaled, GROW * radius)),
            GROW * radius,
        ],
        np.maximum(radius, np.minimum(scaled, GROW * radius)),
    )
