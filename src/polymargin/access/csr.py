"""Compressed sparse matrices as they come: checked, and with indices the core reads."""

import numpy as np
import scipy.sparse as sp

from .._core import core


def index_arrays(X) -> tuple[np.ndarray, np.ndarray]:
    """Return ``indices`` and ``indptr`` of X as the core reads them.

    That is int32 where both fit, else int64; of this machine's byte order, and without
    gaps. What is so already is not copied.
    """
    last = int(X.indptr[-1]) if len(X.indptr) else 0
    narrow = X.indices.dtype == np.int32 and last <= np.iinfo(np.int32).max
    index = np.int32 if narrow else np.int64
    return tuple(
        np.ascontiguousarray(array, dtype=index) for array in (X.indices, X.indptr)
    )


def narrow_indices(X, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Return ``indices`` and ``indptr`` of X with 32 bits, for `who` reads no others;
    raise if some would not fit.
    """
    most = np.iinfo(np.int32).max
    if max(X.shape[1], X.nnz) > most:
        raise ValueError(
            f"{who} takes at most {most} columns and as many values, and X has "
            f"{X.shape[1]} and {X.nnz}; leave out columns that are empty."
        )
    return X.indices.astype(np.int32), X.indptr.astype(np.int32)


def check_compressed(X, name: str = "X"):
    """Return X; raise if it is a CSR or CSC matrix with indices out of range.

    SciPy trusts them, and reads or writes elsewhere in memory. Of their types it knows
    two, so that a matrix with others is returned with one of these; `name` is what the
    matrix is called in an error.
    """
    if not sp.issparse(X) or X.format not in ("csr", "csc"):
        return X
    columns = X.shape[1 if X.format == "csr" else 0]
    lines = X.shape[0 if X.format == "csr" else 1]
    indices, indptr = index_arrays(X)
    fault = core.csr_fault(indices, indptr, len(X.data), columns)
    if fault is None and len(X.indptr) != lines + 1:
        fault = f"indptr must have {lines + 1} entries"
    if fault is not None:
        raise ValueError(f"{name} is not a valid {X.format.upper()} matrix: {fault}.")
    known = np.dtype(np.int32), np.dtype(np.int64)
    if X.indices.dtype in known and X.indptr.dtype in known:
        return X
    return type(X)((X.data, indices, indptr), shape=X.shape)
