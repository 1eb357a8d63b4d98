"""What is solved: primal objectives with C = 1, and the accuracy of a model.

Weights have one row per class (`cs`, `ovr`, `maxent`; one row for the second class if
one-vs-rest has two classes) or one row per pair of classes (`ovo`), pairs in the order
(0, 1), (0, 2), ..., positive for the second class of the pair.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from math import fsum, isqrt

import numpy as np

_CHUNK = 2048  # rows scored at a time

# Losses of the margin z = Y s.
BINARY_LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "hinge": lambda z: np.maximum(0, 1 - z),
    "squared_hinge": lambda z: np.maximum(0, 1 - z) ** 2,
    "logistic": lambda z: np.logaddexp(0, -z),
}


def _scores(X, weights: np.ndarray) -> Iterable[tuple[slice, np.ndarray]]:
    """Yield the scores of chunks of rows, in the precision of the weights."""
    by_feature = np.ascontiguousarray(weights.T)
    for first in range(0, X.shape[0], _CHUNK):
        rows = slice(first, first + _CHUNK)
        yield rows, np.asarray(X[rows].astype(weights.dtype) @ by_feature)


def _penalty(weights: np.ndarray) -> float:
    return 0.5 * float(np.vdot(weights, weights))


def cs_objective(X, y, weights: np.ndarray) -> float:
    """Objective of Crammer and Singer.

    ``1/2 sum_m |w_m|^2 + sum_i max_m ([m != y_i] + s_m - s_y)``
    """
    losses = []
    for rows, scores in _scores(X, weights):
        at_label = (np.arange(len(scores)), y[rows])
        margins = 1 + scores - scores[at_label][:, None]
        margins[at_label] = 0
        losses.append(margins.max(axis=1).sum())
    return _penalty(weights) + fsum(losses)


def maxent_objective(X, y, weights: np.ndarray) -> float:
    """Objective of maximum entropy.

    ``1/2 sum_m |w_m|^2 + sum_i (log sum_m exp(s_m) - s_y)``
    """
    losses = []
    for rows, scores in _scores(X, weights):
        scores = scores - scores[np.arange(len(scores)), y[rows]][:, None]
        losses.append(np.logaddexp.reduce(scores, axis=1).sum())
    return _penalty(weights) + fsum(losses)


def ovr_objective(X, y, weights: np.ndarray, loss: str) -> float:
    """Sum over the classes of the binary objectives, each class against the rest."""
    classes = np.arange(len(weights)) if len(weights) > 1 else np.array([1])
    losses = []
    for rows, scores in _scores(X, weights):
        signs = np.where(y[rows][:, None] == classes, 1, -1)
        losses.append(BINARY_LOSSES[loss](signs * scores).sum())
    return _penalty(weights) + fsum(losses)


def class_pairs(n_classes: int) -> np.ndarray:
    """Pairs of classes in their order, shape (n_pairs, 2)."""
    return np.array(list(combinations(range(n_classes), 2)))


def ovo_objective(X, y, weights: np.ndarray, loss: str) -> float:
    """Sum over the pairs of classes of the binary objectives on their rows."""
    pairs = class_pairs(_classes_of_pairs(len(weights)))
    losses = []
    for label in range(pairs.max() + 1):
        own = X[np.flatnonzero(y == label)]
        for sign, column in ((-1, 0), (1, 1)):  # as the first of a pair, the second
            mine = weights[pairs[:, column] == label]
            losses += [
                BINARY_LOSSES[loss](sign * scores).sum()
                for _, scores in _scores(own, mine)
            ]
    return _penalty(weights) + fsum(losses)


def _classes_of_pairs(n_pairs: int) -> int:
    return (1 + isqrt(1 + 8 * n_pairs)) // 2


def accuracy(X, y, weights: np.ndarray) -> float:
    """Share of rows whose best score is that of their label."""
    hits = 0
    for rows, scores in _scores(X, weights):
        best = scores.argmax(axis=1) if len(weights) > 1 else scores[:, 0] > 0
        hits += int((best == y[rows]).sum())
    return hits / len(y)


def vote_accuracy(X, y, weights: np.ndarray) -> float:
    """Share of rows whose label wins most of its pairs.

    Among equals, the one with the largest sum of scores over its pairs wins.
    """
    n_classes = _classes_of_pairs(len(weights))
    pairs = class_pairs(n_classes)
    hits = 0
    for rows, scores in _scores(X, weights):
        votes, sums = np.zeros((2, len(scores), n_classes))
        for (first, second), score in zip(pairs, scores.T, strict=True):
            votes[:, second] += score > 0
            votes[:, first] += score <= 0
            sums[:, second] += score
            sums[:, first] -= score
        votes += sums / (3 * (1 + np.abs(sums)))  # less than half a vote
        hits += int((votes.argmax(axis=1) == y[rows]).sum())
    return hits / len(y)


@dataclass(frozen=True)
class Formulation:
    """A machine with a loss, as `LinearSVM` names them; "maxent" has no loss."""

    machine: str
    loss: str | None = None

    @property
    def name(self) -> str:
        """The key of its optima, and part of the names of solvers."""
        return " ".join(filter(None, (self.machine, self.loss)))

    def objective(self, X, y, weights: np.ndarray) -> float:
        """Primal objective with C = 1."""
        if self.machine in _RELATIVE:
            return _RELATIVE[self.machine](X, y, weights)
        return _BINARY[self.machine](X, y, weights, self.loss)

    def accuracy(self, X, y, weights: np.ndarray) -> float:
        """Share of rows that get their label."""
        return (vote_accuracy if self.machine == "ovo" else accuracy)(X, y, weights)


_RELATIVE = {"cs": cs_objective, "maxent": maxent_objective}
_BINARY = {"ovr": ovr_objective, "ovo": ovo_objective}
CRAMMER_SINGER = Formulation("cs")
