"""Some of the rows, without a copy: what they are, and numbers that are refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from polymargin._core import core
from polymargin.access.rows import Rows


@pytest.mark.parametrize("bias", [0.0, 2.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "layout", [np.ascontiguousarray, np.asfortranarray, sp.csr_array]
)
def test_subset_has_the_chosen_rows(layout, dtype, bias):
    """In their order, repeated ones too; and it keeps the memory alive."""
    X = np.random.default_rng(0).normal(size=(30, 4)).astype(dtype)
    chosen = np.array([7, 0, 29, 7, 3])
    subset = Rows(layout(X), bias).core.subset(chosen)
    assert (subset.size, subset.features) == (5, 4 + (bias > 0))
    expected = X[chosen]
    if bias:
        expected = np.column_stack([expected, np.full(5, bias, dtype=dtype)])
    V = np.eye(subset.features, dtype=dtype)
    assert_array_equal(core.products(subset, V, 1), expected)
    again = subset.subset(np.array([4, 1]))
    assert_array_equal(core.products(again, V, 1), expected[[4, 1]])


@pytest.mark.parametrize("index", [-1, 30, 2**32, -(2**63)])
def test_subset_refuses_rows_that_are_not_there(index):
    rows = Rows(np.ones((30, 4))).core
    message = rf"indices\[1\] is {index}; give row numbers from 0 to 29"
    with pytest.raises(IndexError, match=message):
        rows.subset(np.array([0, index]))
    with pytest.raises(IndexError, match=r"from 0 to 1"):
        rows.subset(np.array([0, 5])).subset(np.array([0, 2]))


def test_subset_refuses_what_is_no_row_number():
    for indices in (np.array([0.5]), np.array([[0]]), np.array([True])):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            Rows(np.ones((30, 4))).core.subset(indices)
