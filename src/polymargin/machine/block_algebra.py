"""Dual blocks of all examples and their coefficients, from the axes of a machine.

A block has variables ``u_m >= 0``; ``b = E^T u`` are the coefficients of the example in
the weights, ``w_m += b_m x``, which `dual_coef_` shows: ``coef_ = dual_coef_.T @ X``.

- relative margins: ``b_m = -u_m``, ``b_y = sum u``;
- absolute margins: ``b = Y o u`` with ``Y = +1`` for the label and ``-1`` for others;
- if weights sum to zero, less its mean: ``b = Y o u - mean(Y o u)``;
- one-vs-one has a column for each pair of classes: the second class has ``Y = +1``.

The mean is lost only if every class has a variable: `lost_means` is then what the
inverse needs besides the coefficients.
"""

import numpy as np
import scipy.sparse as sp

from .registry import Machine


def class_pairs(n_columns: int):
    """Return the first and the second class of every column of one-vs-one."""
    n_classes = round((1 + np.sqrt(1 + 8 * n_columns)) / 2)
    return np.triu_indices(n_classes, 1)


def block_shape(machine: Machine, labels, n_classes: int):
    """Return the number of classes of a block, and the labels as blocks know them.

    Separate problems of two classes are a single binary one, for the second class;
    one-vs-one has a column for each pair of classes.
    """
    if machine.formulation.by_pairs:
        return n_classes * (n_classes - 1) // 2, labels
    if machine.formulation.separate and n_classes == 2:
        return 1, np.where(labels == 1, 0, -1)
    return n_classes, labels


def coefficients_of(machine: Machine, duals: sp.csr_array, labels) -> sp.csr_array:
    """Return b = E^T u of all rows; a label of -1 is no class of the blocks."""
    row = machine.formulation
    if row.margin == "relative":
        return _less_their_sums(duals, labels)
    signed = _with_signs(machine, duals, labels)
    return _moved(signed, -_means(signed)) if row.sums_to_zero else signed


def loses_means(machine: Machine) -> bool:
    """Whether coefficients do not tell everything of blocks."""
    return machine.formulation.sums_to_zero and machine.formulation.variables == "all"


def lost_means(machine: Machine, duals: sp.csr_array, labels) -> np.ndarray:
    """Return what coefficients do not tell of blocks: a number a row."""
    return _means(_with_signs(machine, duals, labels)).astype(duals.dtype)


def duals_of(
    machine: Machine, coefficients: sp.csr_array, labels, means=None
) -> sp.csr_array:
    """Return the blocks that have these coefficients, and these `lost_means`.

    What was zero is zero again, not nearly so: a variable that left must not come back.
    """
    row = machine.formulation
    if row.margin == "relative":
        duals = sp.csr_array(-coefficients)
        duals.data[duals.data < 0] = 0  # the label
        duals.eliminate_zeros()
        return duals
    if row.sums_to_zero:
        if means is None:
            means = -_at(coefficients, _without_variable(machine, labels))
        coefficients = _moved(coefficients, means)
    duals = _with_signs(machine, coefficients, labels)
    if row.sums_to_zero:
        np.maximum(duals.data, 0, out=duals.data)
        duals.eliminate_zeros()
    return duals


def feasible_duals(
    machine: Machine,
    duals: sp.csr_array,
    old_loss_weights,
    new_loss_weights,
    with_bounds: bool = True,
) -> sp.csr_array:
    """Make dual variables of one C feasible for another.

    What was at its bound moves with the bound; what was free stays where it is, as far
    as the new bound allows. If not `with_bounds`, all stays where it is as far as it
    can: then the weights, which hardly change from one C to the next, are the same.
    """
    counts = np.diff(duals.indptr)
    old, new = np.repeat(old_loss_weights, counts), np.repeat(new_loss_weights, counts)
    values = duals.data.astype(np.float64)
    if machine.bound is None:
        values = np.where(new > 0, values, 0.0)
    elif machine.bound == "share":
        values *= np.divide(new, old, out=np.zeros_like(new), where=old > 0)
    else:
        held = values
        if machine.bound == "sum":
            sums = np.asarray(duals.sum(axis=1)).ravel()
            held = np.repeat(sums, counts)
        scale = np.divide(new, held, out=np.zeros_like(new), where=held > 0)
        at_bound = with_bounds & (held >= (1 - 1e-6) * old)
        values = values * np.where(at_bound, scale, np.minimum(scale, 1.0))
    return sp.csr_array((values, duals.indices, duals.indptr), shape=duals.shape)


def _less_their_sums(duals: sp.csr_array, labels) -> sp.csr_array:
    """Return the sums of rows at their labels, and the others of the rows, negated.

    At a label nothing is stored, but for what a sum lacks or has too much where the
    restricted solver leaves the feasible set.
    """
    duals.sort_indices()
    duals.eliminate_zeros()
    counts = np.diff(duals.indptr)
    support = np.flatnonzero(counts)
    starts, own = duals.indptr[support], labels[support]
    data, indices, indptr = -duals.data, duals.indices, duals.indptr
    surplus = indices == np.repeat(labels, counts)
    data[surplus] = 0
    if len(support):
        before = indices < np.repeat(own, counts[support])
        places = starts + np.add.reduceat(before, starts, dtype=np.int64)
        sums = np.add.reduceat(duals.data, starts, dtype=np.float64)
        data, indices = np.insert(data, places, sums), np.insert(indices, places, own)
        indptr = indptr.copy()
        indptr[1:] += np.cumsum(counts > 0)
    found = sp.csr_array((data, indices, indptr), shape=duals.shape)
    if surplus.any():
        found.sum_duplicates()
    return found


def _with_signs(machine: Machine, matrix: sp.csr_array, labels) -> sp.csr_array:
    """Flip what belongs to a column whose positive class is not a label."""
    positive = matrix.indices
    if machine.formulation.by_pairs:
        positive = class_pairs(matrix.shape[1])[1][positive]
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    if sp.issparse(labels):  # sets of them
        own = _keys(*labels.nonzero(), matrix.shape[1])
        is_own = np.isin(_keys(rows, positive, matrix.shape[1]), own)
    else:
        is_own = positive == labels[rows]
    signs = np.where(is_own, 1, -1).astype(matrix.dtype)
    return sp.csr_array(
        (matrix.data * signs, matrix.indices, matrix.indptr), shape=matrix.shape
    )


def _keys(rows, columns, n_columns: int) -> np.ndarray:
    """A number for each entry of a matrix."""
    return rows.astype(np.int64) * n_columns + columns


def _means(matrix: sp.csr_array) -> np.ndarray:
    return np.asarray(matrix.sum(axis=1)).ravel() / matrix.shape[1]


def _moved(matrix: sp.csr_array, by: np.ndarray) -> sp.csr_array:
    """Add a number to every entry of each row, also to those that are not stored."""
    (n, k), moved = matrix.shape, np.flatnonzero(by)
    columns = np.tile(np.arange(k), len(moved))
    values = np.repeat(by[moved].astype(matrix.dtype), k)
    every = sp.csr_array((values, (np.repeat(moved, k), columns)), shape=(n, k))
    return sp.csr_array(matrix + every)


def _without_variable(machine: Machine, labels) -> np.ndarray:
    """Return a class of each row that has no variable."""
    if machine.formulation.variables == "others":
        return labels
    return np.where(labels == 0, 1, 0)


def _at(matrix: sp.csr_array, columns) -> np.ndarray:
    """Return the entry of every row in a column of its own."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    chosen = matrix.indices == columns[rows]
    found = np.zeros(matrix.shape[0], dtype=matrix.dtype)
    found[rows[chosen]] = matrix.data[chosen]
    return found
