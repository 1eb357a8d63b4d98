"""What is solved: the machines, their losses and their restricted solvers.

Every machine here keeps its dual block as ``u_m >= 0`` for the classes other than
the label ``y``, with ``w_m -= u_m x`` and ``w_y += (sum u) x``; machines differ in the
bounds of ``u``. `dual_coef_` shows the coefficients, ``coef_ = dual_coef_.T @ X``.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

LOSSES = ("hinge", "squared_hinge")
_SIMPLEX = (
    "exact",
    "sort",
    "pivot",
    "bisection",
    "active_set",
    "smo",
    "frank_wolfe",
    "fixed_point",
)
_BOX = ("exact", "active_set")


@dataclass(frozen=True)
class Machine:
    """A formulation: its name, its loss and how its dual block is bounded.

    Attributes
    ----------
    name, loss : str
    restricted : tuple of str
        The restricted solvers it can use.
    bound : {"sum", "each", None}
        What the example's C bounds: the sum of a block, each variable, or nothing.
    """

    name: str
    loss: str
    restricted: tuple[str, ...]
    bound: str | None

    def fit_duals(self, duals: sp.csr_array, old_caps, new_caps) -> sp.csr_array:
        """Make dual variables of one C feasible for another.

        What was at its bound moves with the bound; what was free stays where it is,
        as far as the new bound allows.
        """
        counts = np.diff(duals.indptr)
        old, new = np.repeat(old_caps, counts), np.repeat(new_caps, counts)
        values = duals.data.astype(np.float64)
        if self.bound is None:
            values = np.where(new > 0, values, 0.0)
        else:
            held = values
            if self.bound == "sum":
                sums = np.asarray(duals.sum(axis=1)).ravel()
                held = np.repeat(sums, counts)
            scale = np.divide(new, held, out=np.zeros_like(new), where=held > 0)
            at_bound = held >= (1 - 1e-6) * old
            values = values * np.where(at_bound, scale, np.minimum(scale, 1.0))
        return sp.csr_array((values, duals.indices, duals.indptr), shape=duals.shape)


MACHINES = {
    (machine.name, machine.loss): machine
    for machine in (
        Machine("cs", "hinge", _SIMPLEX, "sum"),
        Machine("cs", "squared_hinge", _BOX, None),
        Machine("ww", "hinge", _BOX, "each"),
        Machine("ww", "squared_hinge", _BOX, None),
    )
}
RESTRICTED = _SIMPLEX


def find_machine(name: str, loss: str, restricted: str) -> Machine:
    """Return a machine, or say which restricted solvers it has."""
    machine = MACHINES[name, loss]
    if restricted not in machine.restricted:
        raise ValueError(
            f"restricted={restricted!r} does not solve the blocks of machine={name!r} "
            f"with loss={loss!r}; choose one of {', '.join(machine.restricted)}."
        )
    return machine


def weights_by_class(class_weight: dict, classes) -> np.ndarray:
    """Return the weight of each class; 1 for those that `class_weight` leaves out."""
    labels = classes.tolist()
    for label, weight in class_weight.items():
        if label not in labels:
            raise ValueError(
                f"class_weight has a weight for {label!r}, which is not one of the "
                f"classes; remove it."
            )
        if not 0 <= weight < float("inf"):
            raise ValueError(
                f"class_weight of {label!r} is {weight!r}; weights must be finite and "
                f"not negative."
            )
    return np.array([class_weight.get(label, 1.0) for label in labels], dtype=float)


def duals_to_coefficients(duals: sp.csr_array, labels) -> sp.csr_array:
    """Turn blocks ``u`` into coefficients: ``-u_m``, and ``sum u`` at the label."""
    sums = np.asarray(duals.sum(axis=1)).ravel()
    support = np.flatnonzero(sums)
    at_label = sp.csr_array(
        (sums[support], (support, labels[support])),
        shape=duals.shape,
        dtype=duals.dtype,
    )
    return sp.csr_array(at_label - duals)


def coefficients_to_duals(coefficients: sp.csr_array) -> sp.csr_array:
    """Invert `duals_to_coefficients`: the negative entries are the ``-u_m``."""
    duals = sp.csr_array(-coefficients)
    duals.data[duals.data < 0] = 0
    duals.eliminate_zeros()
    return duals
