"""The dual problem of an online machine in plain NumPy, from its support patterns."""

import numpy as np
from kernel_problems import gaussian
from problems import is_own, uses_maximum

from polymargin import OnlineSVM
from polymargin.machine.registry import FORMULATIONS

GAMMA = 0.3
# Every way to choose patterns with every way to choose steps.
METHODS = [
    {"selection": selection, "schedule": schedule}
    for selection in ("gain", "random")
    for schedule in ("adaptive", "fixed")
]


# Every machine that can be learned online.
MACHINES = [(name, loss) for name, row in FORMULATIONS.items() for loss in row.online]


def online(**parameters):
    """A machine with a kernel that does not depend on the data."""
    return OnlineSVM(**{"gamma": GAMMA, "random_state": 0, **parameters})


def rows_of(model):
    """The support vectors, dense and in double precision."""
    rows = model.support_vectors_
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    return rows.astype(np.float64)


def dual_variables(model):
    """beta, the labels and C_i of all support patterns."""
    _, labels, loss_weights, _ = model._driver.patterns()
    return model._driver.coefficients().toarray(), labels, loss_weights


def target_of(model):
    """By how much the label is to be ahead."""
    return FORMULATIONS[model.machine].other_target(len(model.classes_))


def expected_gradients(model, kernel=None):
    """(5) of the paper for all support patterns and classes; squared losses have a
    term of their own.
    """
    beta, labels, loss_weights = dual_variables(model)
    rows = rows_of(model)
    gram = gaussian(rows, rows, GAMMA) if kernel is None else kernel(rows, rows)
    own = is_own(labels, beta.shape[1])
    gradients = target_of(model) * own - gram @ beta
    if model.loss == "squared_hinge":  # |u|^2 or (sum u)^2 over 4C
        penalised = own if uses_maximum(model.machine) else ~own
        gradients -= penalised * beta / (2 * loss_weights[:, None])
    return gradients


def expected_dual(model, kernel=None):
    """(2) of the paper."""
    beta, labels, _ = dual_variables(model)
    own = is_own(labels, beta.shape[1])
    targets = target_of(model) * own
    return np.sum(beta * (targets + expected_gradients(model, kernel))) / 2


def check_state(model, tolerance=1e-9, kernel=None):
    """Constraints (3) and (4), and all that the driver has stored."""
    beta, labels, loss_weights = dual_variables(model)
    own = is_own(labels, beta.shape[1])
    assert (beta[~own] <= 0).all()
    assert (beta[own] > 0).all()
    if model.loss == "hinge":
        bounded = own if uses_maximum(model.machine) else ~own
        limits = np.broadcast_to(loss_weights[:, None], beta.shape)[bounded]
        assert (np.abs(beta[bounded]) <= limits * (1 + tolerance)).all()
    largest = max(loss_weights.max(initial=1), np.abs(beta).max(initial=0))
    assert np.abs(beta.sum(axis=1)).max(initial=0) <= tolerance * largest
    scale = 1 + loss_weights.sum()
    stored = model._driver.gradients()
    difference = (stored.toarray() - expected_gradients(model, kernel))[beta != 0]
    assert stored.nnz == np.count_nonzero(beta)
    assert np.abs(difference).max(initial=0) <= tolerance * scale
    expected = expected_dual(model, kernel)
    assert abs(model.dual_objective_ - expected) <= tolerance * scale**2


def assert_same_model(one, other):
    """To the last bit, with what has been counted."""
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    np.testing.assert_array_equal(rows_of(one), rows_of(other))
    assert one.dual_objective_ == other.dual_objective_
    for name in ("n_steps_", "n_seen_", "work_", "n_kernel_evaluations_", "status_"):
        assert getattr(one, name) == getattr(other, name), name
