"""What is solved: the machines, their losses and their restricted solvers.

Every machine here keeps its dual block as ``u_m >= 0``; machines differ in the bounds
of ``u`` and in how a block becomes coefficients ``b`` of the weights, ``w_m += b_m x``:

- relative margins (cs, ww): ``b_m = -u_m``, ``b_y = sum u``;
- weights that sum to zero (llw): ``b_m = mean(u) - u_m``;
- one-vs-rest (ovr): ``b_m = -u_m``, ``b_y = u_y``;
- one-vs-one (ovo): a column for each pair of classes, ``b = u`` for rows of the second
  class of the pair and ``-u`` for rows of the first.

`dual_coef_` shows the coefficients: ``coef_ = dual_coef_.T @ X``.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

LOSSES = ("hinge", "squared_hinge", "logistic")
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
    margin : {"relative", "sum_to_zero", "one_vs_rest", "one_vs_one"}
        How a margin is measured, and so how a block becomes coefficients.
    restricted : tuple of str
        The restricted solvers it can use.
    bound : {"sum", "each", "share", None}
        What the example's C bounds: the sum of a block, each variable, or nothing;
        "share" if variables are shares of C, which move with it.
    """

    name: str
    loss: str
    margin: str
    restricted: tuple[str, ...]
    bound: str | None

    @property
    def columns_per_class(self) -> bool:
        """Whether W has a column for every class, also with two classes."""
        return self.margin in ("relative", "sum_to_zero")

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
        elif self.bound == "share":
            values *= np.divide(new, old, out=np.zeros_like(new), where=old > 0)
        else:
            held = values
            if self.bound == "sum":
                sums = np.asarray(duals.sum(axis=1)).ravel()
                held = np.repeat(sums, counts)
            scale = np.divide(new, held, out=np.zeros_like(new), where=held > 0)
            at_bound = held >= (1 - 1e-6) * old
            values = values * np.where(at_bound, scale, np.minimum(scale, 1.0))
        return sp.csr_array((values, duals.indices, duals.indptr), shape=duals.shape)

    def coefficients(self, duals: sp.csr_array, labels) -> sp.csr_array:
        """Turn blocks into coefficients; a label of -1 is no class of the blocks."""
        if not self.columns_per_class:
            return self._with_signs(duals, labels)
        sums = np.asarray(duals.sum(axis=1)).ravel()
        support = np.flatnonzero(sums)
        if self.margin == "relative":
            columns = labels[support][:, None]
        else:
            columns = np.broadcast_to(
                np.arange(duals.shape[1]), (len(support), duals.shape[1])
            )
            sums = sums / duals.shape[1]
        rows = np.repeat(support, columns.shape[1])
        shared = sp.csr_array(
            (sums[rows].astype(duals.dtype), (rows, columns.ravel())), shape=duals.shape
        )
        return sp.csr_array(shared - duals)

    def duals(self, coefficients: sp.csr_array, labels) -> sp.csr_array:
        """Invert `coefficients`."""
        if not self.columns_per_class:
            return self._with_signs(coefficients, labels)
        if self.margin == "relative":
            duals = sp.csr_array(-coefficients)
            duals.data[duals.data < 0] = 0  # the label
            duals.eliminate_zeros()
            return duals
        support = np.flatnonzero(np.diff(coefficients.indptr))
        rows = coefficients[support].toarray()
        means = rows[np.arange(len(support)), labels[support]]  # u is zero there
        values = np.maximum(means[:, None] - rows, 0)
        inner = sp.coo_array(values)
        return sp.csr_array(
            (inner.data, (support[inner.row], inner.col)), shape=coefficients.shape
        )

    def _with_signs(self, matrix: sp.csr_array, labels) -> sp.csr_array:
        """Flip what belongs to a column whose positive class is not the label."""
        positive = matrix.indices
        if self.margin == "one_vs_one":
            positive = class_pairs(matrix.shape[1])[1][positive]
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        signs = np.where(positive == labels[rows], 1, -1).astype(matrix.dtype)
        return sp.csr_array(
            (matrix.data * signs, matrix.indices, matrix.indptr), shape=matrix.shape
        )


MACHINES = {
    (machine.name, machine.loss): machine
    for machine in (
        Machine("cs", "hinge", "relative", _SIMPLEX, "sum"),
        Machine("cs", "squared_hinge", "relative", _BOX, None),
        Machine("ww", "hinge", "relative", _BOX, "each"),
        Machine("ww", "squared_hinge", "relative", _BOX, None),
        Machine("llw", "hinge", "sum_to_zero", _BOX, "each"),
        Machine("llw", "squared_hinge", "sum_to_zero", _BOX, None),
        Machine("ovr", "hinge", "one_vs_rest", _BOX, "each"),
        Machine("ovr", "squared_hinge", "one_vs_rest", _BOX, None),
        Machine("ovr", "logistic", "one_vs_rest", ("exact",), "share"),
        Machine("ovo", "hinge", "one_vs_one", _BOX, "each"),
        Machine("ovo", "squared_hinge", "one_vs_one", _BOX, None),
        Machine("ovo", "logistic", "one_vs_one", ("exact",), "share"),
        Machine("maxent", "log", "relative", ("exact", "pairs"), "share"),
    )
}
RESTRICTED = _SIMPLEX
# Of `LinearSVM`; maximum entropy is an estimator of its own.
MACHINE_NAMES = tuple(dict.fromkeys(name for name, loss in MACHINES if loss in LOSSES))


def binary_machine(loss: str) -> Machine:
    """Return the machine of a binary problem, of a pair of classes for example."""
    return MACHINES["ovr", loss]


def class_pairs(n_columns: int):
    """Return the first and the second class of every column of one-vs-one."""
    n_classes = round((1 + np.sqrt(1 + 8 * n_columns)) / 2)
    return np.triu_indices(n_classes, 1)


def block_shape(name: str, labels, n_classes: int):
    """Return the number of classes of a block, and the labels as blocks know them.

    One-vs-rest with two classes is a single binary problem, for the second class;
    one-vs-one has a column for each pair of classes.
    """
    if name == "ovo":
        return n_classes * (n_classes - 1) // 2, labels
    if name == "ovr" and n_classes == 2:
        return 1, np.where(labels == 1, 0, -1)
    return n_classes, labels


def find_machine(name: str, loss: str, restricted: str) -> Machine:
    """Return a machine, or say which restricted solvers it has."""
    machine = MACHINES.get((name, loss))
    if machine is None:
        known = [loss for other, loss in MACHINES if other == name]
        raise ValueError(
            f"loss={loss!r} is not a loss of machine={name!r}; choose one of "
            f"{', '.join(known)}."
        )
    if restricted not in machine.restricted:
        raise ValueError(
            f"restricted={restricted!r} does not solve the blocks of machine={name!r} "
            f"with loss={loss!r}; choose one of {', '.join(machine.restricted)}."
        )
    return machine
