"""A partition: rows that stay where they are, and what a round leaves of them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from ..access.rows import Rows
from ..base.threads import thread_count
from ..driver.linear.row_parts import part_driver
from ..driver.options import LinearOptions
from ..machine.problem import Problem, state_problem
from .partition_data import PartitionData

# Where fewer of the features occur in a partition it keeps only their rows of W.
COMPACT_BELOW = 0.75


@dataclass(frozen=True)
class Partition:
    """The rows of a partition as a part of a problem.

    Attributes
    ----------
    options : LinearOptions
        Seed and threads are those of a round and a worker.
    n_jobs : int or None
        Threads, as a worker understands it.
    X : ndarray or csr_array
        On the features that occur, if these are few.
    problem : Problem
    features : ndarray of int or None
        The rows of W that the partition needs, ascending; None for all.
    n_features : int
        Rows of W.
    """

    options: LinearOptions
    n_jobs: int | None
    X: object
    problem: Problem
    features: np.ndarray | None
    n_features: int

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]

    @cached_property
    def _rows(self):
        """The rows for the core: checked once as long as they stay on a worker."""
        return Rows(self.X, self.options.bias).core

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_rows"}

    def driver(self, seed: int):
        """Return a fresh sequential driver of these rows."""
        options = replace(self.options, seed=seed, threads=thread_count(self.n_jobs))
        return part_driver(self._rows, self.X.dtype, self.problem, options)


def make_partition(
    data: PartitionData,
    options: LinearOptions,
    n_jobs,
    machine,
    C,
    classes,
    by_class,
    dtype,
):
    """State the part of the problem that a partition is."""
    X = data.X.astype(dtype, copy=False)
    has_bias = options.bias != 0
    n_features = X.shape[1] + has_bias
    features = None
    if sp.issparse(X):
        X = sp.csr_array(X)
        occurring = np.unique(X.indices)
        if len(occurring) < COMPACT_BELOW * X.shape[1]:
            places = np.searchsorted(occurring, X.indices).astype(X.indices.dtype)
            shape = (X.shape[0], len(occurring))
            X = sp.csr_array((X.data, places, X.indptr), shape=shape)
            constant = [n_features - 1] if has_bias else []
            features = np.concatenate([occurring, constant]).astype(np.int32)
    problem = state_problem(
        machine,
        np.searchsorted(classes, data.y),
        classes,
        C,
        data.weights,
        by_class,
    )
    return Partition(options, n_jobs, X, problem, features, n_features)


def needed_features(partition: Partition) -> np.ndarray | None:
    """The rows of W that travel to a partition; None for all."""
    return partition.features
