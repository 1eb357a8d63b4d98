"""The primal problems for solvers that are not ours: as quadratic programmes for an
interior-point method, or as smooth functions for a quasi-Newton one.
"""

import clarabel
import numpy as np
import scipy.sparse as sp
from problems import (
    ENTROPY,
    class_pairs,
    has_variable,
    is_own,
    n_columns,
    targets,
    uses_maximum,
)
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from polymargin.machine.registry import FORMULATIONS


def solve_primal(machine, loss, features, labels, loss_weights, kept=None):
    """Return the optimal objective and the weights of the classes, one row each.

    One-vs-rest is a binary problem for each class, or for the second of two; one-vs-one
    one for each pair of classes, on their rows. `kept` tells which weights are free,
    like them one row each; the others are zero.
    """
    k = labels.max() + 1
    if kept is None:
        kept = np.ones((n_columns(machine, k), features.shape[1]), dtype=bool)
    if machine == "ovr":
        classes = range(k) if k > 2 else [1]
        return _solve_each(
            loss,
            features,
            loss_weights,
            [(labels >= 0, labels == m) for m in classes],
            kept,
        )
    if machine == "ovo":
        problems = [
            (np.isin(labels, pair), labels == pair[1]) for pair in class_pairs(k)
        ]
        return _solve_each(loss, features, loss_weights, problems, kept)
    if loss in ENTROPY:
        return _solve_entropy(features, labels, loss_weights, kept)
    return _solve_quadratic(machine, loss, features, labels, loss_weights, kept)


def kernel_optimum(machine, loss, gram, labels, loss_weights):
    """Return the optimal objective of a kernel machine, for a kernel matrix.

    It is the linear machine on rows whose products are the kernel.
    """
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-13 * values[-1]
    features = vectors[:, kept] * np.sqrt(values[kept])
    return solve_primal(machine, loss, features, labels, loss_weights)[0]


def _solve_each(loss, features, loss_weights, problems, kept):
    """Solve binary problems, each given by its rows and which of all are positive."""
    solved = []
    for (chosen, positive), row in zip(problems, kept, strict=True):
        data = features[chosen], positive[chosen], loss_weights[chosen], row[None, :]
        if loss in ENTROPY:
            solved.append(_solve_entropy(*data))
        else:
            solved.append(_solve_quadratic("ovr", loss, *data))
    return sum(best for best, _ in solved), np.vstack([w for _, w in solved])


def _solve_entropy(features, labels, loss_weights, kept):
    """1/2 |W|^2 + sum_i C_i (log sum_m exp(s_m) - s_y), where a single score is that of
    the second of two classes and the first has the score zero.
    """
    k = len(kept)
    own = is_own(labels, k) if k > 1 else np.column_stack([~labels, labels])
    hidden = own.shape[1] - k  # columns of a score of zero

    def value_and_gradient(w):
        s = np.pad(features @ _spread(w, kept).T, ((0, 0), (hidden, 0)))
        value = w @ w / 2 + loss_weights @ (logsumexp(s, axis=1) - s[own])
        slope = loss_weights[:, None] * (softmax(s, axis=1) - own)
        return value, w + (slope[:, hidden:].T @ features)[kept]

    start = np.zeros(kept.sum())
    settings = {"gtol": 0, "ftol": 0, "maxiter": 10_000, "maxfun": 100_000}
    found = minimize(
        value_and_gradient, start, jac=True, method="L-BFGS-B", options=settings
    )
    # The objective is strongly convex: it is at most |gradient|^2 / 2 above its best.
    value, gradient = value_and_gradient(found.x)
    assert gradient @ gradient / 2 <= 1e-10 * value
    return value, _spread(found.x, kept)


def _spread(w, kept):
    W = np.zeros(kept.shape)
    W[kept] = w
    return W


def _solve_quadratic(machine, loss, features, labels, loss_weights, kept):
    """The variables are the kept weights, class after class, then the slacks.

    There is one slack per row if the worst class counts, else one per dual variable.
    The constraints are form - slack <= -target and -slack <= 0, with the form s_m - s_y
    or -Y_m s_m: minus the coefficients of a unit of a dual variable, before they are
    centred. There may be another: the weights of each feature sum to zero.
    """
    d, k, n_weights = features.shape[1], len(kept), kept.sum()
    row, m, form = _unit_coefficients(machine, labels, k)
    form = sp.csr_array(-form)
    maximum = uses_maximum(machine)
    slack = row if maximum else np.arange(len(row))
    n_slacks = slack[-1] + 1
    weights = loss_weights if maximum else loss_weights[row]

    # Row r of the margins is the outer product of form_r and x_r.
    x = sp.csr_array(np.tile(features[row], k))
    margins = sp.kron(form, np.ones((1, d))).multiply(x).tocsc()[:, kept.ravel()]
    chosen = sp.csr_array(
        (np.ones(len(row)), (np.arange(len(row)), slack)), shape=(len(row), n_slacks)
    )
    positive = sp.hstack([sp.csc_array((n_slacks, n_weights)), -sp.eye_array(n_slacks)])
    constraints = [sp.hstack([margins, -chosen]), positive]
    bounds = [-targets(machine, loss, labels, k)[row, m], np.zeros(n_slacks)]
    cones = [clarabel.NonnegativeConeT(len(row) + n_slacks)]
    if FORMULATIONS[machine].sums_to_zero:
        sums = sp.kron(np.ones((1, k)), sp.eye_array(d)).tocsc()[:, kept.ravel()]
        constraints.append(sp.hstack([sums, sp.csc_array((d, n_slacks))]))
        bounds.append(np.zeros(d))
        cones.append(clarabel.ZeroConeT(d))
    squared = loss == "squared_hinge"
    P = sp.diags_array(
        np.concatenate([np.ones(n_weights), 2 * weights if squared else 0 * weights])
    )
    q = np.concatenate([np.zeros(n_weights), 0 * weights if squared else weights])

    solution = _solve(P, q, constraints, bounds, cones)
    return solution.obj_val, _spread(solution.x[:n_weights], kept)


def solve_kernel_dual(machine, loss, gram, labels, loss_weights):
    """Return the optimal value of the dual problem with a given kernel matrix.

    Its variables are u_im >= 0 for rows with C_i > 0. With the coefficients b_im of a
    unit of each, Q is K_ij <b_im, b_je>; a squared hinge adds to its diagonal, or to
    the whole block of a row if it has one slack.
    """
    k, used = labels.max() + 1, loss_weights > 0
    gram, labels, loss_weights = (
        gram[np.ix_(used, used)],
        labels[used],
        loss_weights[used],
    )
    columns = n_columns(machine, k)
    row, m, b = _unit_coefficients(machine, labels, columns)
    if FORMULATIONS[machine].sums_to_zero:
        b = b - b.mean(axis=1, keepdims=True)
    Q = gram[np.ix_(row, row)] * (b @ b.T)
    size, same = len(row), row[:, None] == row[None, :]
    if loss == "squared_hinge":
        coupled = same if uses_maximum(machine) else np.eye(size)
        Q = Q + coupled / (2 * loss_weights[row])
    constraints, bounds = [-sp.eye_array(size)], [np.zeros(size)]
    if loss == "hinge" and uses_maximum(machine):
        constraints.append(
            sp.csr_array(np.arange(len(loss_weights))[:, None] == row, dtype=float)
        )
        bounds.append(loss_weights)
    elif loss == "hinge":
        constraints.append(sp.eye_array(size))
        bounds.append(loss_weights[row])
    linear = -targets(machine, loss, labels, columns)[row, m]
    cones = [clarabel.NonnegativeConeT(sum(map(len, bounds)))]
    return -_solve(sp.triu(Q), linear, constraints, bounds, cones).obj_val


def _unit_coefficients(machine, labels, columns):
    """Row and class of every dual variable, and the coefficients of a unit of it, not
    centred: e_y - e_m or Y_m e_m.
    """
    row, m = np.nonzero(has_variable(machine, labels, columns))
    own, one = is_own(labels, columns)[row], np.eye(columns)[m]
    if FORMULATIONS[machine].margin == "relative":
        return row, m, own - one
    return row, m, np.where(own[np.arange(len(row)), m], 1, -1)[:, None] * one


def _solve(quadratic, linear, constraints, bounds, cones):
    """Minimise 1/2 x'Px + q.x with constraints and bounds given piece by piece."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(quadratic),
        linear,
        sp.csc_matrix(sp.vstack(constraints)),
        np.concatenate(bounds),
        cones,
        settings,
    ).solve()
    assert solution.status == clarabel.SolverStatus.Solved
    return solution
