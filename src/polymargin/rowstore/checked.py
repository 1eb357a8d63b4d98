"""A part of a source is checked before it is stored."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, column_or_1d

from .sources import Part
from .writing import Seen


def checked_chunk(part: Part, seen: Seen, number: int):
    """Return X, y and weights of a part, and add them to what has been seen."""
    try:
        X, y, weights = _check(part)
        _compare(X, y, part, seen)
    except (ValueError, TypeError) as error:
        if part.from_file:
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"chunk {number}, counted from 0: {reason}") from error
    if seen.dtype is None:
        seen.dtype = X.dtype
    seen.rows += X.shape[0]
    seen.nonzeros += X.nnz if sp.issparse(X) else int(np.count_nonzero(X))
    seen.width = max(seen.width, X.shape[1])
    seen.sparse = sp.issparse(X)
    seen.weighted |= part.weights is not None
    with np.errstate(over="ignore"):
        X = X.astype(seen.dtype, copy=False)
    return X, y, weights


def _check(part: Part):
    X = part.X
    if not part.from_file:  # files are checked as they are read
        X = check_array(
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_min_samples=0,
            input_name="X",
        )
    if sp.issparse(X):
        X = sp.csr_array(X)
    y = part.y
    if y is not None:
        y = column_or_1d(y)
        if y.dtype.kind not in "biufSUOT":
            raise ValueError(f"labels are {y.dtype}; give numbers or words.")
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise ValueError("labels are missing or not finite; leave out their rows.")
    weights = part.weights
    if weights is None:
        weights = np.ones(X.shape[0])
    weights = column_or_1d(weights, dtype=np.float64)
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError("weights must be finite and not negative.")
    for name, array in {"labels": y, "weights": weights}.items():
        if array is not None and len(array) != X.shape[0]:
            raise ValueError(
                f"X has {X.shape[0]} rows, but there are {len(array)} {name}; give one "
                f"for each row."
            )
    return X, y, weights


def _compare(X, y, part: Part, seen: Seen) -> None:
    """See that a part is like those before."""
    if seen.rows == 0:
        return
    if (y is None) != (seen.labels is None):
        raise ValueError(
            "there are rows with labels and rows without; give all rows a label or "
            "none."
        )
    if not part.from_file and X.shape[1] != seen.width:
        raise ValueError(
            f"X has {X.shape[1]} features, those before have {seen.width}; give all "
            f"chunks the same."
        )
    if sp.issparse(X) != seen.sparse:
        raise ValueError("X is sparse in some chunks and dense in others; choose one.")
    if not seen.dtype_given and np.promote_types(X.dtype, seen.dtype) != seen.dtype:
        raise ValueError(
            f"X is {X.dtype}, those before are {seen.dtype}; give dtype='float64', or "
            f"all chunks the same type."
        )
