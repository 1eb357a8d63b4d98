"""What is solved: a linear machine with a loss, its estimator and its objective.

Objectives are computed here from weights, one row a class (one row for the second class
if one-vs-rest has two), so that peers are judged by what we did not write to train.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum

import numpy as np

import polymargin
from polymargin.machine.block_algebra import class_pairs

_CHUNK = 2048  # rows scored at a time
# Losses of the margin z = Y s.
BINARY_LOSSES = {
    "hinge": lambda z: np.maximum(0, 1 - z),
    "squared_hinge": lambda z: np.maximum(0, 1 - z) ** 2,
    "logistic": lambda z: np.logaddexp(0, -z),
}


def _scores(X, weights: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield the scores of chunks of rows, in the precision of the weights."""
    by_feature = np.ascontiguousarray(weights.T)
    for first in range(0, X.shape[0], _CHUNK):
        rows = slice(first, first + _CHUNK)
        yield rows, np.asarray(X[rows].astype(weights.dtype) @ by_feature)


def _losses(machine: str, loss: str | None, scores: np.ndarray, y: np.ndarray):
    if machine == "ovo":  # of the pairs that have the label
        first, second = class_pairs(scores.shape[1])
        signs = (y[:, None] == second) * 1 - (y[:, None] == first)
        return BINARY_LOSSES[loss](signs * scores) * (signs != 0)
    if machine == "ovr":
        classes = np.arange(scores.shape[1]) if scores.shape[1] > 1 else np.array([1])
        return BINARY_LOSSES[loss](np.where(y[:, None] == classes, 1, -1) * scores)
    at_label = (np.arange(len(scores)), y)
    margins = scores - scores[at_label][:, None]
    if machine == "ww":
        margins += 1  # sum_{m != y} [1 + s_m - s_y]_+
        margins[at_label] = 0
        return np.maximum(margins, 0).sum(axis=1)
    if machine == "maxent":  # log sum_m exp(s_m) - s_y
        return np.logaddexp.reduce(margins, axis=1)
    margins += 1  # cs: max_m ([m != y] + s_m - s_y)
    margins[at_label] = 0
    return margins.max(axis=1)


@dataclass(frozen=True)
class Formulation:
    """A machine with a loss, as `LinearSVM` names them; "maxent" has no loss."""

    machine: str
    loss: str | None = None

    def estimator(self, **parameters):
        """`LinearSVM` or `MaxEnt`, without intercept and from seed 0."""
        same = {"fit_intercept": False, "random_state": 0} | parameters
        if self.machine == "maxent":
            return polymargin.MaxEnt(**same)
        loss = {"loss": self.loss} if self.loss else {}
        return polymargin.LinearSVM(self.machine, **loss, **same)

    def objective(self, X, y, weights: np.ndarray) -> float:
        """Primal objective with C = 1, ``1/2 |W|^2`` and the sum of the losses."""
        weights = weights.astype(np.float64)
        return 0.5 * float(np.vdot(weights, weights)) + fsum(
            _losses(self.machine, self.loss, scores, y[rows]).sum()
            for rows, scores in _scores(X, weights)
        )
