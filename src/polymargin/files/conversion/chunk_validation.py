"""A chunk of a source is checked, and compared with those before, as it comes."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, column_or_1d

from ...base.finite import all_finite, are_weights
from .source_chunks import SourceChunk
from .source_summary import SourceSummary


def validate_chunk(chunk: SourceChunk, summary: SourceSummary, number: int):
    """Return X, y and weights of a chunk, and add them to the summary."""
    try:
        X, y, weights = _check(chunk)
        _compare(X, y, chunk, summary)
    except (ValueError, TypeError) as error:
        if chunk.from_file:
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"chunk {number}, counted from 0: {reason}") from error
    if summary.dtype is None:
        summary.dtype = X.dtype
    summary.rows += X.shape[0]
    summary.nonzeros += X.nnz if sp.issparse(X) else int(np.count_nonzero(X))
    summary.width = max(summary.width, X.shape[1])
    summary.sparse = sp.issparse(X)
    summary.weighted |= chunk.weights is not None
    with np.errstate(over="ignore"):
        X = X.astype(summary.dtype, copy=False)
    return X, y, weights


def _check(chunk: SourceChunk):
    X = chunk.X
    if not chunk.from_file:  # files are checked as they are read
        X = check_array(
            X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_min_samples=0,
            input_name="X",
        )
    if sp.issparse(X):
        X = sp.csr_array(X)
    y = chunk.y
    if y is not None:
        y = column_or_1d(y)
        if y.dtype.kind not in "biufSUOT":
            raise ValueError(f"labels are {y.dtype}; give numbers or words.")
        if y.dtype.kind == "f" and not all_finite(y):
            raise ValueError("labels are missing or not finite; leave out their rows.")
    weights = chunk.weights
    if weights is None:
        weights = np.ones(X.shape[0])
    weights = column_or_1d(weights, dtype=np.float64)
    if not are_weights(weights):
        wrong = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        raise ValueError(f"weights has {wrong:g}; give finite ones, none negative.")
    for name, array in {"labels": y, "weights": weights}.items():
        if array is not None and len(array) != X.shape[0]:
            raise ValueError(
                f"X has {X.shape[0]} rows, but there are {len(array)} {name}; give one "
                f"for each row."
            )
    return X, y, weights


def _compare(X, y, chunk: SourceChunk, summary: SourceSummary) -> None:
    """See that a chunk is like those before."""
    if summary.rows == 0:
        return
    if (y is None) != (summary.labels is None):
        raise ValueError(
            "there are rows with labels and rows without; give all rows a label or "
            "none."
        )
    if not chunk.from_file and X.shape[1] != summary.width:
        raise ValueError(
            f"X has {X.shape[1]} features, those before have {summary.width}; give all "
            f"chunks the same."
        )
    if sp.issparse(X) != summary.sparse:
        raise ValueError("X is sparse in some chunks and dense in others; choose one.")
    dtype = summary.dtype
    if not summary.dtype_given and np.promote_types(X.dtype, dtype) != dtype:
        raise ValueError(
            f"X is {X.dtype}, those before are {dtype}; give dtype='float64', or "
            f"all chunks the same type."
        )
