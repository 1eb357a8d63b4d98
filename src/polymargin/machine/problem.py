"""What a driver is to solve, from labels and weights."""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from sklearn.utils import compute_class_weight

from .block_algebra import (
    block_shape,
    coefficients_of,
    duals_of,
    feasible_duals,
    loses_means,
    lost_means,
)
from .registry import Machine

# The largest sum of all C_i: losses that they multiply leave it a number.
MOST_WEIGHT = 1e300


@dataclass(frozen=True)
class Problem:
    """What a driver is to solve, apart from the rows.

    Attributes
    ----------
    machine : Machine
    labels : ndarray of int
        Position of each row's class in its block.
    n_columns : int
        Classes of a block.
    loss_weights : ndarray of float
        C_i of each row.
    lost_means : ndarray or None
        What the coefficients of a solution do not tell of its blocks.
    label_sets : csr_array of bool or None
        Of rows that may have any number of labels: a column for each class. `labels`
        are then -1.
    """

    machine: Machine
    labels: np.ndarray
    n_columns: int
    loss_weights: np.ndarray
    lost_means: np.ndarray | None = None
    label_sets: sp.csr_array | None = None

    @property
    def own(self):
        """The labels, or the sets of them."""
        return self.labels if self.label_sets is None else self.label_sets

    def of_rows(self, chosen) -> "Problem":
        """The problem of some rows."""
        sets = self.label_sets
        return replace(
            self,
            labels=self.labels[chosen],
            loss_weights=self.loss_weights[chosen],
            lost_means=None,
            label_sets=None if sets is None else sets[chosen],
        )

    def labels_of(self, column: int) -> np.ndarray:
        """The labels of a class by itself: 0 if a row has it, -1 if not."""
        if self.label_sets is None:
            return np.where(self.labels == column, 0, -1)
        labels = np.full(len(self.labels), -1)
        labels[self.label_sets[:, [column]].nonzero()[0]] = 0
        return labels

    def coefficients(self, indptr, classes, values) -> sp.csr_array:
        """Return the coefficients of the rows, from the dual blocks of a driver."""
        duals = self.blocks(indptr, classes, values)
        return coefficients_of(self.machine, duals, self.own)

    def blocks(self, indptr, classes, values) -> sp.csr_array:
        """Return the dual blocks of a driver as a matrix."""
        shape = (len(self.labels), self.n_columns)
        return sp.csr_array((values, classes, indptr), shape=shape)

    def solved_by(self, indptr, classes, values) -> "Problem":
        """Return the problem with what `blocks_for` needs of its solution."""
        means = None
        if loses_means(self.machine):
            duals = self.blocks(indptr, classes, values)
            means = lost_means(self.machine, duals, self.labels)
        return replace(self, lost_means=means)

    def blocks_for(
        self, other: "Problem", coefficients, with_bounds: bool = True
    ) -> sp.csr_array | None:
        """Return the blocks of a solution, made feasible for another C; None if the
        other problem is not of the same rows. For `with_bounds` see `feasible_duals`.
        """
        if (
            self.machine != other.machine
            or self.n_columns != other.n_columns
            or not np.array_equal(self.labels, other.labels)
            or not _same_sets(self.label_sets, other.label_sets)
        ):
            return None
        duals = duals_of(self.machine, coefficients, self.own, self.lost_means)
        return feasible_duals(
            self.machine, duals, self.loss_weights, other.loss_weights, with_bounds
        )


def _same_sets(first: sp.csr_array | None, second: sp.csr_array | None) -> bool:
    if first is None or second is None:
        return first is second
    return first.shape == second.shape and (first != second).nnz == 0


def state_problem_of_sets(
    machine: Machine, label_sets: sp.csr_array, C: float, sample_weight
) -> Problem:
    """State the problem of rows that may have any number of labels.

    Parameters
    ----------
    machine : Machine
        Whose classes are problems of their own.
    label_sets : csr_array of bool of shape (n_samples, n_classes)
    C : float
    sample_weight : ndarray of float
    """
    n_rows, n_columns = label_sets.shape
    with np.errstate(over="ignore"):  # `check_weights_fit` says so
        loss_weights = C * sample_weight
    labels = np.full(n_rows, -1)
    return Problem(machine, labels, n_columns, loss_weights, label_sets=label_sets)


def state_problem(
    machine: Machine, labels, classes, C: float, sample_weight, class_weight
) -> Problem:
    """State the problem: C_i = C * sample_weight_i * class_weight of the label.

    Parameters
    ----------
    machine : Machine
    labels : ndarray of int
        Position of each row's class in `classes`.
    classes : ndarray
    C : float
    sample_weight : ndarray of float
    class_weight : dict, "balanced" or None

    Returns
    -------
    problem : Problem
    """
    by_class = np.ones(len(classes))
    if isinstance(class_weight, dict):
        by_class = weights_by_class(class_weight, classes)
    elif class_weight is not None:
        by_class = compute_class_weight(
            class_weight,
            classes=classes,
            y=classes[labels],
            sample_weight=sample_weight,
        )
    with np.errstate(over="ignore"):  # `check_weights_fit` says so
        loss_weights = C * sample_weight * by_class[labels]
    n_columns, labels = block_shape(machine, labels, len(classes))
    return Problem(machine, labels, n_columns, loss_weights)


def check_weights_fit(loss_weights, dtype, C: float) -> None:
    """Raise if C times a weight is beyond what the number format of X can hold, or the
    sum of all of them beyond what an objective can.

    Parameters
    ----------
    loss_weights : ndarray of float
        C_i of each row.
    dtype : dtype
        Of X, in which training works.
    C : float
        For the message.
    """
    largest = float(np.max(loss_weights, initial=0.0))
    if not largest <= float(np.finfo(dtype).max):
        raise ValueError(
            f"C={C!r} times the largest weight of a row is {largest:.3g}, which "
            f"{np.dtype(dtype)} cannot hold; choose a smaller C, or give X as float64."
        )
    with np.errstate(over="ignore"):
        total = float(np.sum(loss_weights))
    if not total <= MOST_WEIGHT:
        raise ValueError(
            f"C={C!r} times the weights of all rows is {total:.3g}, and no objective "
            f"could hold that; choose a C of which it is below {MOST_WEIGHT:g}."
        )


def class_weights_of_parts(class_weight, classes, sums) -> dict | None:
    """Return the weights of classes for a problem that is stated in parts.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
    classes : ndarray
    sums : ndarray of float
        Sample weights of all rows, by class: what "balanced" is about.
    """
    if class_weight == "balanced":
        each = sums.sum() / (len(sums) * np.maximum(sums, 1e-300))
        return dict(zip(classes.tolist(), each.tolist(), strict=True))
    if class_weight is not None:
        weights_by_class(class_weight, classes)  # raises now, and not in a part
    return class_weight


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
