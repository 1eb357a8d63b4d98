"""The primal problems as quadratic programmes, for an interior-point solver."""

import clarabel
import numpy as np
import scipy.sparse as sp


def solve_primal(machine, loss, features, labels, caps):
    """Return the optimal objective and the weights of the classes, one row each.

    The variables are the weights, class after class, then the slacks: one per row for
    "cs", one per row and wrong class for "ww".
    """
    n, d = features.shape
    k = labels.max() + 1
    row = np.repeat(np.arange(n), k - 1)
    wrong = np.concatenate([np.delete(np.arange(k), label) for label in labels])
    slack = row if machine == "cs" else np.arange(len(row))
    n_slacks = slack[-1] + 1
    weights = caps if machine == "cs" else caps[row]

    # s_m - s_y - slack <= -1, and -slack <= 0
    count = np.arange(len(row))
    x = features[row]
    columns = np.arange(d)[None, :]
    margin = sp.csc_array(
        (
            np.concatenate([x.ravel(), -x.ravel(), -np.ones(len(row))]),
            (
                np.concatenate([np.repeat(count, d), np.repeat(count, d), count]),
                np.concatenate(
                    [
                        (wrong[:, None] * d + columns).ravel(),
                        (labels[row][:, None] * d + columns).ravel(),
                        k * d + slack,
                    ]
                ),
            ),
        ),
        shape=(len(row), k * d + n_slacks),
    )
    positive = sp.hstack([sp.csc_array((n_slacks, k * d)), -sp.eye_array(n_slacks)])
    squared = loss == "squared_hinge"
    P = sp.diags_array(
        np.concatenate([np.ones(k * d), 2 * weights if squared else 0 * weights])
    )
    q = np.concatenate([np.zeros(k * d), 0 * weights if squared else weights])
    A = sp.vstack([margin, positive]).tocsc()
    b = np.concatenate([-np.ones(len(row)), np.zeros(n_slacks)])

    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(P),
        q,
        sp.csc_matrix(A),
        b,
        [clarabel.NonnegativeConeT(len(b))],
        settings,
    ).solve()
    assert solution.status == clarabel.SolverStatus.Solved
    return solution.obj_val, np.array(solution.x[: k * d]).reshape(k, d)
