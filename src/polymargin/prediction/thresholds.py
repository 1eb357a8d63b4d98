"""From which score on a class is predicted, where a row may have any number of them."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import KFold

from .calibration import limited

FOLDS = 5

# A threshold whose best F1 is less is an accident of a few rows: it may be so low that
# a label of three rows is predicted for hundreds (Fan and Lin, 2007, "fbr").
_LEAST_F1 = 0.1


def f1_thresholds(scores: np.ndarray, label_sets, weights=None) -> np.ndarray:
    """Return the threshold of every class with the best F1 on these scores.

    The score of a class is above its threshold where it is predicted. Thresholds are in
    the middle between two scores; of equals, the one nearest to zero is taken. It is
    zero for classes that no row has, and not below zero where the best F1 is less than
    0.1.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        What is NaN does not count.
    label_sets : ndarray or sparse matrix of shape (n_samples, n_classes)
        Nonzero where a row has a class.
    weights : ndarray of shape (n_samples,) or None, default=None
        Of the rows; a weight of 2 is a row that is there twice.
    """
    sets = sp.csc_array(label_sets)
    weights = np.ones(len(scores)) if weights is None else weights
    thresholds = np.zeros(sets.shape[1])
    for m in range(sets.shape[1]):
        known = np.isfinite(scores[:, m]) & (weights > 0)
        positive = sets[:, [m]].toarray().ravel() != 0
        thresholds[m] = _best(
            scores[known, m].astype(np.float64), positive[known], weights[known]
        )
    return thresholds


def _best(scores: np.ndarray, positive: np.ndarray, weights: np.ndarray) -> float:
    if not positive.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    scores, positive, weights = scores[order], positive[order], weights[order]
    # With the first rows predicted, for every number of them where the score changes.
    ends = np.flatnonzero(np.append(scores[1:] < scores[:-1], True))
    right = np.cumsum(weights * positive)
    f1 = 2 * right[ends] / (np.cumsum(weights)[ends] + right[-1])
    below = np.append(scores[1:], scores[-1] - 1)[ends]
    middles = (scores[ends] + below) / 2
    best = np.flatnonzero(f1 == f1.max())
    threshold = float(middles[best[np.argmin(np.abs(middles[best]))]])
    return threshold if f1.max() >= _LEAST_F1 else max(threshold, 0.0)


def scores_of_others(
    estimator, X, y, sample_weight, seed: int, left: Callable[[], float]
) -> np.ndarray:
    """Return scores of rows from machines that were trained without them.

    Parameters
    ----------
    estimator : estimator
        Is cloned, without thresholds.
    X, y
        Of the fit; y has a column for each class.
    sample_weight : ndarray or None
        Rows without weight get NaN.
    seed : int
        Of the folds.
    left : callable
        Returns the seconds that are left; rows without time get NaN.

    Returns
    -------
    scores : ndarray of shape (n_samples, n_classes)
        NaN also where the machine has seen no row of the class: its scores tell nothing
        of it.
    """
    scores = np.full(y.shape, np.nan)
    used = np.arange(len(scores))
    if sample_weight is not None:
        used = np.flatnonzero(sample_weight)
    n_folds = min(FOLDS, len(used))
    if n_folds < 2:
        return scores
    folds = KFold(n_folds, shuffle=True, random_state=seed).split(used)
    for number, (training, test) in enumerate(folds):
        training, test = used[training], used[test]
        seconds = left() / (n_folds - number)
        if seconds <= 0:
            break
        weights = None if sample_weight is None else sample_weight[training]
        machine = clone(estimator).set_params(thresholds=None)
        with limited(machine, seconds):
            machine.fit(X[training], y[training], sample_weight=weights)
        scores[test] = machine.decision_function(X[test])
        seen = np.asarray((y[training] != 0).sum(axis=0)).ravel() > 0
        scores[np.ix_(test, ~seen)] = np.nan
    return scores
