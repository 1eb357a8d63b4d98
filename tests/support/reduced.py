"""Problems for reduced features, and which pairs and weights they have."""

import numpy as np
import scipy.sparse as sp
from problems import (
    PAIRS,
    augmented,
    is_own,
    make_model,
    make_sparse_problem,
    n_columns,
    pair_of,
)

from polymargin.machine.registry import FORMULATIONS

# Where weights sum to zero over the classes, none can be left out.
REDUCIBLE = [pair for pair in PAIRS if FORMULATIONS[pair[0]].reduced]


def separate_problem(n=60, d=60, k=4, seed=0, dtype=np.float64):
    """Sparse rows, some with another label; about half of the pairs do not occur."""
    X, y = make_sparse_problem(n, d, k, seed=seed, nonzeros=5, dtype=dtype)
    noisy = np.arange(k, n, 4)
    y[noisy] = np.random.default_rng(seed + 1).integers(k, size=len(noisy))
    return X, y


def fit_reduced(machine, loss, X, y, sample_weight=None, **parameters):
    parameters = {"tol": 1e-8, "max_iter": 100_000, "random_state": 0} | parameters
    model = make_model(machine, loss, features="reduced", **parameters)
    return model.fit(X, y, sample_weight=sample_weight)


def occurring(model, X, y, loss_weights):
    """Which pairs of a column of the blocks and a feature have a weight (003, (4.4)).

    One-vs-rest with two classes has one column, for the second class.
    """
    labels = np.searchsorted(model.classes_, y)
    columns = n_columns(pair_of(model)[0], len(model.classes_))
    own = is_own(labels, columns) & (loss_weights > 0)[:, None]
    return own.T.astype(int) @ (augmented(model, X) != 0) > 0


def reduced_weights(model, X, y, loss_weights):
    """W from the dual variables, where a pair occurs; the constant feature last."""
    b = model.dual_coef_.toarray().astype(np.float64)
    return occurring(model, X, y, loss_weights) * (b.T @ augmented(model, X))


def model_weights(model):
    """`coef_` and `intercept_` side by side."""
    coef = model.coef_.toarray() if sp.issparse(model.coef_) else model.coef_
    if not model.fit_intercept:
        return coef.astype(np.float64)
    constant = model.intercept_ / model.intercept_scaling
    return np.column_stack([coef, constant]).astype(np.float64)


def shown(W):
    """What `coef_` shows of W: with two columns their difference."""
    return W[[1]] - W[[0]] if len(W) == 2 else W
