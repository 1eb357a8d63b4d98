"""How rows in memory are stored for training: decided here, once, for everybody."""

from functools import cached_property

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms

from .._core import core
from ..base.finite import all_finite
from .csr import index_arrays

# A dense row costs a multiplication per feature, a sparse one an index per non-zero:
# below this density a sparse copy is faster, and no larger than the array itself. Where
# rows meet one column of the weights at a time, vectors run along dense features.
SPARSE_BELOW = 0.4
SPARSE_BELOW_OF_ONE = 0.1


def dense_is_faster(nonzeros: int, size: int, single: bool = False) -> bool:
    """Whether rows with so many non-zeros among all values are better stored dense."""
    return nonzeros >= (SPARSE_BELOW_OF_ONE if single else SPARSE_BELOW) * size


class Rows:
    """Rows in memory, stored as the core reads them fastest.

    Parameters
    ----------
    X : ndarray or CSR matrix of float32 or float64
        Read in place and kept alive. A dense array of which less than 40 % is non-zero
        is copied to CSR; a CSR matrix with repeated indices is copied without them,
        because they would count twice in |x|^2.

    bias : float, default=0.0
        Value of an additional, last and constant feature; none if zero.

    single : bool, default=False
        Whether rows meet one column of the weights at a time, as those of pairs of
        classes do: then dense rows are copied below 10 %.

    Attributes
    ----------
    matrix : ndarray or csr_array
        The rows as they are stored, without the constant feature.
    core : core object
        The same for the core, with the constant feature.
    """

    def __init__(self, X, bias: float = 0.0, single: bool = False):
        if not sp.issparse(X) and not dense_is_faster(
            np.count_nonzero(X), X.size, single
        ):
            X = sparse_copy(X)
        self.core = csr_rows(X, bias) if sp.issparse(X) else core.dense_rows(X, bias)
        if sp.issparse(X) and not self.core.canonical:
            X = X.copy()
            X.sum_duplicates()
            self.core = csr_rows(X, bias)
        self.matrix, self.bias = X, bias

    @property
    def dtype(self) -> np.dtype:
        return self.matrix.dtype

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    @property
    def nbytes(self) -> int:
        """Bytes of all values, and of their indices."""
        X = self.matrix
        if not self.is_sparse:
            return X.nbytes
        return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes

    @property
    def mean_length(self) -> float:
        """How many numbers a row has in store, with the constant feature."""
        stored = self.matrix.nnz if self.is_sparse else self.matrix.size
        return stored / self.shape[0] + bool(self.bias)

    @property
    def is_sparse(self) -> bool:
        return sp.issparse(self.matrix)

    @property
    def is_contiguous(self) -> bool:
        """Whether the features of a row lie side by side, all of them."""
        return not self.is_sparse and self.matrix.flags.c_contiguous

    @cached_property
    def empty(self) -> np.ndarray:
        """Which rows have no feature other than zero."""
        if self.bias:
            return np.zeros(self.shape[0], dtype=bool)
        return np.asarray(abs(self.matrix).sum(axis=1)).ravel() == 0

    def check_lengths(self) -> None:
        """Raise if the square of a row's length is no number in the format of X.

        For drivers in Python; the core looks at lengths itself, with the same words.
        """
        with np.errstate(over="ignore"):
            squares = self.squared_norms() + self.dtype.type(self.bias) ** 2
        if not all_finite(squares):
            raise ValueError(
                "a row of X is too long: the square of its length is not finite in the "
                "number format of X; scale X, or give it as float64"
            )

    def squared_norms(self, chosen=slice(None)) -> np.ndarray:
        """Return |x|^2 of the rows at `chosen`, without the constant feature."""
        return row_norms(self.matrix[chosen], squared=True)


def sparse_copy(X: np.ndarray):
    """Return a dense array as CSR, as SciPy does, which takes three to six times as
    long to find what is not zero.
    """
    n, d = X.shape
    mask = X != 0
    lengths = np.count_nonzero(mask, axis=1)
    places = np.flatnonzero(mask)
    index = np.int32 if max(len(places), d) < 2**31 else np.int64
    columns = places - np.repeat(np.arange(n) * d, lengths)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    arrays = X.ravel()[places], columns.astype(index), starts.astype(index)
    return sp.csr_array(arrays, shape=X.shape)


def csr_rows(X, bias: float = 0.0):
    """Return the rows of a CSR matrix as they are; raise if it is not a valid one."""
    values = np.ascontiguousarray(X.data)
    return core.csr_rows(values, *index_arrays(X), X.shape[1], bias)
