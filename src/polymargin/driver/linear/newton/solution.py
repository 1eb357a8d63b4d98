"""Where Newton steps begin at another C, if they were taken at one or two before.

Between values of C at which a variable reaches a bound or leaves it, the dual solution
of a hinge is linear in C, and variables at their bounds move with these. What is beyond
the bounds is taken back by who begins there. The weights of a smooth loss are almost
linear in the logarithm of C.
"""

from dataclasses import dataclass
from math import log

import numpy as np

from ....machine import projection
from ....machine.problem import Problem
from ...protocol import Blocks

FARTHEST = 10.0  # times the distance between the two values that are known
SHORTER = 0.3  # proximal steps where bounds have moved, and variables with them


@dataclass(frozen=True)
class Solution:
    """What Newton steps found at one C.

    Attributes
    ----------
    weights : ndarray of shape (features, columns)
    growths : ndarray or None
        By how much the proximal steps of each problem have grown, if that is known.
    duals : tuple of ndarrays or None
        The dual blocks, as drivers have them; None if the loss is smooth.
    loss_weights : ndarray
        C_i of the rows.
    before : Solution or None
        At the C before.
    """

    weights: np.ndarray
    growths: np.ndarray | None
    duals: Blocks | None
    loss_weights: np.ndarray
    before: "Solution | None" = None

    def growths_at(self, problem: Problem) -> np.ndarray | None:
        """Return by how much the proximal steps have grown to begin with."""
        if self.growths is None:
            return None
        moves = problem.machine.bound in ("sum", "each")
        return self.growths * (SHORTER if moves else 1.0)

    def weights_at(self, problem: Problem) -> np.ndarray:
        """Return weights to begin with."""
        share = self._share(problem, log)
        if share is None or self.duals is not None:
            return self.weights
        return self.weights + share * (self.weights - self.before.weights)

    def duals_at(self, problem: Problem) -> Blocks | None:
        """Return dual blocks to begin with, perhaps beyond their upper bounds; None if
        nothing is known of them.
        """
        share = self._share(problem, float)
        if share is None or self.duals is None or self.before.duals is None:
            return None
        now, before = self._all_duals(), self.before._all_duals()
        duals = now + share * (now - before)
        positive = duals > 0
        counts = np.count_nonzero(positive, axis=1)
        starts = np.concatenate([[0], np.cumsum(counts)])
        return starts, np.nonzero(positive)[1].astype(np.int32), duals[positive]

    def _all_duals(self) -> np.ndarray:
        # Sums of sparse matrices take longer than a Newton step on a small table.
        starts, classes, values = self.duals
        duals = np.zeros((len(starts) - 1, self.weights.shape[1]))
        duals[np.repeat(np.arange(len(duals)), np.diff(starts)), classes] = values
        return duals

    def _share(self, problem: Problem, scale) -> float | None:
        """Return how far it is to the C of a problem, over how far it was here."""
        if self.before is None:
            return None
        sums = [float(each.loss_weights.sum()) for each in (self.before, self, problem)]
        before, now, then = (scale(value) for value in sums)
        share = (then - now) / (now - before) if now != before else 0.0
        return share if 0 < share <= FARTHEST else None


def is_smooth(problem: Problem) -> bool:
    """Whether plain Newton steps solve it, which begin with weights alone."""
    machine = problem.machine
    maximum = machine.formulation.aggregation == "max"
    return projection.is_smooth(machine.loss, maximum)
