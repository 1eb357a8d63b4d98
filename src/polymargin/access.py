"""Where rows come from: NumPy and SciPy arrays handed to the core, read in place."""

import numpy as np
import scipy.sparse as sp

from ._core import core

# A dense row costs a multiplication per feature, a sparse one an index per non-zero:
# below this density a sparse copy is faster, and no larger than the array itself.
SPARSE_BELOW = 0.4


def rows_of(X, bias: float = 0.0):
    """Return the rows of `X` for the core.

    Parameters
    ----------
    X : ndarray or CSR matrix of float32 or float64
        Read in place and kept alive. A dense array of which less than 40 % is
        non-zero is copied to CSR, which makes every pass over it faster.

    bias : float, default=0.0
        Value of an additional, last and constant feature; none if zero.

    Returns
    -------
    rows : core object
    """
    if not sp.issparse(X) and np.count_nonzero(X) < SPARSE_BELOW * X.size:
        X = sp.csr_array(X)
    if not sp.issparse(X):
        return core.dense_rows(X, bias)
    rows = csr_rows(X, bias)
    if not rows.canonical:  # a repeated index would count twice in |x|^2
        X = X.copy()
        X.sum_duplicates()
        rows = csr_rows(X, bias)
    return rows


def csr_rows(X, bias: float = 0.0):
    """Return the rows of a CSR matrix as they are; raise if it is not a valid one."""
    indptr = X.indptr.astype(X.indices.dtype, copy=False)
    return core.csr_rows(X.data, X.indices, indptr, X.shape[1], bias)
