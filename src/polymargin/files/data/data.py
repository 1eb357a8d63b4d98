"""What a file holds: rows, labels, names of features."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class Data:
    """Rows with their labels, as read from a file.

    Attributes
    ----------
    X : ndarray or csr_matrix of shape (n_samples, n_features)
        Sparse if it came from svmlight text or from the parts of a CSR matrix.
    y : ndarray of shape (n_samples,) or None
        Labels: int64 if all are whole numbers, else float64 if all are numbers, else
        strings (see `label_rule`); None if the file has none.
    feature_names : list of str or None
        From the header of a table; None if there is none.
    zero_based : bool or None
        Whether the indices of svmlight text were taken to begin at 0: to read other
        rows for the same model in the same way. None for other formats.
    label_names : ndarray or None
        What the columns of `y` stand for, if rows have several labels; `y` is then an
        indicator matrix, a csr_array of shape (n_samples, n_labels).
    types : list of (str, str) or None
        Of a table that has more than numbers, which is then a pyarrow Table: names of
        its columns and what they were read as.
    label_name : str or None
        Of the column of the labels, if it has a name.
    is_table : bool
        Whether columns are those of a table, each in its own unit.
    unused : tuple of str
        Columns of a table that nothing is made of, as those who look at it find.
    """

    X: np.ndarray | sp.csr_matrix
    y: Any = None
    feature_names: list[str] | None = None
    zero_based: bool | None = None
    types: list[tuple[str, str]] | None = None
    label_name: str | None = None
    is_table: bool = False
    label_names: np.ndarray | None = None
    unused: tuple[str, ...] = ()


def as_numbers(data: Data, name: str, dtype: Any, first_row: int = 0) -> Data:
    """Give X its type, and see that all of it is finite.

    Parameters
    ----------
    data : Data
    name : str
        Of the source, for messages.
    dtype : float32, float64 or None
        None keeps what is one of the two; all else becomes float64.
    first_row : int
        The number of the first row, for messages.
    """
    X: Any = data.X
    if 0 in X.shape:
        missing = "features" if X.shape[0] else "rows"
        raise ValueError(f"{name} has no {missing}; give data that has some.")
    if dtype is None:
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    with np.errstate(over="ignore"):  # to infinity, which is not finite either
        X = X.astype(dtype, copy=False)
    finite = np.isfinite(X.data if sp.issparse(X) else X)
    if not finite.all():
        at = np.argwhere(~finite)[0]
        if sp.issparse(X):
            at = np.searchsorted(X.indptr, at[0], "right") - 1, X.indices[at[0]]
        raise ValueError(
            f"{name} has {X[tuple(at)]} in row {first_row + at[0]}, feature {at[1]}, "
            f"counted from 0; every value must be finite in {np.dtype(dtype)}."
        )
    return Data(X, data.y, data.feature_names)
