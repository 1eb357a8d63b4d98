"""The primal problems as quadratic programmes, for an interior-point solver."""

import clarabel
import numpy as np
import scipy.sparse as sp
from problems import is_own, unit


def solve_primal(machine, loss, features, labels, caps):
    """Return the optimal objective and the weights of the classes, one row each.

    One-vs-rest is a binary problem for each class, or for the second of two.
    """
    k = labels.max() + 1
    if machine == "ovr":
        classes = range(k) if k > 2 else [1]
        solved = [
            _solve_primal("binary", loss, features, labels == m, caps, 1)
            for m in classes
        ]
        return sum(best for best, _ in solved), np.vstack([w for _, w in solved])
    return _solve_primal(machine, loss, features, labels, caps, k)


def _solve_primal(machine, loss, features, labels, caps, k):
    """The variables are the weights, class after class, then the slacks.

    There is one slack per row for "cs" and "binary", one per row and wrong class for
    "ww" and "llw". The constraints are form - slack <= -margin and -slack <= 0, with
    the form s_m - s_y for "cs" and "ww", s_m for "llw" and -Y s for "binary". "llw" has
    another: the weights of each feature sum to zero.
    """
    n, d = features.shape
    if machine == "binary":
        row = np.arange(n)
        form = sp.csr_array(np.where(labels, -1.0, 1.0)[:, None])
    else:
        own = is_own(labels, k)
        row, wrong = np.nonzero(~own)
        form = sp.csr_array(np.eye(k)[wrong] - (machine != "llw") * own[row])
    slack = row if machine == "cs" else np.arange(len(row))
    n_slacks = slack[-1] + 1
    weights = caps if machine == "cs" else caps[row]

    # Row r of the margins is the outer product of form_r and x_r.
    x = sp.csr_array(np.tile(features[row], k))
    margins = sp.kron(form, np.ones((1, d))).multiply(x)
    chosen = sp.csr_array(
        (np.ones(len(row)), (np.arange(len(row)), slack)), shape=(len(row), n_slacks)
    )
    positive = sp.hstack([sp.csc_array((n_slacks, k * d)), -sp.eye_array(n_slacks)])
    constraints = [sp.hstack([margins, -chosen]), positive]
    bounds = [np.full(len(row), -unit(machine, k)), np.zeros(n_slacks)]
    cones = [clarabel.NonnegativeConeT(len(row) + n_slacks)]
    if machine == "llw":
        sums = sp.kron(np.ones((1, k)), sp.eye_array(d))
        constraints.append(sp.hstack([sums, sp.csc_array((d, n_slacks))]))
        bounds.append(np.zeros(d))
        cones.append(clarabel.ZeroConeT(d))
    squared = loss == "squared_hinge"
    P = sp.diags_array(
        np.concatenate([np.ones(k * d), 2 * weights if squared else 0 * weights])
    )
    q = np.concatenate([np.zeros(k * d), 0 * weights if squared else weights])

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(P),
        q,
        sp.csc_matrix(sp.vstack(constraints)),
        np.concatenate(bounds),
        cones,
        settings,
    ).solve()
    assert solution.status == clarabel.SolverStatus.Solved
    return solution.obj_val, np.array(solution.x[: k * d]).reshape(k, d)
