"""Rows with several labels as pairs, of which a binary machine makes one that ranks."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, check_consistent_length

from ..access.csr import check_compressed
from ..base.annotations import Array, Labels, Rows
from .label_checks import check_ones

# Of rows, labels and other classes that are looked at together.
_AT_ONCE = 10_000_000


class LabelPairs(NamedTuple):
    """What `label_pairs` returns.

    Attributes
    ----------
    X : csr_array of shape (n_pairs, n_classes * n_features)
    y : ndarray of shape (n_pairs,)
        1 and -1 in turns.
    rows : ndarray of shape (n_pairs,)
        Which row a pair is of.
    """

    X: sp.csr_array
    y: Array
    rows: Array


def label_pairs(X: Rows, Y: Labels) -> LabelPairs:
    """Return a row for every label of a row and every other class.

    The machine that ranks minimises half the squares of the weights and C times
    ``sum_i sum_{l, m} [1 - s_l(x_i) + s_m(x_i)]_+`` over labels l of row i and classes
    m that it has not. That is a binary machine without intercept on rows that have x in
    the place of l and -x in that of m. The sign of every second pair is reversed,
    because a classifier needs two classes.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)

    Y : array-like or sparse matrix of shape (n_samples, n_classes)
        1 where a row has a label, 0 elsewhere.

    Returns
    -------
    pairs : LabelPairs
        With ``model = LinearSVM("ovr", fit_intercept=False).fit(pairs.X, pairs.y)`` the
        scores of new rows are ``X_new @ model.coef_.reshape(Y.shape[1], -1).T``.

    Examples
    --------
    >>> from polymargin import label_pairs
    >>> pairs = label_pairs([[1.0, 2.0]], [[1, 0, 0]])
    >>> pairs.X.toarray()
    array([[ 1.,  2., -1., -2.,  0.,  0.],
           [-1., -2.,  0.,  0.,  1.,  2.]])
    >>> pairs.y
    array([ 1, -1])
    """
    numbers = [np.float64, np.float32]
    X = sp.csr_array(
        check_array(
            check_compressed(X), accept_sparse="csr", dtype=numbers, input_name="X"
        )
    )
    Y = check_array(Y, accept_sparse="csr", input_name="Y")
    check_ones(Y)
    check_consistent_length(X, Y)
    rows, labels, others = _pairs(sp.csr_array(Y, dtype=bool))
    if not len(rows):
        raise ValueError(
            "Y has no row with a label and without another; give rows of which some "
            "have some of the labels."
        )
    y = np.where(np.arange(len(rows)) % 2, -1, 1)
    signed = sp.diags_array(y.astype(X.dtype)) @ X[rows]
    pairs = _moved(signed, labels, Y.shape[1]) - _moved(signed, others, Y.shape[1])
    return LabelPairs(sp.csr_array(pairs), y, rows)


def _pairs(sets: sp.csr_array) -> tuple[Array, ...]:
    """The row, the label and the other class of every pair."""
    n_rows, n_classes = sets.shape
    chunk = max(_AT_ONCE // n_classes**2, 1)
    found = [np.zeros((3, 0), dtype=np.int64)]
    for start in range(0, n_rows, chunk):
        has = sets[start : start + chunk].toarray()
        pairs = np.array(np.nonzero(has[:, :, None] & ~has[:, None, :]))
        pairs[0] += start
        found.append(pairs)
    return tuple(np.hstack(found))


def _moved(X: sp.csr_array, classes: Array, n_classes: int) -> sp.csr_array:
    """Rows among zeros, in the place of a class."""
    n_rows, n_features = X.shape
    shift = np.repeat(classes * n_features, np.diff(X.indptr))
    parts = X.data, X.indices + shift, X.indptr
    return sp.csr_array(parts, shape=(n_rows, n_classes * n_features))
