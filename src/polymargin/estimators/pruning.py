"""Linear models with fewer weights than they were trained with."""

from copy import copy
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted, validate_data

from ..access.csr import check_compressed
from ..base.annotations import Estimator, Rows
from ..prediction.linear_model import NumberOfParameters
from .linear_training import LinearTraining


def prune(model: Estimator, X: Rows, *, share: float | None = None) -> Any:
    """Return a copy of a linear model without the weights that matter least.

    The weights that matter least go first: those with the smallest absolute value times
    the root mean square of their feature. The copy has a sparse `coef_`. It has no
    certificate, since it is no optimum, and no coefficients of the training rows.

    Parameters
    ----------
    model : LinearSVM or MaxEnt
        Fitted.

    X : array-like or CSR matrix of shape (n_samples, n_features)
        Rows on which predictions are compared, such as those of the training.

    share : float or None, default=None
        The share of the weights to drop, from 0 to 1. None drops as many as it can
        without changing a prediction on `X`.

    Returns
    -------
    model : LinearSVM or MaxEnt

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from polymargin import LinearSVM, prune
    >>> X, y = load_digits(return_X_y=True)
    >>> model = LinearSVM(C=1e-4, random_state=0).fit(X, y)
    >>> small = prune(model, X)
    >>> bool((small.predict(X) == model.predict(X)).all())
    True
    >>> small.n_parameters_.kept < model.n_parameters_.kept
    True
    """
    if not isinstance(model, LinearTraining):
        raise TypeError(
            f"{type(model).__name__} has no weights of features; give a fitted "
            f"LinearSVM or MaxEnt, such as the last step of a pipeline, with the rows "
            f"that it gets there."
        )
    check_is_fitted(model, "coef_")
    if share is not None and not (isinstance(share, Real) and 0 <= share <= 1):
        raise ValueError(f"share={share!r} is not a number from 0 to 1, or None.")
    coef = check_compressed(model.coef_, "coef_")
    coef = coef.toarray() if sp.issparse(coef) else np.asarray(coef)
    matters = np.abs(coef) * _root_mean_square(model, X)
    ranks = np.sort(matters[coef != 0])

    def without(count: int) -> Any:
        """A copy without the `count` weights that matter least; ties stay."""
        least = ranks[count] if count < len(ranks) else np.inf
        return _with_coef(model, np.where(matters >= least, coef, 0))

    if share is not None:
        zeros = coef.size - len(ranks)
        return without(max(round(share * coef.size) - zeros, 0))
    before = model.predict(X)
    fits, fails = 0, len(ranks) + 1  # how many can be dropped, and how many cannot
    while fails - fits > 1:
        middle = (fits + fails) // 2
        same = np.array_equal(without(middle).predict(X), before)
        fits, fails = (middle, fails) if same else (fits, middle)
    return without(fits)


def _root_mean_square(model: Estimator, X: Rows) -> np.ndarray:
    X = validate_data(model, check_compressed(X), accept_sparse="csr", reset=False)
    squares = X.multiply(X) if sp.issparse(X) else X.astype(np.float64) ** 2
    return np.sqrt(np.asarray(squares.mean(axis=0))).ravel()


def _with_coef(model: Estimator, coef: np.ndarray) -> Any:
    pruned = copy(model)
    pruned._forget_rows()
    pruned.coef_ = sp.csr_matrix(coef)
    full = model.n_parameters_.full
    pruned.n_parameters_ = NumberOfParameters(pruned.coef_.nnz, full)
    return pruned
