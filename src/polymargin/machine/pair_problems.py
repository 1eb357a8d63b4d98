"""The binary problems of one-vs-one: which rows each one has, and its labels."""

import numpy as np
import scipy.sparse as sp

from .block_algebra import class_pairs
from .problem import Problem
from .projection import Blocks
from .registry import binary_machine


class PairProblems:
    """One binary problem for each pair of classes, on the rows of the two.

    Parameters
    ----------
    problem : Problem
        Of one-vs-one.
    """

    def __init__(self, problem: Problem):
        self.problem = problem
        self.sizes = np.bincount(problem.labels)
        by_class = np.argsort(problem.labels, kind="stable")
        self.members = np.split(by_class, np.cumsum(self.sizes)[:-1])
        self.classes = list(zip(*class_pairs(problem.n_columns), strict=True))

    def __len__(self) -> int:
        return len(self.classes)

    def n_rows(self) -> np.ndarray:
        """Return the number of rows of each pair."""
        return self.sizes[np.array(self.classes)].sum(axis=1)

    def rows(self, number: int) -> np.ndarray:
        """Return the rows of a pair, those of its first class first."""
        first, second = self.classes[number]
        return np.concatenate([self.members[first], self.members[second]])

    def binary(self, number: int) -> Problem:
        """Return the problem of a pair; its second class is the positive one."""
        first, second = self.classes[number]
        labels = np.repeat([-1, 0], [self.sizes[first], self.sizes[second]])
        machine = binary_machine(self.problem.machine.loss)
        return Problem(machine, labels, 1, self.problem.loss_weights[self.rows(number)])

    def losses_at_zero(self) -> np.ndarray:
        """Return the sum of C_i loss_i of each pair where its scores are zero."""
        problem = self.problem
        binary = binary_machine(problem.machine.loss)
        of_one = Blocks(binary, np.zeros(1, dtype=int), np.ones(1), 1).losses_at_zero()
        of_class = of_one * np.bincount(problem.labels, problem.loss_weights)
        return of_class[np.array(self.classes)].sum(axis=1)

    def join(self, values: dict[int, np.ndarray]):
        """Return what the rows of each pair have as (indptr, pairs, values).

        A pair that is not in `values` has nothing.
        """
        rows = np.concatenate([*map(self.rows, values), np.zeros(0, dtype=int)])
        lengths = [len(each) for each in values.values()]
        columns = np.repeat(np.array(list(values), dtype=int), lengths)
        values = np.concatenate([*values.values(), np.zeros(0, dtype=np.float32)])
        support = np.flatnonzero(values)
        blocks = sp.csr_array(
            (values[support], (rows[support], columns[support])),
            shape=(len(self.problem.labels), len(self)),
        )
        return blocks.indptr, blocks.indices, blocks.data

    def split(self, blocks: sp.csr_array):
        """Yield what the rows of each pair have: the inverse of `join`."""
        by_pair = blocks.tocsc()
        of_rows = np.zeros(blocks.shape[0])
        for number in range(len(self)):
            entries = slice(*by_pair.indptr[number : number + 2])
            support = by_pair.indices[entries]
            of_rows[support] = by_pair.data[entries]
            yield of_rows[self.rows(number)]
            of_rows[support] = 0
