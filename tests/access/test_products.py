"""The products of all rows with a few vectors, against NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from polymargin._core import core
from polymargin.access.rows import Rows

LAYOUTS = [np.ascontiguousarray, np.asfortranarray, sp.csr_array]


def make(dtype, layout, bias, k, n=600, d=30):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    X[5] = 0
    V = rng.normal(size=(d + (bias != 0), k)).astype(dtype)
    D = (rng.normal(size=(n, k)) * (rng.random((n, 1)) < 0.7)).astype(dtype)
    full = np.column_stack([X, np.full(n, bias)]) if bias else X
    return Rows(layout(X.astype(dtype)), bias).core, full, V, D


@pytest.mark.parametrize("k", [1, 7, 40])
@pytest.mark.parametrize("bias", [0.0, 2.0])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products(dtype, layout, bias, k):
    rows, X, V, D = make(dtype, layout, bias, k)
    found = (
        core.products(rows, V, 1),
        core.transposed_products(rows, D, 1),
        core.curvature_products(rows, V, D, 1),
    )
    expected = X @ V, X.T @ D, X.T @ (D * (X @ V))
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == dtype
        assert_allclose(a, b, rtol=0, atol=100 * np.finfo(dtype).eps * np.abs(b).max())
    for threads in (2, 3):
        assert_array_equal(core.products(rows, V, threads), found[0])
        assert_array_equal(core.transposed_products(rows, D, threads), found[1])
        assert_array_equal(core.curvature_products(rows, V, D, threads), found[2])


def test_wrong_shapes():
    rows, _, V, D = make(np.float64, np.ascontiguousarray, 1.0, 3)
    with pytest.raises(ValueError, match="one row per feature"):
        core.products(rows, V[1:], 1)
    with pytest.raises(ValueError, match="one row per row of X"):
        core.transposed_products(rows, D[1:], 1)
    with pytest.raises(ValueError, match="as wide as V"):
        core.curvature_products(rows, V, np.ascontiguousarray(D[:, 1:]), 1)
    with pytest.raises(ValueError, match="one row per feature"):
        core.products(rows, np.empty((31, 0)), 1)
