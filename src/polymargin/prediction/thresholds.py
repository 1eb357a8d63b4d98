"""From which score on a class is predicted, where a row may have any number of them."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import KFold

from .calibration import limited

FOLDS = 5


def f1_thresholds(scores: np.ndarray, label_sets) -> np.ndarray:
    """Return the threshold of every class with the best F1 on these scores.

    The score of a class is above its threshold where it is predicted. Thresholds are in
    the middle between two scores; of equals, the one nearest to zero is taken. It is
    zero for classes that no row has.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Rows with NaN do not count.
    label_sets : ndarray or sparse matrix of shape (n_samples, n_classes)
        Nonzero where a row has a class.
    """
    known = np.isfinite(scores).all(axis=1)
    scores = scores[known].astype(np.float64)
    sets = sp.csc_array(label_sets)[known]
    return np.array(
        [
            _best(scores[:, m], sets[:, [m]].toarray().ravel() != 0)
            for m in range(sets.shape[1])
        ]
    )


def _best(scores: np.ndarray, positive: np.ndarray) -> float:
    if not positive.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    scores, positive = scores[order], positive[order]
    # With the first rows predicted, for every number of them where the score changes.
    ends = np.flatnonzero(np.append(scores[1:] < scores[:-1], True))
    f1 = 2 * np.cumsum(positive)[ends] / (ends + 1 + positive.sum())
    below = np.append(scores[1:], scores[-1] - 1)[ends]
    middles = (scores[ends] + below) / 2
    best = np.flatnonzero(f1 == f1.max())
    return float(middles[best[np.argmin(np.abs(middles[best]))]])


def scores_of_others(
    estimator, X, y, sample_weight, seed: int, left: Callable[[], float]
) -> np.ndarray:
    """Return scores of rows from machines that were trained without them.

    Parameters
    ----------
    estimator : estimator
        Is cloned, without thresholds.
    X, y, sample_weight
        Of the fit; y has a column for each class.
    seed : int
        Of the folds.
    left : callable
        Returns the seconds that are left; rows without time get NaN.
    """
    scores = np.full(y.shape, np.nan)
    n_folds = min(FOLDS, len(scores))
    folds = KFold(n_folds, shuffle=True, random_state=seed).split(scores)
    for number, (training, test) in enumerate(folds):
        seconds = left() / (n_folds - number)
        if seconds <= 0:
            break
        weights = None if sample_weight is None else np.asarray(sample_weight)[training]
        machine = clone(estimator).set_params(thresholds=None)
        with limited(machine, seconds):
            machine.fit(X[training], y[training], sample_weight=weights)
        scores[test] = machine.decision_function(X[test])
    return scores
