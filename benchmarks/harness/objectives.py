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


def class_pairs(n_classes: int) -> np.ndarray:
    """Pairs of classes in their order, shape (n_pairs, 2)."""
    return np.array(list(combinations(range(n_classes), 2)))


def _pairs_of(weights: np.ndarray) -> np.ndarray:
    return class_pairs((1 + isqrt(1 + 8 * len(weights))) // 2)


def _cs_losses(scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    """``max_m ([m != y] + s_m - s_y)``"""
    at_label = (np.arange(len(scores)), y)
    margins = 1 + scores - scores[at_label][:, None]
    margins[at_label] = 0
    return margins.max(axis=1)


def _maxent_losses(scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    """``log sum_m exp(s_m) - s_y``"""
    at_label = scores[np.arange(len(scores)), y][:, None]
    return np.logaddexp.reduce(scores - at_label, axis=1)


def _ovr_losses(scores: np.ndarray, y: np.ndarray, loss: str) -> np.ndarray:
    """Those of every class against the rest."""
    classes = np.arange(scores.shape[1]) if scores.shape[1] > 1 else np.array([1])
    return BINARY_LOSSES[loss](np.where(y[:, None] == classes, 1, -1) * scores)


def _ovo_loss(X, y: np.ndarray, weights: np.ndarray, loss: str) -> float:
    """The sum over the pairs of classes, each on its rows."""
    pairs, sums = _pairs_of(weights), []
    for label in range(pairs.max() + 1):
        own = X[np.flatnonzero(y == label)]
        for sign, column in ((-1, 0), (1, 1)):  # as the first of a pair, the second
            mine = weights[pairs[:, column] == label]
            sums += [
                BINARY_LOSSES[loss](sign * scores).sum()
                for _, scores in _scores(own, mine)
            ]
    return fsum(sums)


def _votes(scores: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Pairs won by each class; among equals the larger sum of scores decides."""
    votes, sums = np.zeros((2, len(scores), pairs.max() + 1))
    for (first, second), score in zip(pairs, scores.T, strict=True):
        votes[:, second] += score > 0
        votes[:, first] += score <= 0
        sums[:, second] += score
        sums[:, first] -= score
    return votes + sums / (3 * (1 + np.abs(sums)))  # less than half a vote


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
        """Primal objective with C = 1, ``1/2 |W|^2`` and the sum of the losses."""
        penalty = 0.5 * float(np.vdot(weights, weights))
        if self.machine == "ovo":
            return penalty + _ovo_loss(X, y, weights, self.loss)
        losses = {"cs": _cs_losses, "maxent": _maxent_losses, "ovr": _ovr_losses}
        more = (self.loss,) if self.machine == "ovr" else ()
        return penalty + fsum(
            losses[self.machine](scores, y[rows], *more).sum()
            for rows, scores in _scores(X, weights)
        )

    def accuracy(self, X, y, weights: np.ndarray) -> float:
        """Share of rows that get their label: by votes, or by the best score."""
        hits = 0
        for rows, scores in _scores(X, weights):
            if self.machine == "ovo":
                scores = _votes(scores, _pairs_of(weights))
            best = scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] > 0
            hits += int((best == y[rows]).sum())
        return hits / len(y)


CRAMMER_SINGER = Formulation("cs")
