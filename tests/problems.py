"""Small problems, and the primal and dual objectives of DESIGN.md in plain NumPy."""

import numpy as np
import scipy.sparse as sp

MACHINES = ("cs", "ww")
LOSSES = ("hinge", "squared_hinge")
PAIRS = [(machine, loss) for machine in MACHINES for loss in LOSSES]


def make_problem(n=40, d=6, k=3, seed=0, noise=0.1, scale=1.0):
    """Rows around `k` centres, a share of `noise` of them with a random label."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    X = (rng.normal(size=(k, d))[y] + rng.normal(size=(n, d))) * scale
    flipped = rng.random(n) < noise
    flipped[:k] = False  # every class keeps a row
    y[flipped] = rng.integers(k, size=flipped.sum())
    return X, y


def make_sparse_problem(n, d, k, seed=0, nonzeros=10, dtype=np.float64):
    """CSR rows of text-like data: a few features of the class, the others random."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    own = rng.integers(d, size=(k, nonzeros))[y]
    noise = rng.integers(d, size=(n, nonzeros))
    indices = np.where(rng.random((n, nonzeros)) < 0.5, own, noise)
    values = rng.random((n, nonzeros)) + 0.1
    X = sp.csr_array(
        (values.ravel(), indices.ravel(), np.arange(n + 1) * nonzeros), shape=(n, d)
    )
    X.sum_duplicates()
    X = X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))[:, None]).tocsr()
    return sp.csr_array(X.astype(dtype)), y


def augmented(model, X):
    """X with the constant feature, dense and in double precision."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    X = X.astype(np.float64)
    if model.fit_intercept:
        X = np.column_stack([X, np.full(len(X), model.intercept_scaling)])
    return X


def class_weights(model):
    """The weights of all classes, one row each, the constant feature last."""
    W = model.coef_
    if model.fit_intercept:
        W = np.column_stack([W, model.intercept_ / model.intercept_scaling])
    if len(model.classes_) == 2:
        W = np.vstack([-W[0] / 2, W[0] / 2])
    return W.astype(np.float64)


def slacks(scores, labels):
    """h_m = 1 + s_m - s_y, and zero at the label."""
    rows = np.arange(len(labels))
    h = 1 + scores - scores[rows, labels][:, None]
    h[rows, labels] = 0
    return h


def losses(machine, loss, h):
    """loss_i of every row, from its slacks."""
    power = 2 if loss == "squared_hinge" else 1
    positive = np.maximum(h, 0) ** power
    return positive.max(axis=1) if machine == "cs" else positive.sum(axis=1)


def primal_objective(model, X, y, caps):
    labels = np.searchsorted(model.classes_, y)
    W = class_weights(model)
    h = slacks(augmented(model, X) @ W.T, labels)
    return np.sum(W**2) / 2 + np.sum(caps * losses(model.machine, model.loss, h))


def dual_block(model, y):
    """u_m >= 0 for the wrong classes, from `dual_coef_`: b_m = -u_m."""
    labels = np.searchsorted(model.classes_, y)
    u = -model.dual_coef_.toarray().astype(np.float64)
    u[np.arange(len(labels)), labels] = 0
    return u


def dual_objective(model, X, y, caps):
    """Of `dual_coef_`; rows without features are worth their constant loss."""
    u, features = dual_block(model, y), augmented(model, X)
    W = model.dual_coef_.toarray().T.astype(np.float64) @ features
    terms = u.sum(axis=1)
    if model.loss == "squared_hinge":
        square = u.sum(axis=1) ** 2 if model.machine == "cs" else (u**2).sum(axis=1)
        terms = terms - np.divide(
            square, 4 * caps, out=np.zeros_like(square), where=caps > 0
        )
    empty = ~features.any(axis=1)
    constant = 1 if model.machine == "cs" else len(model.classes_) - 1
    terms[empty] = caps[empty] * constant
    return terms.sum() - np.sum(W**2) / 2


def violations(model, X, y, caps):
    """How much each row violates the optimality conditions (000, (6) and (18))."""
    labels = np.searchsorted(model.classes_, y)
    h = slacks(augmented(model, X) @ class_weights(model).T, labels)
    u = dual_block(model, y)
    wrong = np.arange(h.shape[1])[None, :] != labels[:, None]
    if (model.machine, model.loss) == ("cs", "hinge"):
        inside = u.sum(axis=1) < caps * (1 - 1e-9)
        lowest = np.where(u > 0, h, np.inf).min(axis=1)
        lowest = np.where(inside, np.minimum(lowest, 0), lowest)
        return np.maximum(h.max(axis=1), 0) - lowest
    upper = caps[:, None] * (1 - 1e-9)
    if model.loss == "squared_hinge":
        moved = u.sum(axis=1, keepdims=True) if model.machine == "cs" else u
        h = h - moved / (2 * caps[:, None])
        upper = np.inf
    inward = np.where(u > 0, h, np.maximum(h, 0))
    inward = np.where(u < upper, inward, np.minimum(inward, 0))
    return np.abs(np.where(wrong, inward, 0)).max(axis=1)
