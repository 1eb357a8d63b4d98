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


def check_compressed(X, name: str = "X") -> None:
    """Raise if a CSR or CSC matrix, called `name`, has indices out of range.

    SciPy trusts them, and reads or writes elsewhere in memory.
    """
    if not sp.issparse(X) or X.format not in ("csr", "csc"):
        return
    columns = X.shape[1 if X.format == "csr" else 0]
    lines = X.shape[0 if X.format == "csr" else 1]
    fault = core.csr_fault(*index_arrays(X), len(X.data), columns)
    if fault is None and len(X.indptr) != lines + 1:
        fault = f"indptr must have {lines + 1} entries"
    if fault is not None:
        raise ValueError(f"{name} is not a valid {X.format.upper()} matrix: {fault}.")
