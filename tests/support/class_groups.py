"""Rows of many classes, which come in groups that share words."""

import numpy as np
import scipy.sparse as sp


def grouped_rows(k, rows_a_class=6, per_group=8, d=400, length=12, seed=0, dtype=float):
    """Sparse rows of length one, and labels: every class has words of its own, every
    group of classes has some, and there are words that all have.
    """
    rng = np.random.default_rng(seed)
    own = rng.integers(40, d, size=(k, 4))
    shared = rng.integers(40, d, size=(-(-k // per_group), 6))
    y = np.repeat(np.arange(k), rows_a_class)
    n = len(y)
    words = rng.integers(0, 40, size=(n, length))
    kind = rng.random((n, length))
    pick = rng.integers(0, 4, size=(n, length))
    words = np.where(kind < 0.35, own[y[:, None], pick], words)
    words = np.where(kind > 0.65, shared[y[:, None] // per_group, pick], words)
    X = sp.csr_array(
        (np.ones(words.size), (np.repeat(np.arange(n), length), words.ravel())),
        shape=(n, d),
    )
    X.sum_duplicates()
    X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1)), np.diff(X.indptr))
    order = rng.permutation(n)
    return sp.csr_array(X[order].astype(dtype)), y[order]
