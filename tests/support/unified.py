"""Every machine of the unified family, with its primal problem for an interior-point
method written out from its definition: constraints are rows, one margin each.
"""

import clarabel
import numpy as np
import scipy.sparse as sp

from polymargin.machine.formulation import Formulation, one, share
from polymargin.machine.registry import Machine

_ABSOLUTE = dict(margin="absolute", aggregation="sum", sums_to_zero=True)
UNIFIED = {
    "cs": dict(margin="relative", variables="others", aggregation="max"),
    "ww": dict(margin="relative", variables="others", aggregation="sum"),
    "llw": dict(_ABSOLUTE, variables="others", other_target=share),
    "ovr": dict(margin="absolute", variables="all", aggregation="sum"),
    "adm": dict(_ABSOLUTE, variables="others", aggregation="max", other_target=share),
    "ats": dict(_ABSOLUTE, variables="all"),
    "atm": dict(_ABSOLUTE, variables="all", aggregation="max"),
    "mmr": dict(_ABSOLUTE, variables="label"),
    "rm": dict(_ABSOLUTE, variables="all", label_target=lambda k: k - 1.0),
}
UNIFIED_PAIRS = [(n, loss) for n in UNIFIED for loss in ("hinge", "squared_hinge")]


def unified_machine(name, loss):
    """A machine of the family, whether or not it is one of the package's."""
    axes = {"label_target": one, "other_target": one, **UNIFIED[name]}
    return Machine(Formulation(name, name, "", losses=(loss,), **axes), loss)


def margins(name, y, k, costs=None):
    """(form, target) of an example: violated by target - form . s."""
    e = np.eye(k)
    if costs is not None:
        plain = margins(name, y, k)
        others = [m for m in range(k) if m != y]
        return [
            (form, t * costs[y, m]) for m, (form, t) in zip(others, plain, strict=True)
        ]
    others = [m for m in range(k) if m != y]
    if name in ("cs", "ww"):
        return [(e[y] - e[m], 1) for m in others]
    if name in ("llw", "adm"):
        return [(-e[m], 1 / (k - 1)) for m in others]
    if name == "mmr":
        return [(e[y], 1)]
    return [(e[y], k - 1 if name == "rm" else 1)] + [(-e[m], 1) for m in others]


def unified_optimum(name, loss, X, labels, loss_weights, k, costs=None, free=0):
    """The optimal objective, of examples with C_i > 0; with costs, of machines whose
    margins are of the other classes. The weights of the last `free` features are not
    penalised.
    """
    n, d = X.shape
    rows = [(i, *m) for i in range(n) for m in margins(name, labels[i], k, costs)]
    maximum = name in ("cs", "adm", "atm")
    slack = np.array([r[0] for r in rows]) if maximum else np.arange(len(rows))
    weights = loss_weights if maximum else np.array([loss_weights[r[0]] for r in rows])
    n_slacks, n_weights = len(weights), k * d
    forms = np.array([np.kron(form, X[i]) for i, form, _ in rows])
    chosen = sp.csr_array((np.ones(len(rows)), (np.arange(len(rows)), slack)))
    positive = sp.hstack([sp.csc_array((n_slacks, n_weights)), -sp.eye_array(n_slacks)])
    constraints = [sp.hstack([-sp.csr_array(forms), -chosen]), positive]
    bounds = [-np.array([target for *_, target in rows], float), np.zeros(n_slacks)]
    cones = [clarabel.NonnegativeConeT(len(rows) + n_slacks)]
    if name not in ("cs", "ww", "ovr"):
        sums = sp.kron(np.ones((1, k)), sp.eye_array(d))
        constraints.append(sp.hstack([sums, sp.csc_array((d, n_slacks))]))
        bounds.append(np.zeros(d))
        cones.append(clarabel.ZeroConeT(d))
    squared = loss == "squared_hinge"
    penalties = np.tile(np.repeat([1.0, 0.0], [d - free, free]), k)
    P = np.concatenate([penalties, 2 * weights if squared else 0 * weights])
    q = np.concatenate([np.zeros(n_weights), 0 * weights if squared else weights])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solution = clarabel.DefaultSolver(
        sp.csc_matrix(sp.diags_array(P)),
        q,
        sp.csc_matrix(sp.vstack(constraints)),
        np.concatenate(bounds),
        cones,
        settings,
    ).solve()
    return solution.obj_val
