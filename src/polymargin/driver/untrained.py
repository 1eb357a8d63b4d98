"""The model of zeros, where there was no time to prepare another."""

import numpy as np

from ..machine.pair_problems import PairProblems
from ..machine.problem import Problem
from ..machine.projection import Blocks
from .protocol import EpochReport


class Untrained:
    """A kernel driver (see `protocol`) that never gets to train.

    Its certificate takes no rows: the losses of scores of zero, and dual variables of
    zero.

    Parameters
    ----------
    problem : Problem
    interrupted : bool
        Whether it was a signal that left no time.
    """

    kernel_evaluations = 0

    def __init__(self, problem: Problem, interrupted: bool):
        self.problem = problem
        self.interrupted = interrupted

    def epoch(self, seconds: float) -> EpochReport:
        """Do nothing."""
        primal, dual, violation = self.certify()
        return EpochReport(0, 0, violation, dual, primal, stopped=True)

    def rebuild(self) -> None:
        """Do nothing."""

    def certify(self) -> tuple[float, float, float]:
        """Return (primal, dual, violation); the violation takes rows to be known."""
        problem = self.problem
        if problem.machine.formulation.by_pairs:
            primal = PairProblems(problem).losses_at_zero().sum()
        else:
            primal = Blocks(
                problem.machine,
                problem.labels,
                problem.loss_weights,
                problem.n_columns,
            ).losses_at_zero()
        return float(primal), 0.0, float("inf")

    def duals(self):
        """Return blocks without entries."""
        indptr = np.zeros(len(self.problem.labels) + 1, dtype=np.int64)
        return indptr, np.zeros(0, dtype=np.int32), np.zeros(0)

    def set_duals(self, indptr, classes, values) -> None:
        """Do nothing: there is no time to start from anything."""
