"""How rows in memory are stored: decided once, by what is in them."""

import numpy as np
import pytest
import scipy.sparse as sp

from polymargin.access.rows import SPARSE_BELOW, Rows, dense_is_faster, sparse_copy


def filled(share, shape=(20, 10), dtype=np.float64):
    """An array of which the first values are not zero."""
    values = np.zeros(shape, dtype)
    values.flat[: round(share * values.size)] = 1 + np.arange(round(share * 200))
    return values


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.395, 0.4, 0.7, 1.0])
def test_density_decides(share, dtype):
    X = filled(share, dtype=dtype)
    rows = Rows(X)
    assert rows.is_sparse == (share < SPARSE_BELOW)
    assert rows.is_sparse != dense_is_faster(np.count_nonzero(X), X.size)
    assert rows.dtype == dtype and rows.shape == (20, 10)
    stored = rows.matrix.toarray() if rows.is_sparse else rows.matrix
    assert np.array_equal(stored, X)


def test_what_is_given_is_read_in_place():
    X = filled(1.0)
    assert Rows(X).matrix is X
    assert Rows(np.asfortranarray(X)).matrix.flags.f_contiguous
    sparse = sp.csr_array(filled(0.9))  # a user's CSR matrix stays one
    assert Rows(sparse).matrix is sparse


def test_contiguous_and_bytes():
    X = filled(1.0)
    assert Rows(X).is_contiguous and Rows(X).nbytes == X.nbytes
    assert not Rows(np.asfortranarray(X)).is_contiguous
    sparse = Rows(filled(0.1))
    assert not sparse.is_contiguous
    assert sparse.nbytes == 20 * (8 + 4) + 21 * 4


def test_repeated_indices_are_added_up():
    X = sp.csr_array((np.ones(4), [0, 0, 2, 1], [0, 3, 4]), shape=(2, 3))
    rows = Rows(X)
    assert rows.core.canonical
    assert np.array_equal(rows.matrix.toarray(), [[2, 0, 1], [0, 1, 0]])
    assert X.nnz == 4  # the user's matrix is as it was


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_what_is_known_of_rows(layout):
    X = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, -1.0]])
    rows = Rows(layout(X))
    assert rows.squared_norms().tolist() == [25, 0, 2]
    assert rows.squared_norms(slice(None, None, 2)).tolist() == [25, 2]
    assert rows.empty.tolist() == [False, True, False]
    assert not Rows(layout(X), bias=2.0).empty.any()
    assert (rows.core.features, Rows(layout(X), bias=2.0).core.features) == (2, 3)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sparse_copy_is_that_of_scipy(order, dtype):
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (5, 0), (7, 40), (60, 3)):
        X = rng.normal(size=shape) * (rng.random(shape) < 0.3)
        X = np.asarray(X, dtype=dtype, order=order)
        X[X > 1] = np.nan
        for array in (X, X[::2], X[:, ::3]):
            ours, scipys = sparse_copy(array), sp.csr_array(array)
            for name in ("data", "indices", "indptr"):
                mine, theirs = getattr(ours, name), getattr(scipys, name)
                np.testing.assert_array_equal(mine, theirs)
                assert mine.dtype == theirs.dtype
