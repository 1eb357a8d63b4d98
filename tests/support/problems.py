"""Small problems, and the primal and dual objectives of all machines in plain NumPy.

Machines are stated by their axes, as the registry has them; what the axes mean is
written down here once more. That they are those of the machine's loss is for
`test_losses.py` to prove.
"""

from itertools import combinations, cycle, product
from random import Random

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from scipy.special import expit, logsumexp, softmax, xlogy

from polymargin import LinearSVM, MaxEnt
from polymargin.machine import registry
from polymargin.machine.registry import FORMULATIONS, names_of

LOSSES = ("hinge", "squared_hinge")
BINARY_LOSSES = (*LOSSES, "logistic")
# Of these a row has one block, which is a quadratic programme.
MACHINES = names_of(lambda row: "hinge" in row.losses and not row.by_pairs)
QUADRATIC_PAIRS = [
    (machine, loss)
    for machine in MACHINES
    for loss in LOSSES
    if loss in FORMULATIONS[machine].losses
]
ENTROPY_PAIRS = [("ovr", "logistic"), ("maxent", "log")]
# Of these a row has one block, solved by one driver.
PAIRS = QUADRATIC_PAIRS + ENTROPY_PAIRS
OVO_PAIRS = [("ovo", loss) for loss in BINARY_LOSSES]
ALL_PAIRS = PAIRS + OVO_PAIRS
assert set(ALL_PAIRS) == set(registry.MACHINES)
# Every machine and every loss, for what does not depend on how they are combined.
SOME_PAIRS = [
    (machine, FORMULATIONS[machine].losses[:2][-(number % 2)])
    for number, machine in enumerate(MACHINES)
]
SOME_PAIRS += [*ENTROPY_PAIRS, ("ovo", "hinge")]
# Machines of binary problems that do not meet, and losses whose dual has an entropy.
BINARY = names_of(lambda row: not row.columns_per_class)
SUM_TO_ZERO = names_of(lambda row: row.sums_to_zero)
ENTROPY = ("logistic", "log")


def uses_maximum(machine):
    """Whether the loss is that of the worst class."""
    return FORMULATIONS[machine].aggregation == "max"


def rotated(pairs, *axes, times=1):
    """Pairs with values of other axes in turns, instead of each pair with all of them.

    Every pair and every value occurs. The turns are shuffled, always in the same way,
    so that no value goes with every second machine.
    """
    values = list(product(*axes))
    Random(0).shuffle(values)
    turns = cycle(values)
    return [(*pair, *next(turns)) for pair in pairs for _ in range(times)]


def few_classes(machine, k):
    """One-vs-one has too many problems with 70 classes."""
    return min(k, 9) if machine == "ovo" else k


def with_classes(*counts, pairs=ALL_PAIRS):
    """Pairs with numbers of classes."""
    return [
        (machine, loss, few_classes(machine, k))
        for machine, loss in pairs
        for k in counts
    ]


def make_model(machine, loss, **parameters):
    """The estimator of a machine. `MaxEnt` has no shrinking to choose."""
    if machine == "maxent":
        for name in ("shrinking", "cooling"):
            parameters.pop(name, None)
        return MaxEnt(**parameters)
    return LinearSVM(machine, loss=loss, **parameters)


def pair_of(model):
    """The machine and the loss of an estimator: the inverse of `make_model`."""
    if isinstance(model, MaxEnt):
        return "maxent", "log"
    return model.machine, model.loss


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


def draw_softmax(n, d, k, seed=0):
    """Rows, labels drawn from a softmax of linear scores, and its probabilities."""
    rng = np.random.default_rng(seed)
    X, W = rng.normal(size=(n, d)), rng.normal(size=(k, d))
    powers = np.exp(X @ W.T)
    p = powers / powers.sum(axis=1, keepdims=True)
    y = (p.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return X, y, p


def augmented(model, X):
    """X with the constant feature, dense and in double precision."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    X = X.astype(np.float64)
    if model.fit_intercept:
        X = np.column_stack([X, np.full(len(X), model.intercept_scaling)])
    return X


def class_weights(model):
    """The weights of all blocks, one row each, the constant feature last.

    One row per class, but one row in all for one-vs-rest with two classes, and one per
    pair of classes for one-vs-one.
    """
    W = model.coef_
    if model.fit_intercept:
        W = np.column_stack([W, model.intercept_ / model.intercept_scaling])
    if len(model.classes_) == 2 and pair_of(model)[0] not in BINARY:
        W = np.vstack([-W[0] / 2, W[0] / 2])
    return W.astype(np.float64)


def n_columns(machine, k):
    """The length of a block: one-vs-rest with two classes is one binary problem."""
    if machine == "ovo":
        return k * (k - 1) // 2
    return 1 if machine == "ovr" and k == 2 else k


def class_pairs(k):
    """The pairs of classes of one-vs-one, in the order of its columns."""
    return list(combinations(range(k), 2))


def is_own(labels, columns):
    """Which columns are the label's; a single column is that of the second class."""
    classes = np.arange(columns) if columns > 1 else np.ones(1)
    return classes[None, :] == labels[:, None]


def sides(machine, labels, columns):
    """Y: 1, -1, or 0 where a row has no part in a problem of one-vs-one.

    The second class of a pair is the positive one.
    """
    if machine != "ovo":
        return np.where(is_own(labels, columns), 1, -1)
    k = next(k for k in range(2, columns + 2) if n_columns("ovo", k) == columns)
    first, second = np.transpose(class_pairs(k))
    return 1 * (labels[:, None] == second) - (labels[:, None] == first)


def has_variable(machine, labels, columns):
    """Which entries of the blocks are dual variables."""
    variables, Y = FORMULATIONS[machine].variables, sides(machine, labels, columns)
    return {"all": Y != 0, "others": Y < 0, "label": Y > 0}[variables]


def targets(machine, loss, labels, columns):
    """t, the margins of all variables; zero where there is none."""
    row = FORMULATIONS[machine]
    if loss in ENTROPY:
        return np.zeros((len(labels), columns))
    own = sides(machine, labels, columns) > 0
    t = np.where(own, row.label_target(columns), row.other_target(columns))
    return np.where(has_variable(machine, labels, columns), t, 0.0)


def as_hard(machine, loss, k, C):
    """C over its margin, so that llw with many classes is no harder than the others.

    With W / (k - 1), the hinge of llw with C / (k - 1) has a margin of one and C.
    """
    return C * FORMULATIONS[machine].other_target(k) if loss == "hinge" else C


def slacks(machine, loss, scores, labels):
    """h_m, how far class m is inside the margin, and zero where nothing is measured."""
    rows, columns = np.arange(len(labels)), scores.shape[1]
    h = targets(machine, loss, labels, columns)
    if FORMULATIONS[machine].margin == "relative":
        h += scores - scores[rows, labels][:, None]
    else:
        h -= sides(machine, labels, columns) * scores
    return np.where(has_variable(machine, labels, columns), h, 0.0)


def losses(machine, loss, h, labels):
    """loss_i of every row, from its slacks."""
    if loss == "log":
        return logsumexp(h, axis=1)
    if loss == "logistic":
        each = np.logaddexp(0, h)
    else:
        each = np.maximum(h, 0) ** (2 if loss == "squared_hinge" else 1)
    each = np.where(has_variable(machine, labels, h.shape[1]), each, 0)
    return each.max(axis=1) if uses_maximum(machine) else each.sum(axis=1)


def loss_at_zero(machine, loss, k):
    """loss_i of a row without features."""
    zero, label = np.zeros((1, n_columns(machine, k))), np.zeros(1, dtype=int)
    return losses(machine, loss, slacks(machine, loss, zero, label), label)[0]


def shares(u, loss_weights):
    """u / C_i, and zero where C_i is."""
    loss_weights = np.broadcast_to(loss_weights[:, None], u.shape)
    return np.divide(u, loss_weights, out=np.zeros_like(u), where=loss_weights > 0)


def penalties(machine, loss, u, loss_weights):
    """What squared hinge and entropy take from the dual, by rows."""
    if loss == "hinge":
        return np.zeros(len(u))
    if loss == "squared_hinge":
        square = u.sum(axis=1) ** 2 if uses_maximum(machine) else (u**2).sum(axis=1)
        return np.divide(
            square, 4 * loss_weights, out=np.zeros_like(square), where=loss_weights > 0
        )
    p = shares(u, loss_weights)
    rest = np.maximum(1 - (p.sum(axis=1, keepdims=True) if loss == "log" else p), 0)
    return loss_weights * (xlogy(p, p).sum(axis=1) + xlogy(rest, rest).sum(axis=1))


def scores_of(model, X):
    return augmented(model, X) @ class_weights(model).T


def primal_objective(model, X, y, loss_weights, W=None):
    """Of the model, or of other weights, as `class_weights` has them."""
    W = class_weights(model) if W is None else W
    pair, labels = pair_of(model), np.searchsorted(model.classes_, y)
    h = slacks(*pair, augmented(model, X) @ W.T, labels)
    return np.sum(W**2) / 2 + np.sum(loss_weights * losses(*pair, h, labels))


def coefficients_of_blocks(machine, u, labels):
    """b = E^T u: of relative margins -u_m, and sum u for the label; of absolute ones
    Y_m u_m, less their mean if weights sum to zero.
    """
    row, columns = FORMULATIONS[machine], u.shape[1]
    if row.margin == "relative":
        return np.where(is_own(labels, columns), u.sum(axis=1, keepdims=True), -u)
    b = sides(machine, labels, columns) * u
    return b - b.mean(axis=1, keepdims=True) if row.sums_to_zero else b


def dual_block(model, y):
    """The dual variables u_m >= 0, from the coefficients b in `dual_coef_`.

    What centring has taken from all classes is known where one has no variable; if all
    have one, the model keeps it. What maxent's u leaves of C_i is the label's.
    """
    machine, labels = pair_of(model)[0], np.searchsorted(model.classes_, y)
    row, b = FORMULATIONS[machine], model.dual_coef_.toarray().astype(np.float64)
    Y, variable = (f(machine, labels, b.shape[1]) for f in (sides, has_variable))
    if row.margin == "relative":
        return np.where(variable, -b, 0)
    if row.sums_to_zero and row.variables == "all":
        b = b + model._fitted.lost_means[:, None]
    elif row.sums_to_zero:
        b = b - b[np.arange(len(b)), variable.argmin(axis=1)][:, None]
    return np.where(variable, Y * b, 0)


def is_bounded(model):
    """Whether C_i bounds the dual variables."""
    return pair_of(model)[1] != "squared_hinge"


def bounded_by_loss_weight(model, u):
    """What is at most C_i in a bounded machine, by rows."""
    machine, loss = pair_of(model)
    return u.sum(axis=1) if uses_maximum(machine) or loss == "log" else u.max(axis=1)


def dual_objective(model, X, y, loss_weights, kept=1):
    """Of `dual_coef_`; rows without features are worth their constant loss."""
    u, features = dual_block(model, y), augmented(model, X)
    pair, k = pair_of(model), len(model.classes_)
    W = kept * (model.dual_coef_.toarray().T.astype(np.float64) @ features)
    t = targets(*pair, np.searchsorted(model.classes_, y), u.shape[1])
    terms = (t * u).sum(axis=1) - penalties(*pair, u, loss_weights)
    empty = ~features.any(axis=1)
    terms[empty] = loss_weights[empty] * loss_at_zero(*pair, k)
    return terms.sum() - np.sum(W**2) / 2


def violations(model, X, y, loss_weights):
    """How much each row violates the optimality conditions (000, (6) and (18)).

    With an entropy, how far the shares of C_i are from the probabilities they stand
    for (003).
    """
    (machine, loss), labels = pair_of(model), np.searchsorted(model.classes_, y)
    h = slacks(machine, loss, scores_of(model, X), labels)
    u = dual_block(model, y)
    variable = has_variable(machine, labels, u.shape[1])
    if loss in ENTROPY:
        p = softmax(h, axis=1) if loss == "log" else np.where(variable, expit(h), 0)
        difference = shares(u, loss_weights) - p
        if loss == "log":  # the label has what the others leave
            difference[~variable] = -np.where(variable, difference, 0).sum(axis=1)
        return np.abs(difference).max(axis=1)
    if uses_maximum(machine) and loss == "hinge":
        inside = u.sum(axis=1) < loss_weights * (1 - 1e-9)
        lowest = np.where(u > 0, h, np.inf).min(axis=1)
        lowest = np.where(inside, np.minimum(lowest, 0), lowest)
        return np.maximum(np.where(variable, h, 0).max(axis=1), 0) - lowest
    upper = loss_weights[:, None] * (1 - 1e-9)
    if loss == "squared_hinge":
        moved = u.sum(axis=1, keepdims=True) if uses_maximum(machine) else u
        h = h - moved / (2 * loss_weights[:, None])
        upper = np.inf
    inward = np.where(u > 0, h, np.maximum(h, 0))
    inward = np.where(u < upper, inward, np.minimum(inward, 0))
    return np.abs(np.where(variable, inward, 0)).max(axis=1)


def assert_same_training(one, other) -> None:
    """Two fits took the same steps, to the last bit."""
    assert_array_equal(one.coef_, other.coef_)
    assert_array_equal(one.intercept_, other.intercept_)
    assert_array_equal(one.dual_coef_.toarray(), other.dual_coef_.toarray())
    for name in ("objective", "dual_objective", "violation", "visits", "moves"):
        assert_array_equal(one.history_[name], other.history_[name])
