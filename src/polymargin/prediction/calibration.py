"""Probabilities for machines whose scores have none: temperature scaling.

One number, the temperature t, turns scores into probabilities ``softmax(t s)``. It is
fitted to scores that rows got from machines trained without them, and, being positive,
changes no prediction.
"""

import warnings
from collections.abc import Callable
from contextlib import contextmanager
from math import isfinite

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.metaestimators import _safe_split

from .coupling import make_most_probable

# Rows that are scored at a time.
_BLOCK = 4096

# Of the temperature, where scores differ by 1 in the mean: at the least, they hardly
# matter.
_LEAST = 1e-3


def fit_temperature(scores, labels, sample_weight=None) -> float:
    """Return the temperature under which the labels are most likely.

    Maximises ``sum_i w_i log p_i`` over t > 0, which is concave. A label counts as
    ``1 - e`` of its class and ``e`` of all others together, with e = 1 / (n + 2) and n
    the sum of the weights (after Platt, 2000): so t is finite also where no row is on
    the wrong side, and grows with the number of rows of which that is true. Where
    scores mislead, t is the least that is considered, and all classes are about equally
    probable.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
        Rows with NaN do not count.

    labels : ndarray of int
        Positions of the classes; 0 and 1 if there is one score per row, that of 1.

    sample_weight : ndarray of float or None, default=None

    Returns
    -------
    temperature : float
        1 if no row counts, or no score differs from another in its row.
    """
    scores = _by_class(np.asarray(scores, dtype=np.float64))
    weights = np.ones(len(scores)) if sample_weight is None else sample_weight
    known = np.isfinite(scores).all(axis=1) & (weights > 0)
    scores, labels, weights = scores[known], labels[known], weights[known]
    if not (scores != scores[:, :1]).any():
        return 1.0

    # Scores from the best of the row on, in units of their mean range: t is about one.
    total = weights.sum()
    largest = np.abs(scores).max()  # first, because ranges can overflow
    scores /= largest
    scores -= scores.max(axis=1, keepdims=True)
    unit = -(weights / total) @ scores.min(axis=1)
    scores /= unit
    of_others = 1 / (total + 2)
    of_each = of_others / (scores.shape[1] - 1)
    targets = scores[np.arange(len(scores)), labels] * (1 - of_others - of_each)
    targets += of_each * scores.sum(axis=1)

    def slope(t):
        """Of the negative logarithm of the likelihood; grows with t."""
        return weights @ ((softmax(t * scores, axis=1) * scores).sum(axis=1) - targets)

    if slope(_LEAST) >= 0:
        return _LEAST / unit / largest
    most = 1.0
    while slope(most) < 0:
        most *= 2
    return brentq(slope, _LEAST, most, rtol=1e-10) / unit / largest


def out_of_fold_scores(
    estimator,
    X,
    y,
    sample_weight=None,
    cv=5,
    left: Callable[[], float] = lambda: float("inf"),
) -> np.ndarray:
    """Return scores of rows from machines that were trained without them.

    Every machine knows every class: rows of a class that would be missing stay in the
    training, and get no score from it. So the only row of a class has none, and of a
    class with fewer rows than folds, all have.

    Parameters
    ----------
    estimator : estimator
        Is cloned, with ``probability=False`` if it has this parameter.

    X : ndarray or CSR matrix
        The kernel matrix of the rows, if the estimator takes one.

    y : ndarray
        Labels.

    sample_weight : ndarray of float or None, default=None

    cv : int, splitter or iterable of (training, test), default=5
        A number of folds takes the rows of every class in turns, in their order.

    left : callable
        Returns the seconds that are left; machines share them equally as `max_time`,
        and rows for which there is no time get no score.

    Returns
    -------
    scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
        Of `decision_function`, NaN for rows without.
    """
    classes, labels = np.unique(y, return_inverse=True)
    shape = (len(y), len(classes)) if len(classes) > 2 else (len(y),)
    scores = np.full(shape, np.nan)
    if isinstance(cv, int | np.integer):
        # Others than these would have no rows.
        folds = _folds_in_turns(labels, min(cv, np.bincount(labels).max()))
    else:
        folds = check_cv(cv, y, classifier=True).split(X, y)
    estimator = clone(estimator)
    if "probability" in estimator.get_params():
        estimator.set_params(probability=False)
    folds = list(folds)
    for number, (training, test) in enumerate(folds):
        seconds = left() / (len(folds) - number)
        if seconds <= 0:
            break
        missing = ~np.isin(labels[test], labels[training])
        training = np.concatenate([training, test[missing]])
        test = test[~missing]
        if len(test) == 0:
            continue
        X_training, y_training = _safe_split(estimator, X, y, training)
        X_test, _ = _safe_split(estimator, X, y, test, training)
        weights = {}
        if sample_weight is not None:
            weights["sample_weight"] = sample_weight[training]
        machine = clone(estimator)
        with limited(machine, seconds):
            machine.fit(X_training, y_training, **weights)
        for start in range(0, len(test), _BLOCK):
            if left() <= 0:
                break
            block = slice(start, start + _BLOCK)
            scores[test[block]] = machine.decision_function(X_test[block])
    return scores


@contextmanager
def limited(machine, seconds: float):
    """Let a machine train for so many seconds, without a word if it takes them all."""
    if not isfinite(seconds):
        yield
        return
    machine.set_params(max_time=seconds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def probabilities(scores, temperature: float) -> np.ndarray:
    """Return probabilities of the classes.

    The largest is that of the class with the largest score, the first of them if there
    are several: where rounding makes two probabilities equal but not the scores, the
    larger one is set to the next number.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes) or (n_samples,)

    temperature : float

    Returns
    -------
    probabilities : ndarray of shape (n_samples, n_classes), of the type of `scores`
    """
    if scores.ndim == 1:
        with np.errstate(over="ignore"):
            exponents = temperature * scores.astype(np.float64)
        result = np.column_stack([expit(-exponents), expit(exponents)])
        winners = (scores > 0).astype(int)
    else:
        best = scores.max(axis=1, keepdims=True).astype(np.float64)
        with np.errstate(over="ignore"):
            result = softmax((scores - best) * temperature, axis=1)
        winners = scores.argmax(axis=1)
    return make_most_probable(result.astype(scores.dtype), winners)


def _by_class(scores) -> np.ndarray:
    """Scores of two classes in two columns."""
    if scores.ndim == 2:
        return scores
    return np.column_stack([np.zeros_like(scores), scores])


def _folds_in_turns(labels, n_folds: int):
    """Folds with equally many rows of every class, but for one."""
    fold_of = np.empty(len(labels), dtype=int)
    fold_of[np.argsort(labels, kind="stable")] = np.arange(len(labels)) % n_folds
    for fold in range(n_folds):
        yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
