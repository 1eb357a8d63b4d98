"""The problem of all rows of a store, stated for the rows that are at hand."""

from dataclasses import dataclass

import numpy as np

from ....access.row_store.range_reader import LoadedRows
from ....access.row_store.store import RowStore
from ....machine.block_algebra import block_shape
from ....machine.problem import Problem, class_weights_of_parts, state_problem
from ....machine.registry import Machine


@dataclass(frozen=True)
class StoredProblem:
    """What is solved on a store.

    Attributes
    ----------
    machine : Machine
    store : RowStore
    C : float
    by_class : dict or None
        Weights of classes.
    """

    machine: Machine
    store: RowStore
    C: float
    by_class: dict | None

    @property
    def n_columns(self) -> int:
        classes = len(self.store.classes)
        return block_shape(self.machine, np.zeros(0), classes)[0]

    def of(self, rows: LoadedRows) -> Problem:
        """The part of it that some rows are."""
        return state_problem(
            self.machine,
            rows.labels,
            self.store.classes,
            self.C,
            rows.weights,
            self.by_class,
        )


def state_stored_problem(machine: Machine, store: RowStore, C, class_weight):
    """State the problem; "balanced" is by the weights of all rows."""
    sums = store.header.class_weights
    by_class = class_weights_of_parts(class_weight, store.classes, sums)
    return StoredProblem(machine, store, C, by_class)
