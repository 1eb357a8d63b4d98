"""Kernel machines in plain NumPy: kernels, and the objectives of a model."""

from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp
from problems import (
    LOSSES,
    MACHINES,
    dual_block,
    losses,
    n_columns,
    penalties,
    slacks,
    targets,
)

from polymargin import KernelSVM
from polymargin.machine.registry import names_of

KERNEL_PAIRS = [
    (machine, loss) for machine in names_of(lambda row: row.kernels) for loss in LOSSES
]
# Every machine and every loss, for what does not depend on how they are combined.
SOME_KERNEL_PAIRS = [
    (machine, LOSSES[number % 2])
    for number, machine in enumerate(dict.fromkeys(["ww", *MACHINES, "ovo"]))
]


def gaussian(A, B, gamma):
    """exp(-gamma |x - y|^2), from the differences."""
    difference = np.asarray(A)[:, None, :] - np.asarray(B)[None, :, :]
    return np.exp(-gamma * (difference**2).sum(axis=2))


def accurate(machine="ww", loss="hinge", **parameters):
    """A machine that is trained as far as its objective can be compared."""
    without = {"fit_intercept": False}  # as the objectives of the oracles are
    parameters = {"tol": 1e-9, "random_state": 0, **without, **parameters}
    return KernelSVM(machine, loss=loss, **parameters)


def dual_coef(model):
    """`dual_coef_` with its zeros; those of pairs are sparse."""
    b = model.dual_coef_
    return b.toarray() if sp.issparse(b) else b


def coefficients(model, n):
    """b_im of all rows, not only of the support vectors."""
    b = np.zeros((n, n_columns(model.machine, len(model.classes_))))
    b[model.support_] = dual_coef(model)
    return b


def objectives(model, gram, y, loss_weights):
    """Primal and dual objective of the model, for a kernel matrix."""
    pair = model.machine, model.loss
    labels = np.searchsorted(model.classes_, y)
    b = coefficients(model, len(y))
    half_norm = np.sum(b * (gram @ b)) / 2
    h = slacks(*pair, gram @ b, labels)
    primal = half_norm + loss_weights @ losses(*pair, h, labels)
    u = blocks(model, y)
    t = targets(*pair, labels, u.shape[1])
    terms = (t * u).sum(axis=1) - penalties(*pair, u, loss_weights)
    return primal, terms.sum() - half_norm


def blocks(model, y):
    """The dual variables of all rows."""
    whole = SimpleNamespace(
        dual_coef_=sp.csr_array(coefficients(model, len(y))),
        classes_=model.classes_,
        machine=model.machine,
        loss=model.loss,
        _fitted=model._fitted,
    )
    return dual_block(whole, y)


def of_matrices(estimator):
    if estimator.kernel != "precomputed":
        return {}
    indefinite = "the matrix is not symmetric, or has negative values on its diagonal"
    return {
        "check_positive_only_tag_during_fit": indefinite,
        "check_classifiers_one_label_sample_weights": indefinite,
        "check_class_weight_classifiers": (
            "products of the rows: without intercept, -x is never in the class of x"
        ),
    }
