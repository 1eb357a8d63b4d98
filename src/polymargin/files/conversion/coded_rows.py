"""Rows on their way into a store: their labels are codes, whose order comes later."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class CodedRows:
    """Some rows, the codes of their labels and their weights."""

    X: np.ndarray | sp.csr_array
    codes: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return self.X.shape[0]

    @property
    def nbytes(self) -> int:
        X = self.X
        arrays = [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]
        return sum(array.nbytes for array in (*arrays, self.codes, self.weights))

    def take(self, which) -> "CodedRows":
        return CodedRows(self.X[which], self.codes[which], self.weights[which])


def stack_rows(parts: Sequence[CodedRows]) -> CodedRows:
    """Put rows one below the other; sparse ones may differ in width."""
    if len(parts) == 1:
        return parts[0]
    if sp.issparse(parts[0].X):
        width = max(part.X.shape[1] for part in parts)
        X = sp.vstack([widened(part.X, width) for part in parts], format="csr")
    else:
        X = np.concatenate([part.X for part in parts])
    return CodedRows(
        X,
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def widened(X: sp.csr_array, width: int) -> sp.csr_array:
    """Return the same rows with more columns."""
    return sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))
