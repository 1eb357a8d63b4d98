"""A linear model as users see it, and as drivers have it.

Drivers have W of shape (features, columns), the constant feature last. Users have a row
of `coef_` for each column, the constant feature apart, and with two classes only the
difference of the second and the first.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..base.finite import all_finite


class NumberOfParameters(NamedTuple):
    """How many weights a model has, without intercepts, and on all features."""

    kept: int
    full: int


def attributes_of_weights(
    weights, bias: float, halve: bool = True, count_zeros_out: bool = False
) -> dict:
    """Return the attributes of a model that W makes.

    Parameters
    ----------
    weights : ndarray, CSR or CSC matrix of shape (features, columns)
        Sparse if some weights are left out.
    bias : float
        Value of the constant feature; zero if there is none.
    halve : bool
        Whether of two columns only the difference is a model.
    count_zeros_out : bool
        Whether weights of zero are no parameters, because a penalty made them zero.
    """
    if not all_finite(weights):
        raise ValueError(
            f"The weights are not finite in {weights.dtype}; scale X, choose a smaller "
            f"C, or give X as float64."
        )
    features = weights.shape[0] - (bias != 0)
    intercept = np.zeros(weights.shape[1], dtype=weights.dtype)
    if bias:
        constant = weights[[-1]]
        constant = constant.toarray() if sp.issparse(constant) else constant
        intercept = constant[0] * weights.dtype.type(bias)
    coef = weights[:features].T
    full = n_parameters = coef.shape[0] * coef.shape[1]
    if count_zeros_out:
        n_parameters = int(np.count_nonzero(coef))
    if sp.issparse(coef):
        # Also the weights that happen to be zero are there.
        n_parameters = coef.nnz
        coef = sp.csr_matrix(coef)  # what `sparsify` makes of a dense one
    if halve and weights.shape[1] == 2:
        coef, intercept = coef[[1]] - coef[[0]], np.diff(intercept)
    return {
        "coef_": coef,
        "intercept_": intercept,
        "n_parameters_": NumberOfParameters(n_parameters, full),
    }


def weights_of_attributes(coef, intercept, bias: float, halved: bool) -> np.ndarray:
    """Return W of a model: the inverse of `attributes_of_weights`.

    Parameters
    ----------
    coef, intercept : ndarray or sparse matrix, ndarray
    bias : float
    halved : bool
        Whether the one row of `coef` is the difference of two columns.
    """
    if sp.issparse(coef):  # after a fit on reduced features, or `sparsify`
        coef = coef.toarray()
    if halved:
        coef = np.vstack([-coef / 2, coef / 2])
        intercept = np.concatenate([-intercept / 2, intercept / 2])
    return np.vstack([coef.T, intercept[None, :] / bias] if bias else [coef.T])
