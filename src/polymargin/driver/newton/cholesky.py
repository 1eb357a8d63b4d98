"""Symmetric positive definite systems, with a poll inside the long ones.

LAPACK factorises a matrix of order 8,000 in several seconds, in which no signal would
be heard. Large matrices are factorised in panels, between which there is time to look.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

PANEL = 1024


def positive_solver(A: np.ndarray, poll: Callable[[], None]) -> Callable:
    """Return a function that solves ``A x = b``; A is overwritten.

    Only the lower half of A is read.
    """
    if len(A) <= 2 * PANEL:
        # In Fortran order this is the upper half, and LAPACK makes no copy.
        factor = _pivot(A.T, overwrite=True)
    else:
        factor = _by_panels(A, poll).T
    return lambda b: dpotrs(factor, b)[0]


def add_identity(A: np.ndarray) -> None:
    """Add 1 to the diagonal of A."""
    diagonal = np.einsum("ii->i", A)  # a view
    diagonal += 1


def positive_inverse(A: np.ndarray) -> np.ndarray:
    """Return the inverse of A, which is overwritten; its lower half is read."""
    inverse, _ = dpotri(_pivot(A.T, overwrite=True), lower=0, overwrite_c=1)
    upper = np.triu(inverse, 1)
    return upper + upper.T + np.diag(inverse.diagonal())


def _pivot(upper, overwrite=False):
    factor, failed = dpotrf(upper, lower=0, clean=0, overwrite_a=overwrite)
    if failed:
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    return factor


def _by_panels(A, poll):
    """Overwrite the lower half of A by its factor, some columns at a time."""
    for begin in range(0, len(A), PANEL):
        poll()
        end = min(begin + PANEL, len(A))
        done = A[begin:end, :begin]
        A[begin:end, begin:end] -= done @ done.T
        pivot = _pivot(A[begin:end, begin:end].T)
        A[begin:end, begin:end] = pivot.T
        if end < len(A):
            below = A[end:, begin:end] - A[end:, :begin] @ done.T
            A[end:, begin:end] = dtrsm(1.0, pivot, below.T, trans_a=1).T
    poll()
    return A
