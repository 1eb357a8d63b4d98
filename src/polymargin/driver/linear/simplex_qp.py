"""Small convex quadratic programmes over the unit simplex, by an active-set method."""

import numpy as np

# Added to the diagonal, as a share of its mean: a proximal term, so that singular
# faces (repeated or dependent planes) have a Newton step. It moves no solution,
# because the steps are repeated until the optimality conditions hold.
PROXIMAL_SHARE = 1e-11


def minimise_over_simplex(H, b, start, tol=1e-13):
    """Minimise ``1/2 a.Ha - b.a`` over ``a >= 0, sum a = 1``.

    From a feasible start it walks to the minimiser of the face of the free variables,
    stops at the first bound in the way, and when the minimiser is reached frees the
    variable of least derivative. Every step lowers the objective. It ends when
    ``a.g - min g``, which bounds the distance of the objective from its minimum
    (g is the gradient), is as small as its rounding or no longer falls.

    Parameters
    ----------
    H : ndarray of shape (size, size)
        Positive semidefinite, singular or not.
    b : ndarray of shape (size,)
    start : ndarray of shape (size,)
        On the simplex.
    tol : float, default=1e-13
        Relative to the size of the terms of the objective.

    Returns
    -------
    a : ndarray of shape (size,)
        On the simplex, with exact zeros at its bounds.
    """
    a = np.array(start, dtype=np.float64)
    free = a > 0
    best, least_gap, failures = a.copy(), np.inf, 0
    for _ in range(100 + 20 * len(a)):
        face = np.flatnonzero(free)
        step = _newton_step(H[np.ix_(face, face)], (b - H @ a)[face])
        lengths = np.full(len(face), np.inf)
        np.divide(-a[face], step, out=lengths, where=step < 0)
        blocking = np.argmin(lengths)
        a[face] = np.maximum(a[face] + min(lengths[blocking], 1.0) * step, 0)
        if lengths[blocking] < 1:
            a[face[blocking]] = 0
            free[face[blocking]] = False
            continue
        a /= a.sum()

        gradient = H @ a - b
        entering = np.argmin(gradient)
        gap = a @ gradient - gradient[entering]
        if gap < least_gap:
            best, least_gap, failures = a.copy(), gap, 0
        else:
            failures += 1
        terms = a @ np.abs(H) @ a + a @ np.abs(b)
        if gap <= tol * terms or failures > 5:
            break
        free = a > 0
        free[entering] = True
    return best


def _newton_step(H, descent):
    """The step on a face, ``sum step = 0``, that minimises the quadratic model."""
    size = len(H)
    if size == 1:
        return np.zeros(1)
    unit = np.trace(H) / size or 1.0  # all rows and columns are of this size
    system = np.full((size + 1, size + 1), unit)
    system[:size, :size] = H + PROXIMAL_SHARE * unit * np.eye(size)
    system[size, size] = 0
    return np.linalg.solve(system, np.append(descent, 0))[:size]
