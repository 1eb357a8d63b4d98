"""Small problems, and the primal and dual objectives of DESIGN.md in plain NumPy."""

import numpy as np
import scipy.sparse as sp

MACHINES = ("cs", "ww", "llw", "ovr")
LOSSES = ("hinge", "squared_hinge")
PAIRS = [(machine, loss) for machine in MACHINES for loss in LOSSES]
# Every machine and every loss, for what does not depend on how they are combined.
SOME_PAIRS = [
    ("cs", "hinge"),
    ("ww", "squared_hinge"),
    ("llw", "hinge"),
    ("ovr", "squared_hinge"),
]


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
    """The weights of all blocks, one row each, the constant feature last.

    One row per class, but one row in all for one-vs-rest with two classes.
    """
    W = model.coef_
    if model.fit_intercept:
        W = np.column_stack([W, model.intercept_ / model.intercept_scaling])
    if len(model.classes_) == 2 and model.machine != "ovr":
        W = np.vstack([-W[0] / 2, W[0] / 2])
    return W.astype(np.float64)


def n_columns(machine, k):
    """The length of a block: one-vs-rest with two classes is one binary problem."""
    return 1 if machine == "ovr" and k == 2 else k


def is_own(labels, columns):
    """Which columns are the label's; a single column is that of the second class."""
    classes = np.arange(columns) if columns > 1 else np.ones(1)
    return classes[None, :] == labels[:, None]


def has_variable(machine, labels, columns):
    """Which entries of the blocks are dual variables."""
    own = is_own(labels, columns)
    return np.ones_like(own) if machine == "ovr" else ~own


def unit(machine, k):
    """The margin."""
    return 1 / (k - 1) if machine == "llw" else 1


def as_hard(machine, loss, k, C):
    """C over its margin, so that llw with many classes is no harder than the others.

    With W / (k - 1), the hinge of llw with C / (k - 1) has a margin of one and C.
    """
    return C * unit(machine, k) if loss == "hinge" else C


def slacks(machine, scores, labels):
    """h_m, how far class m is inside the margin, and zero where nothing is measured."""
    rows, columns = np.arange(len(labels)), scores.shape[1]
    if machine == "ovr":
        return 1 - np.where(is_own(labels, columns), scores, -scores)
    h = scores + unit(machine, columns)
    if machine != "llw":
        h -= scores[rows, labels][:, None]
    h[rows, labels] = 0
    return h


def losses(machine, loss, h):
    """loss_i of every row, from its slacks."""
    power = 2 if loss == "squared_hinge" else 1
    positive = np.maximum(h, 0) ** power
    return positive.max(axis=1) if machine == "cs" else positive.sum(axis=1)


def loss_at_zero(machine, loss, k):
    """loss_i of a row without features."""
    zero = np.zeros((1, n_columns(machine, k)))
    return losses(machine, loss, slacks(machine, zero, np.zeros(1, dtype=int)))[0]


def penalties(machine, loss, u, caps):
    """What the squared hinge takes from the dual, by rows."""
    if loss == "hinge":
        return np.zeros(len(u))
    square = u.sum(axis=1) ** 2 if machine == "cs" else (u**2).sum(axis=1)
    return np.divide(square, 4 * caps, out=np.zeros_like(square), where=caps > 0)


def scores_of(model, X):
    return augmented(model, X) @ class_weights(model).T


def primal_objective(model, X, y, caps):
    labels = np.searchsorted(model.classes_, y)
    h = slacks(model.machine, scores_of(model, X), labels)
    loss = np.sum(caps * losses(model.machine, model.loss, h))
    return np.sum(class_weights(model) ** 2) / 2 + loss


def dual_block(model, y):
    """The dual variables u_m >= 0, from the coefficients b in `dual_coef_`.

    cs, ww: b_m = -u_m; llw: b_m = mean(u) - u_m; all with u_y = 0. ovr: b_m = Y_m u_m.
    """
    labels = np.searchsorted(model.classes_, y)
    b = model.dual_coef_.toarray().astype(np.float64)
    if model.machine == "ovr":
        return np.where(is_own(labels, b.shape[1]), b, -b)
    at_label = b[np.arange(len(labels)), labels][:, None]
    u = (at_label if model.machine == "llw" else 0) - b
    u[np.arange(len(labels)), labels] = 0
    return u


def bounded_by_cap(model, u):
    """What is at most C_i with the hinge loss, by rows."""
    return u.sum(axis=1) if model.machine == "cs" else u.max(axis=1)


def dual_objective(model, X, y, caps):
    """Of `dual_coef_`; rows without features are worth their constant loss."""
    u, features = dual_block(model, y), augmented(model, X)
    k = len(model.classes_)
    W = model.dual_coef_.toarray().T.astype(np.float64) @ features
    terms = unit(model.machine, k) * u.sum(axis=1)
    terms = terms - penalties(model.machine, model.loss, u, caps)
    empty = ~features.any(axis=1)
    terms[empty] = caps[empty] * loss_at_zero(model.machine, model.loss, k)
    return terms.sum() - np.sum(W**2) / 2


def violations(model, X, y, caps):
    """How much each row violates the optimality conditions (000, (6) and (18))."""
    labels = np.searchsorted(model.classes_, y)
    h = slacks(model.machine, scores_of(model, X), labels)
    u = dual_block(model, y)
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
    variable = has_variable(model.machine, labels, u.shape[1])
    return np.abs(np.where(variable, inward, 0)).max(axis=1)
